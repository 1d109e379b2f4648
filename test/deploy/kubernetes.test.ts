import { mkdtempSync, readdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Deployment } from 'kubernetes-models/apps/v1/Deployment'
import { HorizontalPodAutoscaler } from 'kubernetes-models/autoscaling/v2/HorizontalPodAutoscaler'
import { Job } from 'kubernetes-models/batch/v1/Job'
import { NetworkPolicy } from 'kubernetes-models/networking.k8s.io/v1/NetworkPolicy'
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1/PodDisruptionBudget'
import { ConfigMap } from 'kubernetes-models/v1/ConfigMap'
import { Secret } from 'kubernetes-models/v1/Secret'
import { Service } from 'kubernetes-models/v1/Service'
import ts from 'typescript'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parseDeploy, readDeploy, root, stopSeconds, variablesOf } from './files.ts'

interface Model {
  validate(): void
}

interface Manifest {
  readonly apiVersion: string
  readonly kind: string
}

const kinds: Readonly<Record<string, readonly [module: string, model: new (data: never) => Model]>> = {
  'apps/v1 Deployment': ['apps/v1', Deployment],
  'autoscaling/v2 HorizontalPodAutoscaler': ['autoscaling/v2', HorizontalPodAutoscaler],
  'batch/v1 Job': ['batch/v1', Job],
  'networking.k8s.io/v1 NetworkPolicy': ['networking.k8s.io/v1', NetworkPolicy],
  'policy/v1 PodDisruptionBudget': ['policy/v1', PodDisruptionBudget],
  'v1 ConfigMap': ['v1', ConfigMap],
  'v1 Secret': ['v1', Secret],
  'v1 Service': ['v1', Service],
}

const files = readdirSync(join(root, 'deploy/kubernetes'), { recursive: true, encoding: 'utf8' })
  .filter(name => name.endsWith('.yaml'))
  .map(name => `kubernetes/${name}`)

function kindOf({ apiVersion, kind }: Manifest) {
  const known = kinds[`${apiVersion} ${kind}`]
  if (known === undefined) throw new Error(`The test knows no ${kind} of ${apiVersion}.`)
  return known
}

const manifest = (path: string) => parseDeploy(path) as unknown as Manifest
const deployment = parseDeploy('kubernetes/deployment.yaml') as unknown as {
  readonly spec: {
    readonly template: {
      readonly spec: {
        readonly terminationGracePeriodSeconds: number
        readonly containers: readonly [
          {
            readonly image: string
            readonly readinessProbe: { readonly periodSeconds: number; readonly failureThreshold: number }
          },
        ]
      }
    }
  }
}

describe('the Kubernetes manifests', () => {
  it('are those of the folder', () => {
    expect(files.length).toBe(8)
  })

  it.each(files)('%s fits the schema of its kind', path => {
    const [, KindModel] = kindOf(manifest(path))
    new KindModel(manifest(path) as never).validate()
  })

  it('a wrong type and a missing field do not fit it', () => {
    const broken = { ...manifest('kubernetes/deployment.yaml'), spec: { replicas: '3' } }
    expect(() => new Deployment(broken as never).validate()).toThrow(/replicas|selector/)
  })

  // The schemas allow fields that they do not know, as the API does; the types of the same package do not.
  it('have no unknown fields', { timeout: 120_000 }, () => {
    const misspelled = JSON.stringify(manifest('kubernetes/deployment.yaml')).replace(
      '"readinessProbe"',
      '"readinesProbe"',
    )
    const texts = new Map(files.map(path => [path, JSON.stringify(manifest(path))] as const))
    const found = unknownFields(new Map([...texts, ['misspelled', misspelled]]))
    expect(found.filter(text => text.startsWith('misspelled'))).toHaveLength(1)
    expect(found.filter(text => !text.startsWith('misspelled'))).toEqual([])
  })

  it('give a pod the time that its drain takes, and the load balancer the time to notice', () => {
    const { spec } = deployment.spec.template
    expect(spec.terminationGracePeriodSeconds).toBe(stopSeconds())
    const { server } = parseDeploy('sluice.config.yaml') as { server: { shutdownDelayMs: number } }
    const { periodSeconds, failureThreshold } = spec.containers[0].readinessProbe
    expect(server.shutdownDelayMs).toBeGreaterThan(periodSeconds * failureThreshold * 1_000)
  })

  it('have the configuration of the folder, and a Secret with its variables', () => {
    const { data } = parseDeploy('kubernetes/configmap.yaml') as { data: Record<string, string> }
    expect(data).toEqual({ 'sluice.config.yaml': readDeploy('sluice.config.yaml') })
    const { stringData } = parseDeploy('kubernetes/examples/secret.yaml') as {
      stringData: Record<string, string>
    }
    expect(Object.keys(stringData).sort()).toEqual(variablesOf(readDeploy('sluice.config.yaml')))
  })

  it('run one image', () => {
    const images = files.flatMap(path =>
      [...readDeploy(path).matchAll(/image: (\S+)/g)].map(([, name]) => name),
    )
    expect(new Set(images).size).toBe(1)
    expect(images).toHaveLength(2)
  })
})

/** The fields of manifests that their types do not have: `file: message`. */
function unknownFields(texts: ReadonlyMap<string, string>): string[] {
  const folder = mkdtempSync(join(realpathSync(tmpdir()), 'sluice-manifests-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  const names = new Map<string, string>()
  for (const [path, text] of texts) {
    const { kind } = JSON.parse(text) as Manifest
    const [module] = kindOf(JSON.parse(text))
    const file = join(folder, `${path.replaceAll(/\W/g, '-')}.ts`)
    names.set(file, path)
    writeFileSync(
      file,
      `import type { I${kind} } from 'kubernetes-models/${module}/${kind}'\nexport const manifest: I${kind} = ${text}\n`,
    )
  }
  const program = ts.createProgram([...names.keys()], {
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    noEmit: true,
    skipLibCheck: true,
    strict: true,
    types: [],
  })
  return [...names].flatMap(([file, path]) =>
    program
      .getSemanticDiagnostics(program.getSourceFile(file))
      .map(({ messageText }) => `${path}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`),
  )
}

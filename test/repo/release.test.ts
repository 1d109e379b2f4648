import { execFileSync, spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { repositoryFields, repositoryUrl } from '../../scripts/repository.mjs'
import { billOf, bundledPackages, withBundled } from '../../scripts/sbom-bundled.mjs'

const root = join(import.meta.dirname, '../..')
const read = (path: string) => readFileSync(join(root, path), 'utf8')

interface Manifest {
  readonly name: string
  readonly private?: boolean
  readonly files?: readonly string[]
  readonly scripts?: Readonly<Record<string, string>>
  readonly dependencies?: Readonly<Record<string, string>>
  readonly peerDependencies?: Readonly<Record<string, string>>
  readonly peerDependenciesMeta?: Readonly<Record<string, unknown>>
  readonly devDependencies?: Readonly<Record<string, string>>
  readonly [field: string]: unknown
}

const published = readdirSync(join(root, 'packages'))
  .map(folder => ({ folder, manifest: JSON.parse(read(`packages/${folder}/package.json`)) as Manifest }))
  .filter(({ manifest }) => manifest.private !== true)

/** Scripts that npm runs on a user's machine, or when a package is packed. */
const runByItself = ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish', 'postpack']
/** Runs in the clone before a package is packed. pnpm leaves it out of the packed package.json. */
const prepack = 'node ../../scripts/check-declarations.mjs'

describe.each(published)('the published package in packages/$folder', ({ folder, manifest }) => {
  it('runs nothing on the machine of who installs it', () => {
    expect(Object.keys(manifest.scripts ?? {}).filter(name => runByItself.includes(name))).toEqual([])
    expect(existsSync(join(root, 'packages', folder, 'binding.gyp'))).toBe(false)
  })

  it('is not packed without type declarations', () => {
    expect(manifest.scripts?.prepack).toBe(prepack)
  })

  it('says what it is, and for whom', () => {
    expect(manifest).toMatchObject({
      name: expect.stringMatching(/^(?:@sluice\/[a-z]+|sluice)$/),
      version: expect.stringMatching(/^\d+\.\d+\.\d+$/),
      description: expect.stringMatching(/\w+ \w+/),
      keywords: expect.arrayContaining(['chat-completions']),
      license: 'MIT',
      type: 'module',
      engines: { node: '>=20.19' },
      publishConfig: { access: 'public', provenance: true },
    })
    expect(read(`packages/${folder}/README.md`)).toContain(`# ${manifest.name}`)
  })

  it('brings what was built, and no sources', () => {
    expect(manifest.files).toEqual(expect.arrayContaining(['dist', 'README.md']))
    expect(
      manifest.files?.filter(file => !/^(?:bin|dist|README\.md|[\w.-]*schema[\w.-]*\.json)$/.test(file)),
    ).toEqual([])
  })

  it('takes its sisters from the workspace, in versions that fit each other', () => {
    const sisters = Object.entries({ ...manifest.dependencies, ...manifest.peerDependencies }).filter(
      ([name]) => /^(?:@sluice\/|sluice$)/.test(name),
    )
    expect(sisters.filter(([, range]) => range !== 'workspace:^')).toEqual([])
  })
})

describe('changesets', () => {
  const config = JSON.parse(read('.changeset/config.json')) as {
    fixed: string[][]
    baseBranch: string
    ignore: string[]
  }

  it('release all packages together, as the command line has the others in its bundle', () => {
    expect(config).toMatchObject({ baseBranch: 'main', access: 'public', fixed: [['sluice', '@sluice/*']] })
  })

  it('make one version for all that are released, and leave what refers to the workspace as it is', () => {
    const folder = copyOfManifests()
    const bin = join(root, 'node_modules/@changesets/cli/bin.js')
    execFileSync(process.execPath, [bin, 'version'], { cwd: folder, stdio: 'pipe' })
    expect(readdirSync(join(folder, '.changeset')).sort()).toEqual(['README.md', 'config.json'])
    const released = published.flatMap(({ folder: name, manifest: before }) => {
      const after = JSON.parse(
        readFileSync(join(folder, 'packages', name, 'package.json'), 'utf8'),
      ) as Manifest
      expect(after).toEqual({ ...before, version: after.version })
      if (after.version === before.version) return []
      const changelog = readFileSync(join(folder, 'packages', name, 'CHANGELOG.md'), 'utf8')
      expect(changelog).toMatch(
        new RegExp(`^# ${before.name}\\n\\n## ${String(after.version).replaceAll('.', '\\.')}\\n`),
      )
      return [after.version]
    })
    expect(new Set(released).size).toBeLessThanOrEqual(1)
    expect([0, published.length]).toContain(released.length)
  })
})

it('gives the command line the dependencies of all that is in its bundle', () => {
  const manifests = new Map(published.map(({ manifest }) => [manifest.name, manifest]))
  const cli = manifests.get('sluice')!
  const needed = bundledPackages({ devDependencies: cli.devDependencies ?? {} })
    .flatMap(name => Object.keys(manifests.get(name)?.dependencies ?? {}))
    // zod is in the bundle, too: packages/cli/tsup.config.ts.
    .filter(name => !name.startsWith('@sluice/') && name !== 'zod')
  expect(Object.keys(cli.dependencies ?? {})).toEqual(expect.arrayContaining([...new Set(needed)]))
  expect(Object.keys(cli.dependencies ?? {}).filter(name => name.startsWith('@sluice/'))).toEqual([])
  expect(Object.keys(cli.peerDependencies ?? {}).sort()).toEqual(
    Object.keys(cli.peerDependenciesMeta ?? {}).sort(),
  )
})

it('lists in the bill of materials what is in a bundle, with all that this needs', () => {
  const core = billOf({ name: '@sluice/core', version: '1.0.0', description: '', license: 'MIT' })
  const zod = billOf({ name: 'zod', version: '4.0.0', description: '', license: 'MIT' })
  const own = billOf({ name: 'sluice', version: '1.0.0', description: '', license: 'MIT' })
  const bill = withBundled(own, [withBundled(core, [zod]), zod])
  expect(bill.components.map(({ purl }: { purl: string }) => purl)).toEqual([
    'pkg:npm/%40sluice/core@1.0.0',
    'pkg:npm/zod@4.0.0',
  ])
  expect(bill.dependencies).toContainEqual({
    ref: 'pkg:npm/sluice@1.0.0',
    dependsOn: ['pkg:npm/%40sluice/core@1.0.0', 'pkg:npm/zod@4.0.0'],
  })
  expect(bill.dependencies).toContainEqual({
    ref: 'pkg:npm/%40sluice/core@1.0.0',
    dependsOn: ['pkg:npm/zod@4.0.0'],
  })
})

describe('the repository of the packages', () => {
  const url = 'https://git.example/team/gateway'

  it('is the one setting of the root, or that of the workflow', () => {
    expect(repositoryUrl({ env: {}, manifest: { repository: `${url}.git` } })).toBe(url)
    const env = { GITHUB_SERVER_URL: 'https://git.example', GITHUB_REPOSITORY: 'team/gateway' }
    expect(repositoryUrl({ env, manifest: {} })).toBe(url)
    expect(repositoryUrl({ env: {}, manifest: {} })).toBeUndefined()
    for (const wrong of ['git@git.example:team/gateway', { url }, 'https://git.example'])
      expect(() => repositoryUrl({ env: {}, manifest: { repository: wrong } })).toThrow('expected a URL')
  })

  it('says where source, page and issues of each are', () => {
    expect(repositoryFields('packages/core', url)).toEqual({
      homepage: `${url}/tree/main/packages/core#readme`,
      repository: { type: 'git', url: `git+${url}.git`, directory: 'packages/core' },
      bugs: { url: `${url}/issues` },
    })
  })

  it('is in no manifest of the workspace: packing adds it', () => {
    for (const { manifest } of published)
      expect(Object.keys(manifest)).not.toEqual(expect.arrayContaining(['repository']))
  })
})

/** The workspace without its code, in a repository of its own: changesets ask git who wrote them. */
function copyOfManifests(): string {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-release-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const manifests = ['packages', 'examples'].flatMap(group =>
    readdirSync(join(root, group)).map(name => join(group, name, 'package.json')),
  )
  for (const file of ['package.json', 'pnpm-workspace.yaml', 'pnpm-lock.yaml', '.changeset', ...manifests])
    cpSync(join(root, file), join(folder, file), { recursive: true })
  // The module that writes changelogs is looked for there.
  symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, '.gitignore'), 'node_modules\n')
  const git = (...args: string[]) => execFileSync('git', args, { cwd: folder, stdio: 'pipe' })
  git('init', '--quiet', '--initial-branch=main')
  git('add', '--all')
  git('-c', 'user.name=a', '-c', 'user.email=a@b.test', 'commit', '--quiet', '--message=x')
  return folder
}

interface Workflow {
  readonly on: unknown
  readonly permissions: unknown
  readonly jobs: Readonly<Record<string, Job>>
}
interface Job {
  readonly permissions?: Readonly<Record<string, string>>
  readonly needs?: string
  readonly steps?: readonly {
    readonly uses?: string
    readonly run?: string
    readonly env?: object
    readonly with?: Readonly<Record<string, unknown>>
  }[]
}

const workflows = readdirSync(join(root, '.github/workflows')).map(name => ({
  name,
  text: read(`.github/workflows/${name}`),
  workflow: parse(read(`.github/workflows/${name}`)) as Workflow,
}))

describe.each(workflows)('the workflow $name', ({ text, workflow }) => {
  it('gives no permission that a job does not ask for', () => {
    expect(workflow.permissions).toEqual({})
    for (const job of Object.values(workflow.jobs)) expect(job.permissions).toBeDefined()
  })

  it('leaves no token where a later step could read it', () => {
    const steps = Object.values(workflow.jobs).flatMap(({ steps = [] }) => steps)
    for (const { uses = '', with: given } of steps) {
      if (uses.startsWith('actions/checkout@')) expect(given?.['persist-credentials']).toBe(false)
    }
  })

  it('keeps no secret, and runs no text of a pull request', () => {
    expect(text).not.toMatch(
      /secrets\.|pull_request_target|github\.event\.pull_request\.(?:title|body|head\.ref)/,
    )
  })

  it('pins what it uses by commit, and says which version that is', () => {
    const steps = Object.values(workflow.jobs).flatMap(({ steps = [] }) => steps)
    const used = text.match(/^.*\buses: .*$/gm) ?? []
    const foreign = used.filter(line => !line.includes('uses: ./'))
    for (const line of foreign) expect(line).toMatch(/uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/)
    for (const { run = '' } of steps)
      expect(run.replaceAll('pnpm@12.21.0', '')).not.toMatch(/npx -y pnpm\b|pnpm@/)
  })
})

it('gives write permissions to the jobs that release, and to no other', () => {
  const writing = workflows.flatMap(({ workflow: { jobs } }) =>
    Object.entries(jobs).flatMap(([name, { permissions = {} }]) =>
      Object.entries(permissions).flatMap(([what, given]) => (given === 'write' ? [`${name} ${what}`] : [])),
    ),
  )
  expect(writing.sort()).toEqual([
    'publish contents',
    'publish id-token',
    'version contents',
    'version pull-requests',
  ])
})

it('releases nothing with a known vulnerability, and takes in no version that is younger than three days', () => {
  const { jobs } = workflows.find(({ name }) => name === 'ci.yml')!.workflow
  const steps = jobs.audit?.steps ?? []
  expect(steps.some(({ run }) => run === 'npx -y pnpm@12.21.0 audit --prod --audit-level high')).toBe(true)
  for (const file of ['pnpm-workspace.yaml', 'docs/pnpm-workspace.yaml']) {
    expect(parse(read(file))).toMatchObject({ minimumReleaseAge: 4320 })
  }
})

it('publishes only in the job that may prove where it runs, after all checks', () => {
  const { jobs } = workflows.find(({ name }) => name === 'release.yml')!.workflow
  const proving = Object.entries(jobs).filter(([, job]) => job.permissions?.['id-token'] === 'write')
  expect(proving.map(([name]) => name)).toEqual(['publish'])
  expect([jobs.publish?.needs, jobs.version?.needs]).toEqual(['version', 'checks'])
  expect(JSON.stringify(jobs.publish?.steps)).toContain('"PNPM_CONFIG_PROVENANCE":"true"')
})

describe('scripts/check-declarations.mjs', () => {
  const types = './dist/index.d.cts'
  /** Runs it in the folder of a package, as `prepack` does. */
  function checked(files: readonly string[], env: Readonly<Record<string, string>> = {}) {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-declarations-'))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    mkdirSync(join(folder, 'dist'))
    const exports = {
      '.': { require: { types, default: './dist/index.cjs' } },
      './package.json': './package.json',
    }
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ name: '@sluice/some', exports }))
    for (const file of files) writeFileSync(join(folder, file), '')
    const script = join(root, 'scripts/check-declarations.mjs')
    const { status, stderr } = spawnSync(process.execPath, [script], {
      cwd: folder,
      encoding: 'utf8',
      env: { ...process.env, ...env },
    })
    return { status, stderr }
  }

  it('fails for a package that is built without them', () => {
    expect(checked(['dist/index.cjs'])).toEqual({
      status: 1,
      stderr: `@sluice/some has no type declarations: ${types} is missing. Build them, then pack again: npx -y pnpm build\n`,
    })
  })

  it('accepts a package with them, and one of a test that needs none', () => {
    expect(checked(['dist/index.cjs', types])).toEqual({ status: 0, stderr: '' })
    expect(checked([], { SLUICE_PACK_WITHOUT_TYPES: '1' })).toEqual({ status: 0, stderr: '' })
  })
})

it('pnpm pack:all asks for one folder', () => {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'scripts/pack-all.mjs')], {
    encoding: 'utf8',
  })
  expect({ status, stderr }).toEqual({
    status: 1,
    stderr: 'got 0 folders, expected one: pnpm pack:all FOLDER\n',
  })
})

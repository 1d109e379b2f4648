import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

// The dependency rules of the project, held over the sources of all packages. Tests are free of them.

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..')

/** One import as a file writes it. `type` means that nothing of it is left at run time. */
interface Import {
  readonly file: string
  readonly specifier: string
  readonly type: boolean
}

const sources = readdirSync(join(root, 'packages'))
  .flatMap(name => readdirSync(join(root, 'packages', name, 'src'), { recursive: true, withFileTypes: true }))
  .filter(entry => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
  .map(entry => relative(root, join(entry.parentPath, entry.name)))
  .map(file => ({ file, text: readFileSync(join(root, file), 'utf8') }))
const imports = sources.flatMap(({ file, text }) => importsOf(file, text))
const loaded = imports.filter(({ type }) => !type)
const dependencies = new Map(
  readdirSync(join(root, 'packages')).map(name => [name, declaredDependencies(name)] as const),
)

describe('dependency rules', () => {
  it('reads every package', () => {
    const packages = new Set(sources.map(({ file }) => packageOf(file)))
    expect([...packages].sort()).toEqual([
      'cli',
      'console',
      'core',
      'express',
      'jwt',
      'koa',
      'node',
      'postgres',
      'providers',
      'redis',
      'sqlite',
      'telemetry',
      'testing',
    ])
    expect(imports.length).toBeGreaterThan(100)
  })

  it('are kept', () => {
    expect(imports.flatMap(faultsOf)).toEqual([])
  })

  it('have no circle of imports at run time', () => {
    expect(circles(loaded)).toEqual([])
  })

  it('keep stages apart, also through a third file', () => {
    expect(stageDetours(loaded)).toEqual([])
  })

  it('keep every vendor out of the core', () => {
    const vendor =
      /openai|anthropic|claude|gemini|mistral|groq|deepseek|bedrock|azure|vertex ?ai|cohere|openrouter|cerebras|perplexity|fireworks|ollama|vllm|llama\.?cpp|lm ?studio|moonshot|z\.ai/i
    const named = sources
      .filter(({ file }) => packageOf(file) === 'core')
      .flatMap(({ file, text }) =>
        text.split('\n').map((line, index) => ({ at: `${file}:${index + 1}`, line })),
      )
      .filter(({ line }) => vendor.test(line))
      .map(({ at, line }) => `${at} ${line.trim()}`)
    expect(named).toEqual([])
  })

  it('keep what only Node has out of core, providers and jwt', () => {
    const found = sources
      .filter(({ file }) => webOnly.includes(packageOf(file)) && file !== undiciTransport)
      .flatMap(({ file, text }) => namesUsed(file, text).map(name => ({ file, name })))
      .filter(({ name }) =>
        ['Buffer', 'process', 'global', '__dirname', '__filename', 'setImmediate'].includes(name),
      )
      .map(({ file, name }) => `${file} uses ${name}`)
    expect(found).toEqual([])
  })
})

describe('the rules see', () => {
  const core = 'packages/core/src'
  it.each([
    [`${core}/stages/limit.ts`, '../policies/api-keys.ts', true],
    [`${core}/stages/limit.ts`, './route.ts', false],
    [`${core}/stages/limit.ts`, '../pipeline.ts', false],
    [`${core}/stages/normalize/stream.ts`, '../call.ts', false],
    [`${core}/protocol/chat.ts`, '../stages/read.ts', true],
    [`${core}/protocol/chat.ts`, '../provider.ts', true],
    [`${core}/provider.ts`, './stages/read.ts', true],
    [`${core}/transports/fetch.ts`, '../stages/read.ts', true],
    [`${core}/slots.ts`, './policies/models.ts', false],
    [`${core}/slots.ts`, '#transport', false],
    [`${core}/policies/models.ts`, '../gateway.ts', false],
    [`${core}/pipeline.ts`, './gateway.ts', false],
    [`${core}/stages/read.ts`, 'zod', false],
    [`${core}/transports/fetch.ts`, 'undici', false],
    [`${core}/slots.ts`, 'node:events', false],
    [`${core}/slots.ts`, 'events', false],
    [`${core}/slots.ts`, '@sluice/providers', true],
    [`${core}/slots.ts`, './index.ts', true],
    ['packages/providers/src/openai.ts', 'node:crypto', false],
    ['packages/jwt/src/index.ts', 'node:crypto', false],
    ['packages/redis/src/index.ts', '@sluice/postgres', true],
    ['packages/core/src/index.ts', '@sluice/redis', true],
    ['packages/providers/src/openai.ts', '@sluice/node', false],
    ['packages/providers/src/openai.ts', '../../core/src/errors.ts', false],
    ['packages/node/src/listener.ts', '@sluice/core', false],
    ['packages/node/src/listener.ts', '@sluice/express', true],
    ['packages/express/src/index.ts', '@sluice/core', false],
    ['packages/express/src/index.ts', 'express', false],
    ['packages/koa/src/index.ts', '@sluice/express', true],
    ['packages/testing/src/index.ts', '@sluice/providers', true],
    ['packages/node/src/listener.ts', 'undeclared', true],
    ['packages/providers/src/openai.ts', 'zod', false],
    ['packages/telemetry/src/index.ts', '@sluice/node', false],
  ])('%s must not import %s (type only: %s)', (file, specifier, type) => {
    expect(faultsOf({ file, specifier, type })).not.toEqual([])
  })

  it.each([
    [`${core}/stages/limit.ts`, './route.ts', true],
    [`${core}/stages/normalize/stream.ts`, './usage.ts', false],
    [`${core}/policies/models.ts`, '../stages/route.ts', false],
    [`${core}/pipeline.ts`, './stages/route.ts', false],
    [`${core}/gateway.ts`, './pipeline.ts', false],
    [`${core}/gateway.ts`, '#transport', false],
    [`${core}/protocol/schema.ts`, 'zod', false],
    ['packages/node/src/listener.ts', '@sluice/core', true],
    ['packages/node/src/listener.ts', 'node:http', false],
    ['packages/express/src/index.ts', '@sluice/node', false],
    ['packages/providers/src/openai.ts', '@sluice/core', false],
  ])('%s may import %s (type only: %s)', (file, specifier, type) => {
    expect(faultsOf({ file, specifier, type })).toEqual([])
  })

  it('a value where a type is imported beside it', () => {
    const read = (text: string) => importsOf('packages/core/src/a.ts', text).map(({ type }) => type)
    expect(read(`import type { A } from './b.ts'`)).toEqual([true])
    expect(read(`export type { A } from './b.ts'`)).toEqual([true])
    expect(read(`type A = import('./b.ts').A`)).toEqual([true])
    expect(read(`import { type A } from './b.ts'`)).toEqual([false])
    expect(read(`export * from './b.ts'`)).toEqual([false])
    expect(read(`await import('./b.ts')`)).toEqual([false])
    expect(read(`require('./b.ts')`)).toEqual([false])
  })

  it('a detour from stage to stage', () => {
    const edge = (from: string, to: string) => ({
      file: `packages/core/src/${from}`,
      specifier: to,
      type: false,
    })
    const toThird = edge('stages/call.ts', '../third.ts')
    expect(stageDetours([toThird, edge('third.ts', './stages/route.ts')])).toHaveLength(1)
    expect(
      stageDetours([toThird, edge('third.ts', './errors.ts'), edge('pipeline.ts', './stages/call.ts')]),
    ).toEqual([])
  })

  it('a circle', () => {
    const edge = (from: string, to: string) => ({
      file: `packages/core/src/${from}.ts`,
      specifier: `./${to}.ts`,
      type: false,
    })
    expect(circles([edge('a', 'b'), edge('b', 'c'), edge('c', 'b')])).toHaveLength(1)
    expect(circles([edge('a', 'b'), edge('a', 'c'), edge('b', 'c')])).toEqual([])
  })
})

const undiciTransport = join('packages', 'core', 'src', 'transports', 'undici.ts')

/** What runs on Node, Bun, Deno and edge runtimes alike. */
const webOnly = ['core', 'providers', 'jwt', 'console']

/** Which packages each package may use: for all, or for their types alone. */
const uses: Record<string, { readonly all: readonly string[]; readonly types: readonly string[] }> = {
  core: { all: [], types: [] },
  providers: { all: ['core'], types: [] },
  testing: { all: ['core'], types: [] },
  redis: { all: ['core'], types: [] },
  sqlite: { all: ['core'], types: [] },
  postgres: { all: ['core'], types: [] },
  jwt: { all: ['core'], types: [] },
  telemetry: { all: ['core'], types: [] },
  console: { all: ['core'], types: [] },
  cli: {
    all: ['console', 'core', 'jwt', 'node', 'postgres', 'providers', 'redis', 'sqlite', 'telemetry'],
    types: [],
  },
  node: { all: [], types: ['core'] },
  express: { all: ['node'], types: ['core'] },
  koa: { all: ['node'], types: ['core'] },
}

/** Each rule that an import breaks, in words. */
function faultsOf({ file, specifier, type }: Import): string[] {
  const say = (rule: string) => [`${file} imports ${type ? 'the types of ' : ''}${specifier}: ${rule}`]
  const from = packageOf(file)
  if (specifier.startsWith('.')) {
    const target = relative(root, resolve(root, dirname(file), specifier))
    if (packageOf(target) !== from) return say('a package is imported by its name')
    return from === 'core' ? roomFaults(insideCore(file), insideCore(target), type).flatMap(say) : []
  }
  if (specifier === '#page') return from === 'console' ? [] : say('only the console has a page')
  if (specifier === '#transport') {
    const chooses = from === 'core' && ['gateway', 'config'].includes(roomOf(insideCore(file)))
    return chooses ? [] : say('only the gateway and its defaults choose a transport')
  }
  if (specifier.startsWith('node:') || builtinModules.includes(specifier)) {
    if (webOnly.includes(from)) return say(`${from} runs on Web APIs alone`)
    return specifier.startsWith('node:') ? [] : say('what Node has is imported with `node:`')
  }
  const name = specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/')
  if (name.startsWith('@sluice/')) {
    const to = name.slice('@sluice/'.length)
    const allowed = uses[from]
    if (allowed?.all.includes(to) || (type && allowed?.types.includes(to))) return []
    return say(allowed?.types.includes(to) ? 'only its types may be used' : `${from} does not stand on it`)
  }
  if (name === 'zod' && from === 'core' && !insideCore(file).startsWith('protocol/')) {
    return say('schemas live in protocol/')
  }
  if (name === 'undici' && file !== undiciTransport) return say('undici lives in transports/undici.ts')
  if (['express', 'koa'].includes(from)) return say('a host is known by its structure, not by its package')
  // What tests make gateways with ends them with the test.
  if (name === 'vitest' && file.endsWith('/scripted-gateway.ts')) return []
  if (!dependencies.get(from)?.includes(name)) return say(`package.json of ${from} does not name it`)
  return []
}

/** The rules between the rooms of core; both paths are relative to its `src`. */
function roomFaults(from: string, to: string, type: boolean): string[] {
  const source = roomOf(from)
  const target = roomOf(to)
  if (target === 'index') return ['nobody imports the index']
  if (source === 'index') return []
  if (target === 'gateway') return ['only the index imports the gateway']
  if (target === 'pipeline' && source !== 'gateway') return ['only the gateway imports the pipeline']
  if (source === 'protocol' || source === 'errors') {
    return ['protocol', 'errors'].includes(target) ? [] : ['the protocol stands on nothing else']
  }
  if (source === 'transport' || source === 'provider') {
    const below = ['protocol', 'errors', 'transport', 'provider']
    return below.includes(target) ? [] : ['the wire contracts stand on the protocol alone']
  }
  if (target === 'policies' && !['policies', 'gateway', 'config'].includes(source)) {
    return ['policies are chosen outside; a contract belongs to its stage']
  }
  if (source === 'stages' && target === 'stages' && !type && stageOf(from) !== stageOf(to)) {
    return ["a stage's functions are for the pipeline and the policies"]
  }
  return []
}

function roomOf(path: string): string {
  const [first = ''] = path.split('/')
  if (first === 'transports') return 'transport'
  if (first === 'options') return 'config'
  if (first === 'upstream-error.ts') return 'errors'
  // A further entry, and what tests make gateways with, stand outside, as the index does.
  if (first === 'openapi.ts' || first === 'scripted-gateway.ts') return 'index'
  const name = first.replace(/\.ts$/, '')
  const rooms = [
    'protocol',
    'errors',
    'transport',
    'provider',
    'stages',
    'policies',
    'pipeline',
    'config',
    'gateway',
    'index',
  ]
  return rooms.includes(name) ? name : 'rest'
}

/** `stages/normalize/stream.ts` and `stages/normalize.ts` are one stage. */
function stageOf(path: string): string | undefined {
  return path.startsWith('stages/') ? path.split('/')[1]?.replace(/\.ts$/, '') : undefined
}

function packageOf(file: string): string {
  return file.split(/[\\/]/)[1] ?? ''
}

function insideCore(file: string): string {
  return file.split(/[\\/]/).slice(3).join('/')
}

function declaredDependencies(name: string): string[] {
  const manifest: { dependencies?: object; peerDependencies?: object } = JSON.parse(
    readFileSync(join(root, 'packages', name, 'package.json'), 'utf8'),
  )
  return [...Object.keys(manifest.dependencies ?? {}), ...Object.keys(manifest.peerDependencies ?? {})]
}

function importsOf(file: string, text: string): Import[] {
  const found: Import[] = []
  const add = (node: ts.Expression | undefined, type: boolean) => {
    if (node !== undefined && ts.isStringLiteralLike(node)) found.push({ file, specifier: node.text, type })
  }
  const visit = (node: ts.Node): void => {
    if (ts.isImportDeclaration(node)) {
      add(node.moduleSpecifier, node.importClause?.phaseModifier === ts.SyntaxKind.TypeKeyword)
    } else if (ts.isExportDeclaration(node)) {
      add(node.moduleSpecifier, node.isTypeOnly)
    } else if (ts.isImportTypeNode(node) && ts.isLiteralTypeNode(node.argument)) {
      if (ts.isStringLiteral(node.argument.literal)) add(node.argument.literal, true)
    } else if (ts.isCallExpression(node)) {
      const called = node.expression
      const loads =
        called.kind === ts.SyntaxKind.ImportKeyword || (ts.isIdentifier(called) && called.text === 'require')
      if (loads) add(node.arguments[0], false)
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true))
  return found
}

/** The names that a file uses by themselves: not as a property, a key or a type. */
function namesUsed(file: string, text: string): string[] {
  const names: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return
    if (ts.isIdentifier(node)) {
      const { parent } = node
      const key =
        (ts.isPropertyAccessExpression(parent) && parent.name === node) ||
        ((ts.isPropertyAssignment(parent) || ts.isMethodDeclaration(parent)) && parent.name === node) ||
        ts.isPropertySignature(parent) ||
        ts.isMethodSignature(parent)
      if (!key) names.push(node.text)
    }
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile(file, text, ts.ScriptTarget.ES2023, true))
  return names
}

/** Ways over which a stage loads another, each by its last step. */
function stageDetours(edges: readonly Import[]): string[] {
  const next = relativeImports(edges)
  const stages = [...next.keys()].filter(
    file => packageOf(file) === 'core' && stageOf(insideCore(file)) !== undefined,
  )
  return stages.flatMap(start => {
    const own = stageOf(insideCore(start))
    const seen = new Set([start])
    const found: string[] = []
    for (const file of seen) {
      for (const target of next.get(file) ?? []) {
        const stage = stageOf(insideCore(target))
        if (stage !== undefined && stage !== own) found.push(`${start} reaches ${target} by way of ${file}`)
        else seen.add(target)
      }
    }
    return found
  })
}

/** The circles among relative imports, each once. */
function circles(edges: readonly Import[]): string[] {
  const next = relativeImports(edges)
  const done = new Set<string>()
  const found: string[] = []
  const walk = (file: string, path: readonly string[]): void => {
    if (path.includes(file)) {
      found.push([...path.slice(path.indexOf(file)), file].join(' -> '))
      return
    }
    if (done.has(file)) return
    for (const target of next.get(file) ?? []) walk(target, [...path, file])
    done.add(file)
  }
  for (const file of next.keys()) walk(file, [])
  return found
}

/** Of each file, the files of its own package that it imports. */
function relativeImports(edges: readonly Import[]): Map<string, string[]> {
  const next = new Map<string, string[]>()
  for (const { file, specifier } of edges.filter(({ specifier }) => specifier.startsWith('.'))) {
    const target = relative(root, resolve(root, dirname(file), specifier))
    next.set(file, [...(next.get(file) ?? []), target])
  }
  return next
}

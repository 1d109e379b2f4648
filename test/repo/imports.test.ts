import { readdirSync, readFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

// The dependency rules of the project, held over the sources of all packages. Tests are free of them.

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

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
const dependencies = new Map(
  readdirSync(join(root, 'packages')).map(name => [name, declaredDependencies(name)] as const),
)

describe('dependency rules', () => {
  it('reads every package', () => {
    const packages = new Set(sources.map(({ file }) => packageOf(file)))
    expect([...packages].sort()).toEqual([
      'alerts',
      'cli',
      'console',
      'core',
      'express',
      'hooks',
      'jwt',
      'koa',
      'log',
      'node',
      'postgres',
      'prices',
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

  it('have no circle of imports, those of types included', () => {
    expect(circles(imports)).toEqual([])
  })

  it('leave only entries at the root of core', () => {
    const atRoot = sources
      .map(({ file }) => file)
      .filter(file => packageOf(file) === 'core' && !insideCore(file).includes('/'))
    expect(atRoot.map(insideCore).sort()).toEqual(entries)
  })

  it('leave contracts without code', () => {
    const emits = sources
      .filter(({ file }) => packageOf(file) === 'core' && insideCore(file).startsWith('contracts/'))
      .filter(
        ({ text }) =>
          emitted(text)
            .replace(/^export \{\};?$/m, '')
            .trim() !== '',
      )
    expect(emits.map(({ file }) => file)).toEqual([])
  })

  it('keep every vendor out of the core, but in the names of its protocol', () => {
    const wireNames = ['dialects/messages/wire-names.ts', 'dialects/responses/wire-names.ts']
    const vendor =
      /openai|anthropic|claude|gemini|mistral|groq|deepseek|bedrock|azure|vertex ?ai|cohere|openrouter|cerebras|perplexity|fireworks|ollama|vllm|llama\.?cpp|lm ?studio|moonshot|z\.ai/i
    const named = sources
      .filter(({ file }) => packageOf(file) === 'core' && !wireNames.includes(insideCore(file)))
      .flatMap(({ file, text }) =>
        text.split('\n').map((line, index) => ({ at: `${file}:${index + 1}`, line })),
      )
      .filter(({ line }) => vendor.test(line))
      .map(({ at, line }) => `${at} ${line.trim()}`)
    expect(named).toEqual([])
  })

  it.each(['messages', 'responses'])(
    'keep names of a vendor that a protocol has in one file, of constants only: %s',
    name => {
      const wireNames = join('packages', 'core', 'src', 'dialects', name, 'wire-names.ts')
      const lines = sources.find(({ file }) => file === wireNames)?.text.split('\n') ?? []
      expect(lines.length).toBeGreaterThan(3)
      expect(lines.filter(line => !/^$|^\/\*\* .* \*\/$|^export const \w+ = '[\w:-]+'$/.test(line))).toEqual(
        [],
      )
      expect(lines.filter(line => line.startsWith('/**') && /anthropic|claude/i.test(line))).toEqual([])
    },
  )

  it('keep what only Node has out of core, providers, jwt and prices', () => {
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
    [`${core}/rate-limiting/limit.ts`, '../auth/api-keys.ts', true],
    [`${core}/rate-limiting/limit.ts`, '../routing/route.ts', false],
    [`${core}/rate-limiting/limit.ts`, '../gateway/pipeline.ts', false],
    [`${core}/contracts/principal.ts`, '../auth/authenticate.ts', true],
    [`${core}/protocol/chat.ts`, '../contracts/provider.ts', true],
    [`${core}/primitives/sha256.ts`, '../errors/errors.ts', true],
    [`${core}/dialects/chat/schema.ts`, '../messages/schema.ts', true],
    [`${core}/errors/errors.ts`, '../index.ts', true],
    [`${core}/other/file.ts`, '../errors/errors.ts', true],
    [`${core}/upstream/concurrency-slots.ts`, '#transport', false],
    [`${core}/auth/authenticate.ts`, 'zod', false],
    [`${core}/transports/fetch.ts`, 'undici', false],
    [`${core}/upstream/concurrency-slots.ts`, 'node:events', false],
    [`${core}/upstream/concurrency-slots.ts`, 'events', false],
    [`${core}/upstream/concurrency-slots.ts`, '@sluice/providers', true],
    ['packages/providers/src/openai.ts', 'node:crypto', false],
    ['packages/jwt/src/index.ts', 'node:crypto', false],
    ['packages/redis/src/index.ts', '@sluice/postgres', true],
    ['packages/core/src/index.ts', '@sluice/redis', true],
    ['packages/providers/src/openai.ts', '@sluice/node', false],
    ['packages/providers/src/openai.ts', '../../core/src/errors.ts', false],
    ['packages/node/src/listener.ts', '@sluice/core', false],
    ['packages/node/src/listener.ts', '@sluice/core/store', false],
    ['packages/express/src/index.ts', '@sluice/core/adapter', false],
    ['packages/node/src/listener.ts', '@sluice/express', true],
    ['packages/express/src/index.ts', '@sluice/core', false],
    ['packages/express/src/index.ts', 'express', false],
    ['packages/koa/src/index.ts', '@sluice/express', true],
    ['packages/testing/src/index.ts', '@sluice/providers', true],
    ['packages/node/src/listener.ts', 'undeclared', true],
    ['packages/providers/src/openai.ts', 'zod', false],
    ['packages/telemetry/src/index.ts', '@sluice/node', false],
    ['packages/log/src/index.ts', '@sluice/sqlite', true],
    ['packages/sqlite/src/index.ts', '@sluice/log', true],
  ])('%s must not import %s (type only: %s)', (file, specifier, type) => {
    expect(faultsOf({ file, specifier, type })).not.toEqual([])
  })

  it.each([
    [`${core}/auth/api-keys.ts`, '../rate-limiting/rule.ts', false],
    [`${core}/auth/api-keys.ts`, './key-record.ts', false],
    [`${core}/gateway/gateway.ts`, './pipeline.ts', false],
    [`${core}/gateway/resolve.ts`, '#transport', false],
    [`${core}/validation/fast-schema.ts`, 'zod', false],
    [`${core}/dialects/chat/schema.ts`, './message-schema.ts', true],
    ['packages/node/src/listener.ts', '@sluice/core', true],
    ['packages/node/src/listener.ts', '@sluice/core/adapter', false],
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
const webOnly = ['core', 'providers', 'hooks', 'jwt', 'prices', 'console', 'log']

/** Which packages each package may use, or which entry of one: for all, or for their types alone. */
const uses: Record<string, { readonly all: readonly string[]; readonly types: readonly string[] }> = {
  core: { all: [], types: [] },
  providers: { all: ['core'], types: [] },
  testing: { all: ['core'], types: [] },
  redis: { all: ['core'], types: [] },
  sqlite: { all: ['core'], types: [] },
  postgres: { all: ['core'], types: [] },
  hooks: { all: ['core'], types: [] },
  jwt: { all: ['core'], types: [] },
  prices: { all: ['core'], types: [] },
  telemetry: { all: ['core'], types: [] },
  log: { all: ['core'], types: [] },
  alerts: { all: ['core', 'node/adapter'], types: [] },
  console: { all: ['core'], types: [] },
  cli: {
    all: [
      'alerts',
      'console',
      'core',
      'hooks',
      'jwt',
      'log',
      'node',
      'postgres',
      'prices',
      'providers',
      'redis',
      'sqlite',
      'telemetry',
      'testing/simulation',
    ],
    types: [],
  },
  node: { all: ['core/adapter'], types: ['core'] },
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
    return from === 'core' ? folderFaults(insideCore(file), insideCore(target)).flatMap(say) : []
  }
  if (specifier === '#page') return from === 'console' ? [] : say('only the console has a page')
  if (specifier === '#transport') {
    const chooses = from === 'core' && insideCore(file).startsWith('gateway/')
    return chooses ? [] : say('only the gateway chooses a transport')
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
    if (allowed?.all.includes(specifier.slice('@sluice/'.length))) return []
    return say(allowed?.types.includes(to) ? 'only its types may be used' : `${from} does not stand on it`)
  }
  if (name === 'zod' && from === 'core' && !/^(validation|dialects)\//.test(insideCore(file))) {
    return say('schemas live in validation/ and dialects/')
  }
  if (name === 'undici' && file !== undiciTransport) return say('undici lives in transports/undici.ts')
  if (['express', 'koa'].includes(from)) return say('a host is known by its structure, not by its package')
  if (!dependencies.get(from)?.includes(name)) return say(`package.json of ${from} does not name it`)
  return []
}

/**
 * The folders of core in their order: each imports only those before it, types included. The words of the product are
 * `validation`, `auth`, `rate-limiting`, `routing` and `normalization`.
 */
const folders = [
  'primitives',
  'clock',
  'errors',
  'protocol',
  'conversation',
  'contracts',
  'usage',
  'stores',
  'http',
  'transports',
  'validation',
  'observability',
  'rate-limiting',
  'auth',
  'routing',
  'accounting',
  'caching',
  'hooks',
  'upstream',
  'normalization',
  'dialects',
  'gateway',
  'openapi',
]

/** What lies at the root of core: the entries of the package. */
const entries = [
  'adapter.ts',
  'dialect.ts',
  'index.ts',
  'keys.ts',
  'ledger.ts',
  'limits.ts',
  'openapi.ts',
  'provider.ts',
  'routing.ts',
  'store.ts',
]

/** The rules between the folders of core; both paths are relative to its `src`. */
function folderFaults(from: string, to: string): string[] {
  if (entries.includes(to)) return ['nobody imports an entry']
  if (entries.includes(from)) return []
  const [source = '', dialect] = from.split('/')
  const [target = '', otherDialect] = to.split('/')
  if (!folders.includes(source)) return [`${from} lies in no folder of the list`]
  if (folders.indexOf(target) > folders.indexOf(source)) return [`${target}/ stands above ${source}/`]
  if (source === 'dialects' && target === 'dialects' && dialect !== otherDialect) {
    return ['a dialect imports nothing of another']
  }
  return []
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

/** What is left of a file at run time. */
function emitted(text: string): string {
  const compilerOptions = {
    target: ts.ScriptTarget.ES2023,
    module: ts.ModuleKind.ESNext,
    verbatimModuleSyntax: true,
    removeComments: true,
  }
  return ts.transpileModule(text, { compilerOptions }).outputText
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

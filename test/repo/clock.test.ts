import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

// Core and providers take time, timers and randomness as arguments. Tests are free of it.

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..')

/** The only files that use what the platform has of it. */
const platform = [
  'packages/core/src/clock/clock.ts',
  'packages/core/src/primitives/random.ts',
  'packages/providers/src/wire/wall-clock.ts',
  // A vendor of its own, which answers in this process.
  'packages/providers/src/local/pace.ts',
]

/** The files of core that give it to others, as nobody gives it to them: what users create, by itself. */
const boundary = [
  'accounting/batched-ledger.ts',
  'auth/api-keys.ts',
  'auth/issued-keys.ts',
  'auth/key-cache.ts',
  'caching/memory-cache-store.ts',
  'stores/memory-response-store.ts',
  'gateway/guard-callbacks.ts',
  'gateway/resolve.ts',
  'rate-limiting/limits.ts',
  'routing/models.ts',
  'stores/store-clock.ts',
  'transports/undici.ts',
  // Ids that are compared with each other, and mean nothing.
  'primitives/uuidv7.ts',
  'upstream/health/health-sync.ts',
]

const sources = ['packages/core/src', 'packages/providers/src'].flatMap(folder =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile() && entry.name.endsWith('.ts') && !entry.name.endsWith('.test.ts'))
    .map(entry => relative(root, join(entry.parentPath, entry.name)).replaceAll('\\', '/'))
    .map(file => ({ file, text: readFileSync(join(root, file), 'utf8') })),
)

describe('time, timers and randomness', () => {
  it('are those of the platform in a few files alone', () => {
    const users = sources.filter(({ text }) => impureUses(text).length > 0).map(({ file }) => file)
    expect(users.length).toBeGreaterThan(0)
    expect(users.filter(file => !platform.includes(file))).toEqual([])
  })

  it('are given by what users create', () => {
    const given = sources.filter(({ text }) => importsSource(text))
    expect(given.map(({ file }) => file.replace('packages/core/src/', '')).sort()).toEqual(
      [...boundary].sort(),
    )
  })
})

describe('the rule sees', () => {
  it.each([
    'setTimeout(run, 5)',
    'const timer = globalThis.setTimeout',
    'setInterval(run)',
    'clearTimeout(timer)',
    'setImmediate(run)',
    'now = Date.now',
    'const { now } = Date',
    'new Date()',
    'Date()',
    'performance.now()',
    'const { random } = Math',
    'const { floor, random: draw } = Math',
    'Math.random()',
    "Math['random']()",
    'crypto.randomUUID()',
    'globalThis.crypto.getRandomValues(bytes)',
    'AbortSignal.timeout(5)',
  ])('%s', text => {
    expect(impureUses(text)).not.toEqual([])
  })

  it.each([
    'new Date(5).getTime()',
    'Date.UTC(2000, 0)',
    'Date.parse(text)',
    'value instanceof Date',
    'let timer: ReturnType<typeof setTimeout>',
    'Math.floor(5.5)',
    "crypto.subtle.digest('SHA-256', bytes)",
    'const { subtle } = crypto',
    'class A { constructor() {} }',
    'clock.setTimeout(5)',
    'AbortSignal.any(signals)',
    'const random = 5',
  ])('nothing wrong with %s', text => {
    expect(impureUses(text)).toEqual([])
  })
})

/** Globals that are impure in whatever way they are used. */
const impure = [
  'setTimeout',
  'setInterval',
  'setImmediate',
  'clearTimeout',
  'clearInterval',
  'clearImmediate',
  'performance',
]

/** Globals of which these members alone are pure. */
const pureMembers: Record<string, (member: string) => boolean> = {
  Date: member => ['UTC', 'parse', 'prototype'].includes(member),
  Math: member => member !== 'random',
  crypto: member => ['subtle', 'hash'].includes(member),
  AbortSignal: member => member !== 'timeout',
}

/** Where a text uses time, timers or randomness of the platform. */
function impureUses(text: string): string[] {
  const found: string[] = []
  const visit = (node: ts.Node): void => {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node)) return
    if (ts.isIdentifier(node) && isGlobal(node) && !isPure(node)) found.push(node.parent.getText())
    ts.forEachChild(node, visit)
  }
  visit(ts.createSourceFile('a.ts', text, ts.ScriptTarget.ES2023, true))
  return found
}

/** Not the name of a member, but for that of `globalThis`, and not a declaration. */
function isGlobal({ parent, text }: ts.Identifier): boolean {
  if (!impure.includes(text) && !Object.hasOwn(pureMembers, text)) return false
  if (ts.isPropertyAccessExpression(parent) && parent.name.text === text) {
    return parent.expression.getText() === 'globalThis'
  }
  const named =
    ts.isPropertyAssignment(parent) || ts.isPropertySignature(parent) || ts.isVariableDeclaration(parent)
  return !(named && parent.name.getText() === text)
}

function isPure(node: ts.Identifier): boolean {
  const members = pureMembers[node.text]
  if (members === undefined) return false
  const whole = ts.isPropertyAccessExpression(node.parent) && node.parent.name === node ? node.parent : node
  const { parent } = whole
  if (ts.isPropertyAccessExpression(parent)) return members(parent.name.text)
  if (ts.isVariableDeclaration(parent) && ts.isObjectBindingPattern(parent.name)) {
    return parent.name.elements.every(({ name, propertyName }) => members((propertyName ?? name).getText()))
  }
  if (ts.isNewExpression(parent)) return (parent.arguments?.length ?? 0) > 0 || node.text !== 'Date'
  return ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.InstanceOfKeyword
}

/** Whether a file imports the clock of the process, or its randomness, as a value. */
function importsSource(text: string): boolean {
  const { statements } = ts.createSourceFile('a.ts', text, ts.ScriptTarget.ES2023, true)
  return statements.filter(ts.isImportDeclaration).some(({ moduleSpecifier, importClause }) => {
    const from = (moduleSpecifier as ts.StringLiteral).text
    const names = importClause?.namedBindings
    if (names === undefined || !ts.isNamedImports(names)) return false
    const values = names.elements.map(({ name, propertyName }) => (propertyName ?? name).text)
    if (from.endsWith('/clock.ts')) return values.includes('systemClock')
    return from.endsWith('/random.ts')
  })
}

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { describe, expect, it } from 'vitest'

// The public names of core: how many `.` has, where each value lives, and that the types of signatures can be imported.

const core = join(import.meta.dirname, '../../packages/core')
const manifest: { readonly exports: Readonly<Record<string, unknown>> } = JSON.parse(
  readFileSync(join(core, 'package.json'), 'utf8'),
)
const entries = Object.keys(manifest.exports).filter(entry => !entry.endsWith('.json'))

const names = new Map(entries.map(entry => [entry, fileOf(entry)] as const))
const program = ts.createProgram([...names.values()], {
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.NodeNext,
  allowImportingTsExtensions: true,
  noEmit: true,
  // Names are resolved, and nothing is checked: what the platform declares is not read.
  noLib: true,
  types: [],
})
const checker = program.getTypeChecker()

/** The public names of each entry, and what they stand for. */
const exported = new Map([...names].map(([entry, file]) => [entry, exportsOf(file)] as const))

describe('the entries of @sluice/core', () => {
  it('are those of its design', () => {
    expect(entries).toEqual([
      '.',
      './routing',
      './limits',
      './keys',
      './ledger',
      './provider',
      './dialect',
      './store',
      './adapter',
      './openapi',
    ])
  })

  it('give an application at most 30 values', () => {
    expect(valuesOf('.').length).toBeGreaterThan(20)
    expect(valuesOf('.').length).toBeLessThanOrEqual(30)
  })

  it('have one home for each value, which `.` may repeat', () => {
    const homes = new Map<string, string[]>()
    for (const entry of entries.filter(entry => entry !== '.')) {
      for (const name of valuesOf(entry)) homes.set(name, [...(homes.get(name) ?? []), entry])
    }
    expect([...homes].filter(([, found]) => found.length > 1)).toEqual([])
  })

  it('mean the same by the same name', () => {
    const meanings = new Map<string, Set<ts.Symbol>>()
    for (const of of exported.values()) {
      for (const [name, symbol] of of) meanings.set(name, (meanings.get(name) ?? new Set()).add(symbol))
    }
    expect([...meanings].filter(([, found]) => found.size > 1).map(([name]) => name)).toEqual([])
  })

  it.each(entries)('export each type that a signature mentions: %s', entry => {
    expect(missing(entry, mentionedBy(valuesOf(entry).map(name => exported.get(entry)!.get(name)!)))).toEqual(
      [],
    )
  })

  it('export each type that an option mentions from `.`', () => {
    const of = exported.get('.')!
    const signatures = mentionedBy(valuesOf('.').map(name => of.get(name)!))
    const types = [...signatures].filter(symbol => (symbol.flags & ts.SymbolFlags.Value) === 0)
    const known = new Set([...exported.values()].flatMap(names => [...names.values()]))
    const mentioned = [...mentionedBy(types)].filter(symbol => known.has(symbol))
    expect(mentioned.length).toBeGreaterThan(40)
    expect(missing('.', new Set(mentioned))).toEqual([])
  })
})

/** Aliases that only shorten an exported type. */
const aliases = ['Fitting']

it('export each type that an exported type mentions, from one of them', () => {
  const known = new Set([...exported.values()].flatMap(names => [...names.values()]))
  const mentioned = mentionedBy([...known])
  expect(mentioned.size).toBeGreaterThan(150)
  expect([...mentioned].filter(symbol => !known.has(symbol)).map(({ name }) => name)).toEqual(aliases)
})

function fileOf(entry: string): string {
  return join(core, 'src', `${entry === '.' ? 'index' : entry.slice(2)}.ts`)
}

function exportsOf(file: string): ReadonlyMap<string, ts.Symbol> {
  const source = program.getSourceFile(file)
  const module = source === undefined ? undefined : checker.getSymbolAtLocation(source)
  if (module === undefined) throw new Error(`${file} exports nothing`)
  return new Map(checker.getExportsOfModule(module).map(symbol => [symbol.name, declared(symbol)]))
}

function declared(symbol: ts.Symbol): ts.Symbol {
  return (symbol.flags & ts.SymbolFlags.Alias) === 0 ? symbol : checker.getAliasedSymbol(symbol)
}

function valuesOf(entry: string): string[] {
  return [...(exported.get(entry) ?? [])]
    .filter(([, symbol]) => (symbol.flags & ts.SymbolFlags.Value) !== 0)
    .map(([name]) => name)
}

/** The types of core that declarations name, bodies and private members left out. */
function mentionedBy(symbols: readonly ts.Symbol[]): Set<ts.Symbol> {
  const found = new Set<ts.Symbol>()
  const add = (name: ts.Node) => {
    const symbol = checker.getSymbolAtLocation(name)
    const meant = symbol === undefined ? undefined : declared(symbol)
    const ours = meant?.declarations?.some(
      declaration =>
        declaration.getSourceFile().fileName.startsWith(core.replaceAll('\\', '/')) &&
        !ts.isTypeParameterDeclaration(declaration),
    )
    if (meant !== undefined && ours === true) found.add(meant)
  }
  const visit = (node: ts.Node): void => {
    if (ts.isBlock(node)) return
    if (ts.isClassElement(node) && node.name !== undefined && ts.isPrivateIdentifier(node.name)) return
    if (ts.isTypeReferenceNode(node)) add(node.typeName)
    if (ts.isExpressionWithTypeArguments(node)) add(node.expression)
    ts.forEachChild(node, visit)
  }
  for (const symbol of symbols) for (const declaration of symbol.declarations ?? []) visit(declaration)
  return found
}

function missing(entry: string, mentioned: ReadonlySet<ts.Symbol>): string[] {
  const own = new Set(exported.get(entry)?.values())
  return [...mentioned].filter(symbol => !own.has(symbol)).map(({ name }) => name)
}

import type { Target } from '../contracts/provider.ts'
import type { ReferredBy, Route, RoutedTarget } from '../contracts/route.ts'
import { configurationError } from '../errors/configuration-error.ts'
import { isTarget } from '../validation/is-target.ts'
import { checkTarget, type EntryPath } from './entry-checks.ts'
import { inOrder } from './linked-combinations.ts'
import { fixedStep, type LinkedRoute, type NameScope, type RouteNode } from './linked-route.ts'
import { candidateList } from './route.ts'

/** A route built from entries. `Ref` are the names of other models in it, which `models({...})` resolves. */
export interface CombinedRoute<Ref extends string = never> extends Route<string, Ref> {
  /** Returns its targets. Throws `TypeError` if it has names and is not part of a model table. */
  targets(): readonly Target[]
  readonly [routeInternals]: unknown
}

const nothing: NameScope = {
  find(name) {
    throw new TypeError(`No table has '${name}'.`)
  },
}

/** Builds a route from nodes. `make` links them once their names are resolved. */
export function combinedRoute<Ref extends string>(
  parts: readonly RouteNode[],
  make: (steps: readonly LinkedRoute[]) => LinkedRoute,
): CombinedRoute<Ref> {
  const names = namesOf(parts)
  const link = (scope: NameScope) => make(parts.map(part => part.link(scope)))
  // A route without names is linked at once, so that errors are thrown here.
  const own = names.length === 0 ? link(nothing) : undefined
  const part: RouteNode = { names, link: own === undefined ? link : () => own }
  const found = () => {
    if (own === undefined) throw new TypeError(`Expected ${looseText(names)}.`)
    return own
  }
  const route: Route<string, Ref> = (draft, context) => found().resolve(draft, context)
  return Object.assign(route, { targets: () => found().targets, [routeInternals]: part })
}

/** Returns what was expected of a route outside of a model table, or `undefined` if it is valid there. */
export function unresolvedNames(route: unknown): string | undefined {
  const names = routeNodeOf(route)?.names ?? []
  return names.length === 0 ? undefined : looseText(names)
}

function looseText(names: readonly string[]): string {
  const shown = [...new Set(names)].map(name => `'${name}'`).join(', ')
  return `a route that has no names of other entries outside of models({...}), and it has ${shown}`
}

/** The key of the internal node of a route. It marks the routes that this package builds. */
export const routeInternals: unique symbol = Symbol.for('sluice.route')

/** Validates the entries of a route. Throws `ConfigurationError` for an invalid one. */
export function partsOf(entries: readonly unknown[], source: string): readonly RouteNode[] {
  if (entries.length === 0)
    throw configurationError(source, [], entries, 'at least one entry, such as a target')
  return entries.map((entry, at) => linkRoute(entry, { source, path: [at] }))
}

/** Validates an entry. Throws `ConfigurationError` for an invalid one. */
export function linkRoute(entry: unknown, at: EntryPath): RouteNode {
  if (typeof entry === 'string' && entry !== '') return { names: [entry], link: scope => scope.find(entry) }
  if (isVendor(entry)) {
    throw configurationError(
      at.source,
      at.path,
      entry,
      "a target rather than a provider: provider('its-model')",
    )
  }
  if (typeof entry === 'function') return partOfRoute(entry as Route)
  if (Array.isArray(entry)) return partOfList(entry, at)
  if (!isTarget(entry)) {
    const expected =
      "a target, such as provider('its-model'), the name of another entry, a list of entries, or a route"
    throw configurationError(at.source, at.path, entry, expected)
  }
  checkTarget(entry, at)
  const step = fixedStep(Object.freeze([entry]), `${entry.provider.name}/${entry.model}`)
  return { names: [], link: () => step }
}

function partOfList(entries: readonly unknown[], at: EntryPath): RouteNode {
  const { source, path } = at
  if (entries.length === 0) throw configurationError(source, path, entries, 'a list with at least one entry')
  const parts = entries.map((entry, at) => linkRoute(entry, { source, path: [...path, at] }))
  return { names: namesOf(parts), link: scope => inOrder(parts.map(part => part.link(scope))) }
}

function namesOf(parts: readonly RouteNode[]): readonly string[] {
  return parts.flatMap(({ names }) => names)
}

/** Returns the internal node of a route, or `undefined` for a custom route. */
export function routeNodeOf(route: unknown): RouteNode | undefined {
  return typeof route === 'function' && routeInternals in route
    ? (route[routeInternals] as RouteNode)
    : undefined
}

/** Returns whether a value is a provider function that was not called with a model. */
export function isVendor(value: unknown): value is (model: string) => Target {
  return typeof value === 'function' && 'provider' in value
}

function partOfRoute(route: Route): RouteNode {
  const node = routeNodeOf(route)
  if (node !== undefined) return node
  const step: LinkedRoute = {
    fixed: undefined,
    get targets() {
      return route.targets?.() ?? []
    },
    // The `via` of its targets is only known when it is called.
    ways: [[]],
    id: 'route',
    resolve(draft, context) {
      const given: unknown = route(draft, context)
      return isThenable(given) ? Promise.resolve(given).then(candidateList) : candidateList(given)
    },
  }
  return { names: [], link: () => step }
}

function isThenable(value: unknown): value is PromiseLike<readonly RoutedTarget[]> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/**
 * The targets of a model: a target, a list for fallback in order, a route, or the name of another entry of the table. `Name`
 * are the names of that table.
 */
export type ModelEntry<Name extends string = string> =
  | Target
  | Name
  | Route<string, Name>
  | readonly ModelEntry<Name>[]

/**
 * The names of a table that an entry refers to, at any depth, for type checking. It is `string` for lists nested deeper than 8
 * levels.
 */
export type NamesIn<Entry, Depth extends readonly 0[] = []> = Depth['length'] extends 8
  ? string
  : Entry extends string
    ? Entry
    : Entry extends readonly (infer Item)[]
      ? NamesIn<Item, [...Depth, 0]>
      : Entry extends { readonly to: infer To }
        ? NamesIn<To, [...Depth, 0]>
        : ReferredBy<Entry>

import type { Target } from '../contracts/provider.ts'
import type { ReferredBy, Route, RoutedTarget } from '../contracts/route.ts'
import { configurationError } from '../errors/configuration-error.ts'
import { isTarget } from '../validation/is-target.ts'
import { inOrder } from './combined-steps.ts'
import { checkTarget, type EntryPath } from './entry-checks.ts'
import { candidateList } from './route.ts'
import { fixedStep, type LinkedRoute, type NameScope, type RouteNode } from './step.ts'

/** A route that is made of entries. `Ref` are the names in it: they are found when it stands in `models({...})`. */
export interface CombinedRoute<Ref extends string = never> extends Route<string, Ref> {
  /** Throws `TypeError` where it has names and stands in no table. */
  targets(): readonly Target[]
  readonly [routeInternals]: unknown
}

const nothing: NameScope = {
  find(name) {
    throw new TypeError(`No table has '${name}'.`)
  },
}

/** A route out of parts, of which `make` makes a step as soon as their names are found. */
export function combinedRoute<Ref extends string>(
  parts: readonly RouteNode[],
  make: (steps: readonly LinkedRoute[]) => LinkedRoute,
): CombinedRoute<Ref> {
  const names = namesOf(parts)
  const link = (scope: NameScope) => make(parts.map(part => part.link(scope)))
  // What has no names is made once, and tells at once what is wrong with it.
  const own = names.length === 0 ? link(nothing) : undefined
  const part: RouteNode = { names, link: own === undefined ? link : () => own }
  const found = () => {
    if (own === undefined) throw new TypeError(`Expected ${looseText(names)}.`)
    return own
  }
  const route: Route<string, Ref> = (draft, context) => found().ask(draft, context)
  return Object.assign(route, { targets: () => found().targets, [routeInternals]: part })
}

/** What was expected of a route that stands by itself; `undefined` where nothing is wrong with it. */
export function unresolvedNames(route: unknown): string | undefined {
  const names = routeNodeOf(route)?.names ?? []
  return names.length === 0 ? undefined : looseText(names)
}

function looseText(names: readonly string[]): string {
  const shown = [...new Set(names)].map(name => `'${name}'`).join(', ')
  return `a route that has no names of other entries outside of models({...}), and it has ${shown}`
}

/** Under it a route keeps what it is made of. */
export const routeInternals: unique symbol = Symbol.for('sluice.route')

/** Entries of a route, looked at. Throws `ConfigurationError` for what cannot be one. */
export function partsOf(entries: readonly unknown[], source: string): readonly RouteNode[] {
  if (entries.length === 0)
    throw configurationError(source, [], entries, 'an entry at least, such as a target')
  return entries.map((entry, at) => linkRoute(entry, { source, path: [at] }))
}

/** An entry, looked at. Throws `ConfigurationError` for what cannot be one. */
export function linkRoute(entry: unknown, place: EntryPath): RouteNode {
  if (typeof entry === 'string' && entry !== '') return { names: [entry], link: scope => scope.find(entry) }
  if (isVendor(entry)) {
    throw configurationError(place.source, place.path, entry, "a target, and no vendor: vendor('its-model')")
  }
  if (typeof entry === 'function') return partOfRoute(entry as Route)
  if (Array.isArray(entry)) return partOfList(entry, place)
  if (!isTarget(entry)) {
    const expected =
      "a target, such as vendor('its-model'), the name of another entry, a list of entries, or a route"
    throw configurationError(place.source, place.path, entry, expected)
  }
  checkTarget(entry, place)
  const step = fixedStep(Object.freeze([entry]), `${entry.provider.name}/${entry.model}`)
  return { names: [], link: () => step }
}

function partOfList(entries: readonly unknown[], place: EntryPath): RouteNode {
  const { source, path } = place
  if (entries.length === 0) throw configurationError(source, path, entries, 'a list with an entry at least')
  const parts = entries.map((entry, at) => linkRoute(entry, { source, path: [...path, at] }))
  return { names: namesOf(parts), link: scope => inOrder(parts.map(part => part.link(scope))) }
}

function namesOf(parts: readonly RouteNode[]): readonly string[] {
  return parts.flatMap(({ names }) => names)
}

/** What a route of this library is made of; `undefined` for one of the user's. */
export function routeNodeOf(route: unknown): RouteNode | undefined {
  return typeof route === 'function' && routeInternals in route
    ? (route[routeInternals] as RouteNode)
    : undefined
}

/** A function that makes targets, whose second call was forgotten; as a route it would be called with a draft. */
export function isVendor(value: unknown): value is (model: string) => Target {
  return typeof value === 'function' && 'provider' in value
}

function partOfRoute(route: Route): RouteNode {
  const made = routeNodeOf(route)
  if (made !== undefined) return made
  const step: LinkedRoute = {
    fixed: undefined,
    get targets() {
      return route.targets?.() ?? []
    },
    // Its `via` is known when it is called.
    ways: [[]],
    id: 'route',
    ask(draft, context) {
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
 * Where a model is answered: one place; several, of which the next is asked where one fails; a route; or the name of
 * another entry of the same table. `Name` are the names of that table.
 */
export type ModelEntry<Name extends string = string> =
  | Target
  | Name
  | Route<string, Name>
  | readonly ModelEntry<Name>[]

/**
 * The names of other entries that an entry refers to, at any depth. `string` where lists nest deeper than 8, as in the
 * recursive type `ModelEntry` itself.
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

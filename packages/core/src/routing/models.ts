import { systemClock } from '../clock/clock.ts'
import type { Provider, Target } from '../contracts/provider.ts'
import type { ModelCard, Refers, Route } from '../contracts/route.ts'
import {
  ConfigurationError,
  type ConfigurationIssue,
  configurationError,
} from '../errors/configuration-error.ts'
import { isTarget } from '../validation/is-target.ts'
import { linkRoute, type ModelEntry, type routeInternals } from './combined-route.ts'
import type { LinkedRoute, RouteNode } from './linked-route.ts'
import { TableScope } from './table-scope.ts'
import { isPattern, wildcards } from './wildcards.ts'

/** A route with a list of models. `Name` are their names. */
export interface ModelTable<Name extends string = string> extends Route<Name> {
  list(): readonly ModelCard[]
  patterns(): readonly string[]
  targets(): readonly Target[]
  targetsOf(model: string): readonly Target[]
  waysOf(model: string): readonly (readonly string[])[]
}

/**
 * A configured provider, as an entry of a pattern. Calling it with a model name returns a target; this type has only the member
 * by which it is recognized.
 */
export interface TargetMaker {
  readonly provider: Provider
}

/**
 * The entry of a pattern: a provider, which is called with the text that `*` matches; a function from that text to an entry,
 * or to `undefined` for an unknown model; or one entry for all names. A function may also return the name of another entry; if
 * there is none, the model is unknown.
 */
export type WildcardEntry<Name extends string = string> =
  | TargetMaker
  | ((name: string) => ModelEntry<Name> | undefined)
  | Target
  | Name
  | readonly ModelEntry<Name>[]
  | (Refers<Name> & { readonly [routeInternals]: unknown })

/** The names in requests: for a pattern, all names that match it. */
type Fitting<Name extends string> = Name extends `${infer Head}*${infer Tail}`
  ? `${Head}${string}${Tail}`
  : Name

/** What a name of a model table may have as its entry: a pattern also takes a provider or a function. */
export type TableEntry<Key extends string, Name extends string> = string extends Key
  ? ModelEntry | TargetMaker
  : Key extends `${string}*${string}`
    ? WildcardEntry<Fitting<Name>>
    : ModelEntry<Fitting<Name>>

/** Entries by model name, as used in requests. */
export type ModelEntries<Name extends string> = { readonly [Key in Name]: TableEntry<Key, NoInfer<Name>> }

/**
 * Defines the models of a gateway, by their names in requests. A list of targets is tried in order, as long as each fails
 * before its first content. An entry may refer to others: `{ big: a, small: b, smart: fallback('big', 'small') }`. A
 * principal then needs permission for `smart` and for the name that leads to the target.
 *
 * A name with a `*` is a pattern: `{ 'acme/*': acme }` calls the provider with the text that `*` matches. Exact names take
 * precedence, then the longest pattern. The text may have at most 256 letters, digits and `._:/@+~=,-`, and no `.` or `..`
 * between slashes; other names are unknown. Patterns are not listed in `GET /models`. The 1,000 most recently used names are
 * cached.
 *
 * Throws `ConfigurationError` for an invalid entry, an empty list or table, and for a name that is unknown or circular.
 *
 * @param now - returns milliseconds since 1970, for `created` in `GET /models`.
 */
export function models<const Name extends string>(
  table: ModelEntries<Name>,
  now: () => number = systemClock.now,
): ModelTable<Exclude<Name, `${string}*${string}`>> {
  const given = Object.entries<unknown>(table)
  if (given.length === 0) throw configurationError('models()', [], table, 'at least one model')
  const parts = new Map<string, RouteNode>()
  const issues: ConfigurationIssue[] = []
  for (const [name, entry] of given) {
    if (isPattern(name)) continue
    try {
      parts.set(name, linkRoute(entry, { source: 'models()', path: [name] }))
    } catch (error) {
      if (!ConfigurationError.is(error)) throw error
      issues.push(...error.issues)
    }
  }
  if (issues.length > 0) throw new ConfigurationError('models()', issues)
  const scope = new TableScope(parts, wildcards(given.filter(([name]) => isPattern(name))))
  const steps = new Map([...parts.keys()].map(name => [name, scope.stepOf(name)!] as const))
  const created = Math.floor(now() / 1000)
  const cards = given
    .filter(([name]) => !isPattern(name))
    .map(([id, entry]) => ({ id, created, owned_by: ownerOf(entry, steps.get(id)!) }))
  const route: Route = (draft, context) => {
    const step = steps.get(draft.model) ?? scope.stepOf(draft.model)
    if (step === undefined) return []
    context.match(step.entry)
    return step.fixed ?? step.resolve(draft, context)
  }
  return Object.assign(route as Route<Exclude<Name, `${string}*${string}`>>, {
    list: () => cards,
    patterns: () => given.map(([name]) => name).filter(isPattern),
    targets: () => [...[...steps.values()].flatMap(({ targets }) => targets), ...scope.patternTargets],
    targetsOf: (model: string) => steps.get(model)?.targets ?? [],
    waysOf: (model: string) => steps.get(model)?.ways ?? [],
  })
}

/** Returns the provider of the first target if that is fixed, else `gateway`. */
function ownerOf(entry: unknown, { fixed }: LinkedRoute): string {
  const own = isTarget(entry) || Array.isArray(entry)
  return (own ? fixed?.[0]?.provider.name : undefined) ?? 'gateway'
}

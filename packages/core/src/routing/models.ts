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
import type { LinkedRoute, RouteNode } from './step.ts'
import { TableScope } from './table-scope.ts'
import { isPattern, wildcards } from './wildcards.ts'

/** A route that can list its models. `Name` are those that it lists. */
export interface ModelTable<Name extends string = string> extends Route<Name> {
  list(): readonly ModelCard[]
  targets(): readonly Target[]
  targetsOf(model: string): readonly Target[]
  waysOf(model: string): readonly (readonly string[])[]
}

/** A vendor that is set up: a function that makes a target from a name. */
export interface TargetMaker {
  readonly provider: Provider
}

/**
 * What answers all names that fit a pattern: a vendor, which is asked by what stands under the `*`; a function that gives
 * an entry for it, or `undefined` for a name that does not exist, as does another name that leads nowhere; or one entry
 * for all of them.
 */
export type WildcardEntry<Name extends string = string> =
  | TargetMaker
  | ((name: string) => ModelEntry<Name> | undefined)
  | Target
  | Name
  | readonly ModelEntry<Name>[]
  | (Refers<Name> & { readonly [routeInternals]: unknown })

/** The names that a caller may use: of a pattern, all that fit it. */
type Fitting<Name extends string> = Name extends `${infer Head}*${infer Tail}`
  ? `${Head}${string}${Tail}`
  : Name

type TableEntry<Key extends string, Name extends string> = string extends Key
  ? ModelEntry | TargetMaker
  : Key extends `${string}*${string}`
    ? WildcardEntry<Fitting<Name>>
    : ModelEntry<Fitting<Name>>

/** The models of a gateway, by the names that callers use. */
export type ModelEntries<Name extends string> = { readonly [Key in Name]: TableEntry<Key, NoInfer<Name>> }

/**
 * The models of a gateway, by the names that callers use. A list of targets is tried in order when an attempt fails
 * before the first byte. An entry may name others: `{ big: a, small: b, smart: fallback('big', 'small') }`; who uses it
 * needs leave for the name by which a place is reached, too.
 *
 * A name with a `*` stands for all names that fit: `{ 'acme/*': acme }` asks the vendor for what stands under the `*`.
 * Exact names go first, then the longest pattern. Such names have at most 256 letters, digits and `._:/@+~=,-`, and no
 * `.` or `..` between slashes; others are unknown. They are not listed in `GET /models`, as nobody knows them
 * beforehand. The last 1,000 that were asked for are kept.
 *
 * Throws `ConfigurationError` for an entry that is no target, an empty list, an empty table, and for a name that stands in no
 * table or leads back to itself.
 */
export function models<const Name extends string>(
  table: ModelEntries<Name>,
  now: () => number = systemClock.now,
): ModelTable<Exclude<Name, `${string}*${string}`>> {
  const given = Object.entries<unknown>(table)
  if (given.length === 0) throw configurationError('models()', [], table, 'a model at least')
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
    return step.fixed ?? step.ask(draft, context)
  }
  return Object.assign(route as Route<Exclude<Name, `${string}*${string}`>>, {
    list: () => cards,
    targets: () => [...steps.values()].flatMap(({ targets }) => targets),
    targetsOf: (model: string) => steps.get(model)?.targets ?? [],
    waysOf: (model: string) => steps.get(model)?.ways ?? [],
  })
}

/** The vendor, where a model has places of its own, and the first of them is always asked first. */
function ownerOf(entry: unknown, { fixed }: LinkedRoute): string {
  const own = isTarget(entry) || Array.isArray(entry)
  return (own ? fixed?.[0]?.provider.name : undefined) ?? 'gateway'
}

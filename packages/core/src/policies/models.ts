import type { Target } from '../provider.ts'
import { isTarget, type ModelCard, type Route } from '../stages/route.ts'

/** Where a model is answered: one place, several in order of preference, or a route of your own. */
export type ModelEntry = Target | readonly Target[] | Route

/** A route that can list its models. */
export interface ModelTable extends Route {
  list(): readonly ModelCard[]
  targets(): readonly Target[]
}

/**
 * The models of a gateway, by the names that callers use. A list of targets is tried in order when an
 * attempt fails before the first byte.
 *
 * Throws `TypeError` for an entry that is no target, an empty list, or an empty table.
 */
export function models(
  table: Readonly<Record<string, ModelEntry>>,
  now: () => number = Date.now,
): ModelTable {
  const routes = new Map<string, readonly Target[] | Route>()
  const created = Math.floor(now() / 1000)
  const cards: ModelCard[] = []
  for (const [name, entry] of Object.entries(table)) {
    const targets = targetsOf(name, entry)
    routes.set(name, targets)
    cards.push({
      id: name,
      created,
      owned_by: typeof targets === 'function' ? 'gateway' : targets[0]!.provider.name,
    })
  }
  if (cards.length === 0) throw new TypeError('models() got an empty table: name at least one model.')
  const route: Route = (draft, context) => {
    const entry = routes.get(draft.model)
    if (entry === undefined) return []
    return typeof entry === 'function' ? entry(draft, context) : entry
  }
  return Object.assign(route, { list: () => cards, targets: () => listedTargets(routes) })
}

function targetsOf(name: string, entry: ModelEntry): readonly Target[] | Route {
  if (isVendor(entry)) throw vendorGiven(name)
  if (typeof entry === 'function') return entry
  const targets: readonly unknown[] = Array.isArray(entry) ? entry : [entry]
  if (targets.length === 0) throw new TypeError(`models(): '${name}' has an empty list of targets.`)
  for (const target of targets) {
    if (isVendor(target)) throw vendorGiven(name)
    if (!isTarget(target)) {
      throw new TypeError(
        `models(): '${name}' is no target. A target is made by a provider from the name that its vendor uses.`,
      )
    }
  }
  return targets as readonly Target[]
}

/** A function that makes targets, whose second call was forgotten; as a route it would be called with a draft. */
function isVendor(value: unknown): boolean {
  return typeof value === 'function' && 'provider' in value
}

function vendorGiven(name: string): TypeError {
  return new TypeError(
    `models(): '${name}' is a vendor, not a target: name one of its models, as in vendor('model').`,
  )
}

function listedTargets(routes: ReadonlyMap<string, readonly Target[] | Route>): readonly Target[] {
  return [...routes.values()].flatMap(entry => (typeof entry === 'function' ? [] : entry))
}

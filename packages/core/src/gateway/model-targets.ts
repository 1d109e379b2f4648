import type { Target } from '../contracts/provider.ts'
import type { TargetHealth } from '../contracts/target-health.ts'
import { isSameTarget } from '../validation/is-target.ts'
import type { ResolvedOptions } from './resolve.ts'

/** A place that could answer a model, and how it does. */
export interface TargetStatus {
  readonly provider: string
  /** The upstream's own name for the model. */
  readonly model: string
  /** As this process sees it. */
  readonly health: TargetHealth
}

/** The places that could answer a model. */
export interface ModelTargets {
  /** The name that callers use. */
  readonly model: string
  /**
   * In the order in which they stand in the table, each once; those that `mirror` sends copies to are among them. A
   * route may ask them in another order, or only some. One of your own that does not say its `targets` has none here.
   */
  readonly targets: readonly TargetStatus[]
}

/** The models that a route lists, with their places and how those do now. */
export function modelTargets<Host>({
  route,
  call,
}: Pick<ResolvedOptions<Host>, 'route' | 'call'>): readonly ModelTargets[] {
  const now = call.clock.monotonic()
  const status = (target: Target): TargetStatus => ({
    provider: target.provider.name,
    model: target.model,
    health: call.health.of(target).view(now),
  })
  return (route.list?.() ?? []).map(({ id }) => ({
    model: id,
    targets: placesOf(route.targetsOf?.(id) ?? []).map(status),
  }))
}

/** The first of each place: what else is said of it, such as its parameters, does not make it another. */
function placesOf(targets: readonly Target[]): readonly Target[] {
  return targets.filter((target, at) => targets.findIndex(each => isSameTarget(each, target)) === at)
}

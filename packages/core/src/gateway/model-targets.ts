import type { Target } from '../contracts/provider.ts'
import type { TargetHealth } from '../contracts/target-health.ts'
import { isSameTarget } from '../validation/is-target.ts'
import type { ResolvedOptions } from './resolve.ts'

/** A target and its health. */
export interface TargetStatus {
  readonly provider: string
  /** The upstream's own name for the model. */
  readonly model: string
  /** The health as measured by this process. */
  readonly health: TargetHealth
}

/** The targets of a model. */
export interface ModelTargets {
  /** The name of the model in requests. */
  readonly model: string
  /**
   * Each target once, in the order of the model table, including those of `mirror`. A route may call them in another order, or
   * only some. Empty for your own route without `targetsOf`.
   */
  readonly targets: readonly TargetStatus[]
}

/** Returns the models of a route with their targets and current health. */
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

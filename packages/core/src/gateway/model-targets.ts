import type { Target } from '../contracts/provider.ts'
import type { TargetHealth } from '../contracts/target-health.ts'
import { isSameTarget } from '../validation/is-target.ts'
import type { ResolvedOptions } from './resolve.ts'

/** A target and its health. */
export interface TargetStatus {
  readonly provider: string
  /** The upstream's own name for the model. */
  readonly model: string
  /** The health in this process. */
  readonly health: TargetHealth
}

/** The targets of a model. */
export interface ModelTargets {
  /** The name of the model in requests. */
  readonly model: string
  /**
   * In the order of the table, each once, with the targets of `mirror`. A request may call them in another order, or only
   * some of them. A route of your own without `targets` has none here.
   */
  readonly targets: readonly TargetStatus[]
}

/** Returns the models that a route lists, with their targets and the health of those. */
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
    targets: distinctTargets(route.targetsOf?.(id) ?? []).map(status),
  }))
}

/** Drops targets with the same provider and model, whatever their parameters. */
function distinctTargets(targets: readonly Target[]): readonly Target[] {
  return targets.filter((target, at) => targets.findIndex(each => isSameTarget(each, target)) === at)
}

import type { Operation } from '../contracts/outline.ts'
import type { Principal } from '../contracts/principal.ts'
import type { RouteContext } from '../contracts/route.ts'
import type { RoutingTrace } from '../routing/routing-trace.ts'
import { callerOf } from '../upstream/health/principal-caller.ts'
import { pricedModel } from '../usage/prices.ts'
import type { ResolvedOptions } from './resolve.ts'

/**
 * Returns the context of a route. Its functions work unbound, and nothing is computed before one is called.
 */
export function routeContext<Host>(
  principal: Principal,
  operation: Operation,
  model: string,
  log: RoutingTrace,
  { prices, clock, call }: Pick<ResolvedOptions<Host>, 'prices' | 'clock' | 'call'>,
): RouteContext {
  return {
    principal,
    random: () => log.random(),
    health: target => call.health.of(target).view(clock.monotonic(), callerOf(principal)),
    price: (usage, target) => prices(usage, pricedModel(operation, model, target, clock.now(), undefined)),
    skip: (target, why) => log.skip(target, why),
    match: entry => log.match(entry),
  }
}

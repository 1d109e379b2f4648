import type { ResolvedOptions } from './options/resolve.ts'
import { pricedModel } from './prices.ts'
import { callerOf } from './principal-caller.ts'
import type { RoutingLog } from './routing-log.ts'
import type { Principal } from './stages/authenticate.ts'
import type { RouteContext } from './stages/route.ts'

/**
 * What a route is told beside its request. Its members may be taken from it one by one. Nothing is drawn, looked up or
 * priced before one is called.
 */
export function routeContext<Host>(
  principal: Principal,
  model: string,
  log: RoutingLog,
  { prices, now, call }: Pick<ResolvedOptions<Host>, 'prices' | 'now' | 'call'>,
): RouteContext {
  return {
    principal,
    random: () => log.random(),
    health: target => call.health.of(target).view(call.clock(), callerOf(principal)),
    price: (usage, target) => prices(usage, pricedModel(model, target, now(), undefined)),
    skip: (target, why) => log.skip(target, why),
    match: entry => log.match(entry),
  }
}

import type { Principal } from '../../src/contracts/principal.ts'
import type { RouteContext } from '../../src/contracts/route.ts'

/** A context for tests of routes: nobody is asked, nothing has a price, chance gives 0. */
export function scriptedContext(principal: Principal, known: Partial<RouteContext> = {}): RouteContext {
  return {
    principal,
    random: () => 0,
    health: () => ({ active: 0, firstTokenMs: undefined, responseMs: undefined, state: 'closed', waitMs: 0 }),
    price: () => null,
    skip: () => {},
    match: () => {},
    ...known,
  }
}

import type { Draft } from '../contracts/draft.ts'
import type { LimitContext } from '../contracts/limiter.ts'
import type { Target } from '../contracts/provider.ts'
import type { Lifetime } from '../http/lifetime.ts'
import type { Usage } from '../protocol/chat.ts'
import type { RoutingTrace } from '../routing/routing-trace.ts'
import { type PricedModel, type Prices, possibleTiers, pricedModel } from '../usage/prices.ts'
import type { RequestContext } from './request-context.ts'
import type { ResolvedOptions } from './resolve.ts'

type Priced = Pick<ResolvedOptions<never>, 'prices' | 'clock'>

interface LimitedRequest extends Pick<RequestContext, 'requestId' | 'lifetime'> {
  readonly routing: Pick<RoutingTrace, 'entry'>
}

/** The context of a request for its limiter. */
export class LimitRequest implements LimitContext {
  readonly requestId: string
  readonly targets: readonly Target[]
  /** Works unbound. */
  readonly price: LimitContext['price']
  readonly #lifetime: Lifetime
  readonly #routing: Pick<RoutingTrace, 'entry'>

  constructor(
    context: LimitedRequest,
    { operation, model, outline }: Draft,
    targets: readonly Target[],
    priced: Priced,
  ) {
    const { requestId, lifetime, routing } = context
    this.requestId = requestId
    this.targets = targets
    this.#lifetime = lifetime
    this.#routing = routing
    const { prices, clock } = priced
    const at = clock.now()
    // Not the outline itself: a limiter may keep this function, and with it a prompt of megabytes.
    const { serviceTier, searchesWeb, searchUnits, offersWebSearch = false } = outline
    this.price = (usage, target) => {
      const mayOffer = offersWebSearch && target.allowFields?.includes('server_tools') === true
      const billed = { serviceTier, searchesWeb: searchesWeb === true || mayOffer, searchUnits }
      const priced = pricedModel(operation, model, target, at, billed)
      const tiers = possibleTiers(target, billed)
      return tiers.length === 0 ? prices(usage, priced) : maxCost(usage, priced, tiers, prices)
    }
  }

  get entry(): string {
    const { entry } = this.#routing
    if (entry !== undefined) return entry
    const { provider, model } = this.targets[0]!
    return `${provider.name}/${model}`
  }

  get signal(): AbortSignal {
    return this.#lifetime.signal
  }
}

/** Returns the maximum cost of a usage over several tiers, or `null` if the first has no price. */
function maxCost(usage: Usage, priced: PricedModel, tiers: readonly string[], prices: Prices): number | null {
  let most: number | null = null
  for (const serviceTier of tiers) {
    const cost = prices(usage, { ...priced, serviceTier })
    if (cost !== null) most = Math.max(most ?? 0, cost)
    else if (serviceTier === tiers[0]) return null
  }
  return most
}

import type { Lifetime } from './lifetime.ts'
import type { ResolvedOptions } from './options/resolve.ts'
import { pricedModel } from './prices.ts'
import type { Target } from './provider.ts'
import type { RoutingLog } from './routing-log.ts'
import type { LimitContext } from './stages/limit.ts'

type Priced = Pick<ResolvedOptions<never>, 'prices' | 'now'>

/** What a limiter is told of a request beside its caller and its text. */
export class RoomAsked implements LimitContext {
  readonly requestId: string
  readonly targets: readonly Target[]
  /** A function of its own: it may be taken from its object. */
  readonly price: LimitContext['price']
  readonly #lifetime: Lifetime
  readonly #routing: Pick<RoutingLog, 'entry'>

  constructor(
    requestId: string,
    model: string,
    targets: readonly Target[],
    lifetime: Lifetime,
    routing: Pick<RoutingLog, 'entry'>,
    priced: Priced,
  ) {
    this.requestId = requestId
    this.targets = targets
    this.#lifetime = lifetime
    this.#routing = routing
    const { prices, now } = priced
    const at = now()
    this.price = (usage, target) => prices(usage, pricedModel(model, target, at))
  }

  get entry(): string {
    const { entry } = this.#routing
    if (entry !== undefined) return entry
    const { provider, model } = this.targets[0]!
    return `${provider.name}/${model}`
  }

  get signal(): AbortSignal {
    return this.#lifetime.ending
  }
}

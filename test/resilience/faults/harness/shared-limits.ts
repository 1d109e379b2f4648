import {
  budget,
  concurrent,
  type LimitStore,
  limits,
  priceTable,
  requests,
  type StoreEvent,
} from '@sluice/core'
import type { RawExchange } from '@sluice/testing'
import type { Mount } from '../../../e2e/mounts/mounts.ts'
import { expectRefusal } from './refused.ts'
import { type Service, startService } from './service.ts'
import { upstreamDuring } from './upstream.ts'

/** A service that counts in a store which can fail. */
export interface SharingService extends Service {
  /** What was told of the store so far. */
  readonly states: readonly StoreEvent['state'][]
  /** A request that is only counted, one that costs money, and one of which one may be under way. */
  free(): Promise<RawExchange>
  paid(): Promise<RawExchange>
  single(): Promise<RawExchange>
}

/** Starts one until the test ends. */
export async function sharingService(mount: Mount, store: LimitStore): Promise<SharingService> {
  const states: StoreEvent['state'][] = []
  const upstream = await upstreamDuring()
  const rules = [
    requests(100_000).per('minute'),
    budget(100, 'usd').per('month').forModels('paid'),
    concurrent(1).forModels('single'),
  ]
  const service = await startService(mount, {
    models: { free: upstream, paid: upstream, single: upstream },
    prices: priceTable({ paid: { input: 1, output: 1 } }),
    limits: limits(rules, {
      store,
      observe: event => {
        if (event.type === 'store' && event.store === 'limits') states.push(event.state)
      },
    }),
  })
  const asking = (model: string) => () => service.site.chat({ model })
  return { ...service, states, free: asking('free'), paid: asking('paid'), single: asking('single') }
}

/** Holds a request that costs money to be refused for now, since nobody can say what is left. */
export function expectNoLimiter(answer: RawExchange): void {
  expectRefusal(answer, 503, { type: 'service_unavailable_error', code: 'limiter_unavailable' })
}

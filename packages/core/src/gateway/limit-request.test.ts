import { expect, it } from 'vitest'
import { chatRequest } from '../../test/support/chat-request.ts'
import { otherDraft } from '../../test/support/other-draft.ts'
import { place } from '../../test/support/scripted-places.ts'
import { systemClock } from '../clock/clock.ts'
import type { Outline } from '../contracts/outline.ts'
import type { Provider } from '../contracts/provider.ts'
import { Lifetime } from '../http/lifetime.ts'
import type { PricedModel } from '../usage/prices.ts'
import { estimatedUsage } from '../usage/usage.ts'
import { LimitRequest } from './limit-request.ts'

const takingTiers: Partial<Provider> = { accepts: ['service_tiers'] }

it.each<[Partial<Outline>, unknown[], Partial<Provider>?]>([
  [{}, [{ serviceTier: undefined, webSearches: undefined }]],
  [{ serviceTier: 'flex' }, [{ serviceTier: 'flex' }, { serviceTier: 'default' }]],
  [{ searchesWeb: true }, [{ serviceTier: undefined, webSearches: 1 }]],
  [{ serviceTier: 'performance' }, [{ serviceTier: undefined }]],
  [{ serviceTier: 'performance' }, [{ serviceTier: 'performance' }, { serviceTier: 'default' }], takingTiers],
  [{ serviceTier: 'Priority' }, [{ serviceTier: 'Priority' }, { serviceTier: 'default' }], takingTiers],
  [{ serviceTier: 'default' }, [{ serviceTier: undefined }], takingTiers],
])('prices a request by its outline, in whatever protocol it is: %j', (known, priced, more) => {
  const models: PricedModel[] = []
  const prices = (_: unknown, model: PricedModel) => {
    models.push(model)
    return 0
  }
  const up = place('up')
  const target = { ...up, provider: { ...up.provider, ...more } }
  const lifetime = new Lifetime(new AbortController().signal)
  const services = { prices, clock: systemClock }
  const context = { requestId: 'req_1', lifetime, routing: { entry: 'm' } } as const
  const request = new LimitRequest(context, otherDraft(known), [target], services)
  request.price(estimatedUsage(chatRequest({ model: 'm', messages: [] }), 0), target)
  expect(models).toMatchObject(priced)
  expect(models).toHaveLength(priced.length)
})

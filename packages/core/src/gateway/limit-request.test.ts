import { expect, it } from 'vitest'
import { chatRequest } from '../../test/support/chat-request.ts'
import { otherDraft } from '../../test/support/other-draft.ts'
import { place } from '../../test/support/scripted-places.ts'
import { systemClock } from '../clock/clock.ts'
import type { Outline } from '../contracts/outline.ts'
import { Lifetime } from '../http/lifetime.ts'
import type { PricedModel } from '../usage/prices.ts'
import { estimatedUsage } from '../usage/usage.ts'
import { LimitRequest } from './limit-request.ts'

it.each<[Partial<Outline>, unknown[]]>([
  [{}, [{ serviceTier: undefined, webSearches: undefined }]],
  [{ serviceTier: 'flex' }, [{ serviceTier: 'flex' }, { serviceTier: 'default' }]],
  [{ searchesWeb: true }, [{ serviceTier: undefined, webSearches: 1 }]],
])('prices a request by its outline, in whatever protocol it is: %j', (known, priced) => {
  const models: PricedModel[] = []
  const prices = (_: unknown, model: PricedModel) => {
    models.push(model)
    return 0
  }
  const target = place('up')
  const lifetime = new Lifetime(new AbortController().signal)
  const services = { prices, clock: systemClock }
  const context = { requestId: 'req_1', operation: 'generate', lifetime, routing: { entry: 'm' } } as const
  const request = new LimitRequest(context, otherDraft(known), [target], services)
  request.price(estimatedUsage(chatRequest({ model: 'm', messages: [] }), 0), target)
  expect(models).toMatchObject(priced)
  expect(models).toHaveLength(priced.length)
})

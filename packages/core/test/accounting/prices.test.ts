import { describe, expect, it } from 'vitest'
import type { Limiter } from '../../src/contracts/limiter.ts'
import type { Adjustment, PartialUsage, Reply, Target } from '../../src/contracts/provider.ts'
import { limits } from '../../src/rate-limiting/limits.ts'
import { budget } from '../../src/rate-limiting/rule.ts'
import { priceTable } from '../../src/usage/price-table.ts'
import type { PricedModel } from '../../src/usage/prices.ts'
import { scripted, serving, stop, stream, text } from '../support/scripted-gateway.ts'

const prices = priceTable({
  m: {
    input: 0,
    output: 500_000,
    tiers: { priority: { input: 0, output: 1e6 }, flex: 0.5 },
    webSearch: 0.25,
  },
  bare: { input: 0, output: 500_000 },
})

/** Two tokens of completion: a dollar by the usual price. */
const used = { prompt_tokens: 3, completion_tokens: 2 }

const answers = (tier?: string, usage: PartialUsage = used): Reply => ({
  kind: 'completion',
  completion: {
    choices: [{ index: 0, message: { content: 'Hi.' }, finish_reason: 'stop' }],
    usage,
    ...(tier === undefined ? {} : { service_tier: tier }),
  },
})

describe('the price of an answer', () => {
  it.each<[string | undefined, string | undefined, number | null]>([
    [undefined, undefined, 1],
    [undefined, 'default', 1],
    [undefined, 'priority', 2],
    ['auto', 'priority', 2],
    ['auto', undefined, 1],
    ['priority', undefined, 2],
    ['fast', undefined, 2],
    ['priority', 'default', 1],
    // Only where the vendor says so.
    ['flex', undefined, 1],
    ['flex', 'flex', 0.5],
    ['scale', 'scale', 1],
    [undefined, 'on_demand', 1],
    [undefined, 'ludicrous', null],
  ])('asked for by the tier %s and answered by %s', async (asked, told, cost) => {
    const body = asked === undefined ? {} : { service_tier: asked }
    const whole = serving(scripted(() => answers(told)).target, { prices })
    expect((await whole.post(body)).status).toBe(200)
    expect(whole.ends()).toMatchObject([{ cost }])
    // Some vendors name it only at the end.
    const last = { choices: [], usage: used, ...(told === undefined ? {} : { service_tier: told }) }
    const streamed = serving(scripted(() => stream([text('Hi.')], [stop], [last])).target, { prices })
    await (await streamed.post({ ...body, stream: true })).text()
    expect(streamed.ends()).toMatchObject([{ cost }])
  })

  it.each<[object, PartialUsage, number]>([
    [{}, {}, 1],
    [{ web_search_options: {} }, {}, 1.25],
    [{ web_search_options: {} }, { web_search_requests: 3 }, 1.75],
    [{ web_search_options: {} }, { web_search_requests: 0 }, 1],
    [{}, { web_search_requests: 2 }, 1.5],
  ])('with searches: %j, counted as %j', async (body, counts, cost) => {
    const { post, ends } = serving(scripted(() => answers(undefined, { ...used, ...counts })).target, {
      prices,
    })
    expect((await post(body)).status).toBe(200)
    expect(ends()).toMatchObject([{ cost }])
  })

  it.each([{ service_tier: 'priority' }, { service_tier: 'fast' }, { web_search_options: {} }])(
    'is not known where %j has none, and a budget refuses it',
    async body => {
      const { target } = scripted(() => answers())
      const route = () => [target]
      const { post, ends } = serving(target, { prices, route })
      expect((await post({ ...body, model: 'bare' })).status).toBe(200)
      expect(ends()).toMatchObject([{ cost: null }])
      const limit = limits([budget(1_000, 'usd').per('day')])
      const bounded = serving(target, { prices, route, limits: limit })
      expect((await bounded.post({ ...body, model: 'bare', max_tokens: 2 })).status).toBe(403)
      expect((await bounded.post({ model: 'bare', max_tokens: 2 })).status).toBe(200)
    },
  )

  it('is the usual one where the provider has left the tier out', async () => {
    const adjustments: Adjustment[] = [{ parameter: 'service_tier', action: 'dropped' }]
    const { target } = scripted(() => answers(), {
      encode: () => ({ method: 'POST', url: 'scripted:', headers: {}, adjustments }),
    })
    const { post, ends } = serving(target, { prices })
    await post({ service_tier: 'priority' })
    expect(ends()).toMatchObject([{ cost: 1 }])
  })

  it('goes by the tier of the target, where that has its own', async () => {
    const target: Target = { ...scripted(() => answers()).target, parameters: { service_tier: 'priority' } }
    const { post, ends } = serving(target, { prices })
    await post({})
    expect(ends()).toMatchObject([{ cost: 2 }])
  })

  it('of a shadow is by what answered it, too', async () => {
    const shadow = scripted(() => answers('priority')).target
    const main = { ...scripted(() => answers()).target, shadows: [shadow] }
    const { post, events, gateway } = serving(main, { prices })
    await post({})
    await gateway.close()
    expect(events.filter(({ type }) => type === 'discarded_call')).toMatchObject([{ cost: 2 }])
  })
})

describe('what a budget reserves', () => {
  const reserved = async (body: object, parameters?: Target['parameters']) => {
    const seen: (number | null)[] = []
    const limit: Limiter = {
      admit: (_, __, { targets, price }) => {
        const usage = { prompt_tokens: 0, completion_tokens: 2, total_tokens: 2 }
        const details = {
          prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
          completion_tokens_details: {
            reasoning_tokens: 0,
            audio_tokens: 0,
            accepted_prediction_tokens: 0,
            rejected_prediction_tokens: 0,
          },
        }
        seen.push(price({ ...usage, ...details }, targets[0]!))
        return { settle() {} }
      },
    }
    const { target } = scripted(() => answers())
    const own = parameters === undefined ? target : { ...target, parameters }
    const { post } = serving(own, { prices, limits: limit })
    await post(body)
    return seen[0]
  }

  it.each([
    [{}, 1],
    [{ service_tier: 'default' }, 1],
    [{ service_tier: 'auto' }, 2],
    [{ service_tier: 'priority' }, 2],
    [{ service_tier: 'flex' }, 1],
    // Which is refused later.
    [{ service_tier: 'no such tier' }, 1],
    [{ web_search_options: {} }, 1.25],
    [{ web_search_options: null }, 1],
  ])('is the dearest of what %j may become', async (body, cost) => {
    expect(await reserved(body)).toBe(cost)
  })

  it('goes by the tier of the target', async () => {
    expect(await reserved({}, { service_tier: 'auto' })).toBe(2)
    expect(await reserved({ service_tier: 'priority' }, { service_tier: null })).toBe(1)
  })
})

it('tells prices of the model alone where nothing else is billed', async () => {
  const seen: PricedModel[] = []
  const { post } = serving(scripted(() => answers()).target, {
    prices: (_, model) => {
      seen.push(model)
      return 1
    },
  })
  await post({})
  expect(seen.at(-1)).toEqual({
    operation: 'generate',
    model: 'm',
    provider: 'scripted',
    upstreamModel: 'upstream-model',
    at: expect.any(Number),
  })
})

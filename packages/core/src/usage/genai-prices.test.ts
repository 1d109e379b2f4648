import { calcPrice } from '@pydantic/genai-prices'
import { describe, expect, it } from 'vitest'
import { chatRequest } from '../../test/support/chat-request.ts'
import type { PartialUsage } from '../contracts/provider.ts'
import { type CalcPrice, genaiPrices } from './genai-prices.ts'
import type { PricedModel } from './prices.ts'
import { countedUsage } from './usage.ts'

const used = (counts: PartialUsage) =>
  countedUsage(
    { prompt_tokens: 1_000, completion_tokens: 100, ...counts },
    chatRequest({ model: 'm', messages: [] }),
    0,
    true,
  ).usage
const asked = (more: Partial<PricedModel> = {}): PricedModel => ({
  model: 'm',
  provider: 'openai',
  operation: 'generate',
  upstreamModel: 'gpt-4o-mini',
  at: Date.UTC(2026, 10, 21),
  ...more,
})
const claude = { provider: 'anthropic', upstreamModel: 'claude-sonnet-4-20250514' }

describe('genaiPrices', () => {
  const prices = genaiPrices(calcPrice)

  it('prices by the real list, what came from a cache and what went into it included', () => {
    expect(prices(used({ cached_tokens: 200 }), asked())).toBeCloseTo(0.000195, 12)
    expect(prices(used({}), asked())).toBeCloseTo(0.00021, 12)
    expect(prices(used({ cached_tokens: 200, cache_write_tokens: 400 }), asked(claude))).toBeCloseTo(
      0.00426,
      12,
    )
    expect(prices(used({ reasoning_tokens: 60 }), asked())).toBeCloseTo(0.00021, 12)
  })

  it('believes no vendor that counts more in a part than in the whole', () => {
    expect(prices(used({ cached_tokens: 2_000 }), asked())).toBeCloseTo(0.000135, 12)
    expect(prices(used({ cached_tokens: 900, cache_write_tokens: 900 }), asked(claude))).not.toBeNull()
  })

  it('knows no price of a provider or a model that the list does not have, until it is told which', () => {
    const mine = asked({ provider: 'mine', upstreamModel: 'deployed' })
    expect(prices(used({}), mine)).toBeNull()
    expect(prices(used({}), asked({ upstreamModel: 'no-such-model' }))).toBeNull()
    const told = genaiPrices(calcPrice, {
      providers: { mine: 'openai' },
      models: { deployed: 'gpt-4o-mini' },
    })
    expect(told(used({}), mine)).toBeCloseTo(0.00021, 12)
    expect(told(used({}), asked({ provider: '__proto__', upstreamModel: 'constructor' }))).toBeNull()
  })

  it('knows no price of what the list has none for: a dearer tier, and searches', () => {
    expect(prices(used({}), asked({ serviceTier: 'flex' }))).toBeCloseTo(0.00021, 12)
    expect(prices(used({}), asked({ serviceTier: 'priority' }))).toBeNull()
    expect(prices(used({}), asked({ webSearches: 1 }))).toBeNull()
  })

  it('asks for the time at which the model was asked, and leaves out what did not occur', () => {
    const seen: unknown[] = []
    const spy: CalcPrice = (...all) => {
      seen.push(all)
      return { total_price: 1 }
    }
    genaiPrices(spy)(used({ prompt_audio_tokens: 3, completion_audio_tokens: 4 }), asked({ at: 5 }))
    expect(seen).toEqual([
      [
        { input_tokens: 1_000, output_tokens: 100, input_audio_tokens: 3, output_audio_tokens: 4 },
        'gpt-4o-mini',
        { providerId: 'openai', timestamp: new Date(5) },
      ],
    ])
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('list')
      },
    ],
    ['gives null', () => null],
    ['gives no number', () => ({ total_price: '1' })],
    ['gives NaN', () => ({ total_price: Number.NaN })],
    ['gives less than nothing', () => ({ total_price: -1 })],
    ['gives nothing', () => undefined],
  ])('has no price where the list %s', (_, list) => {
    expect(genaiPrices(list as never)(used({}), asked())).toBeNull()
  })

  it.each<[string, unknown[], RegExp]>([
    ['no function', [{}], /expected the package's function calcPrice/],
    ['providers that are none', [calcPrice, { providers: null }], /providers: got null/],
    ['an id that is none', [calcPrice, { models: { a: 1 } }], /models\.a: got 1/],
  ])('refuses %s', (_, given, message) => {
    expect(() => genaiPrices(...(given as [CalcPrice]))).toThrow(TypeError)
    expect(() => genaiPrices(...(given as [CalcPrice]))).toThrow(message)
  })
})

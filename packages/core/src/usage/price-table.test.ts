import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatRequest } from '../../test/support/chat-request.ts'
import type { PartialUsage } from '../contracts/provider.ts'
import { modelCost, priceTable } from './price-table.ts'
import type { PricedModel } from './prices.ts'
import { countedUsage } from './usage.ts'

const small = { input: 0.15, cachedInput: 0.075, output: 0.6 }
const input = chatRequest({ model: 'm', messages: [] })
const used = (counts: PartialUsage) =>
  countedUsage({ prompt_tokens: 0, completion_tokens: 0, ...counts }, input, 0, true).usage
const asked = (more: Partial<PricedModel> = {}): PricedModel => ({
  model: 'small',
  provider: 'p',
  operation: 'generate',
  upstreamModel: 'up',
  at: 0,
  ...more,
})
const some = used({ prompt_tokens: 1_000, cached_tokens: 200, completion_tokens: 100 })

describe('priceTable', () => {
  it('prices input, what of it came from a cache, and output by the million', () => {
    expect(priceTable({ small })(some, asked())).toBeCloseTo(0.000195, 12)
    expect(priceTable({ small: { input: 1, output: 0 } })(some, asked())).toBe(0.001)
  })

  it('prices every part by itself, each token once', () => {
    const prices = priceTable({
      small: {
        input: 1,
        cachedInput: 10,
        cacheWrite: 100,
        audioInput: 1_000,
        output: 10_000,
        audioOutput: 100_000,
        perRequest: 3,
      },
    })
    const usage = used({
      prompt_tokens: 10,
      cached_tokens: 2,
      cache_write_tokens: 3,
      prompt_audio_tokens: 4,
      completion_tokens: 5,
      reasoning_tokens: 5,
      completion_audio_tokens: 1,
    })
    expect(prices(usage, asked())).toBeCloseTo((1 + 20 + 300 + 4_000 + 40_000 + 100_000) / 1e6 + 3, 12)
  })

  it('takes input that has no price of its own at that of input', () => {
    const usage = used({
      prompt_tokens: 10,
      cached_tokens: 2,
      cache_write_tokens: 3,
      prompt_audio_tokens: 4,
      completion_tokens: 5,
    })
    expect(priceTable({ small: { input: 1e6, output: 2e6 } })(usage, asked())).toBe(20)
  })

  it('has no price for audio output that has none, with a tier or a long prompt either', () => {
    const text = { input: 1, output: 2 }
    const prices = priceTable({
      small: { ...text, tiers: { flex: 0.5 }, longContext: [{ ...text, above: 100, audioOutput: 8 }] },
    })
    const spoken = used({ prompt_tokens: 10, completion_tokens: 5, completion_audio_tokens: 1 })
    expect([prices(spoken, asked()), prices(spoken, asked({ serviceTier: 'flex' }))]).toEqual([null, null])
    expect(prices({ ...spoken, prompt_tokens: 101 }, asked())).toBeCloseTo((101 + 4 * 2 + 8) / 1e6, 12)
    expect(prices(used({ prompt_tokens: 10, completion_tokens: 5 }), asked())).toBeCloseTo(20 / 1e6, 12)
  })

  it('goes by provider and upstream model first, and knows nothing of what is not in it', () => {
    const prices = priceTable({ small, 'p/up': { input: 1_000, output: 0 }, 'q/other': small })
    expect(prices(some, asked())).toBe(1)
    expect(prices(some, asked({ provider: 'q' }))).toBeCloseTo(0.000195, 12)
    for (const model of ['other', '__proto__', 'constructor', 'toString']) {
      expect(prices(some, asked({ model, provider: 'q' }))).toBeNull()
    }
    expect(priceTable({ small: { input: 0, output: 0 } })(some, asked())).toBe(0)
  })

  it('prices the parts of a tier by its own prices, or by a multiple of the usual', () => {
    const usage = used({ prompt_tokens: 10, cached_tokens: 4, completion_tokens: 5 })
    const prices = priceTable({
      small: {
        input: 1e6,
        cachedInput: 0.5e6,
        output: 2e6,
        perRequest: 1,
        tiers: { priority: { input: 2e6, output: 3e6 }, flex: 0.5 },
      },
    })
    const by = (serviceTier: string) => prices(usage, asked({ serviceTier }))
    expect(prices(usage, asked())).toBe(6 + 2 + 10 + 1)
    // A tier without a price of cached input takes its own input's.
    expect(by('priority')).toBe(20 + 15 + 1)
    expect(by('fast')).toBe(by('priority'))
    expect(by('flex')).toBe(9 + 1)
    expect(by('batch')).toBe(19)
    for (const tier of ['ultra', 'constructor', '__proto__', '']) expect(by(tier)).toBeNull()
  })

  it('prices web searches by the piece, and knows no price of those that it says nothing of', () => {
    const searched = asked({ webSearches: 3 })
    expect(priceTable({ small: { input: 0, output: 0, webSearch: 0.01 } })(some, searched)).toBeCloseTo(
      0.03,
      12,
    )
    expect(priceTable({ small: { input: 0, output: 0, webSearch: 0 } })(some, searched)).toBe(0)
    expect(priceTable({ small: { input: 0, output: 0 } })(some, searched)).toBeNull()
  })

  it('keeps a copy', () => {
    const table = { small: { ...small } }
    const prices = priceTable(table)
    table.small.input = 1e6
    Object.assign(table, { other: small })
    expect(prices(some, asked())).toBeCloseTo(0.000195, 12)
    expect(prices(some, asked({ model: 'other' }))).toBeNull()
  })

  it('reads own fields only', () => {
    const polluted = Object.prototype as { cachedInput?: number; perRequest?: number }
    try {
      polluted.cachedInput = 1e6
      polluted.perRequest = 5
      expect(priceTable({ small: { input: 1, output: 0 } })(some, asked())).toBe(0.001)
    } finally {
      delete polluted.cachedInput
      delete polluted.perRequest
    }
    expect(() => priceTable({ small: Object.create(small) })).toThrow(/input: got undefined/)
  })

  const bad: [string, unknown, RegExp][] = [
    ['nothing', undefined, /got undefined, expected an object/],
    ['text, as of a broken file', '{"small"', /got a string, expected an object/],
    ['a list', [small], /got a list/],
    ['an empty table', {}, /priceTable\(\): got an empty object/],
    ['no price', { small: null }, /small: got null, expected { input, output }/],
    [
      'a negative price',
      { small: { ...small, input: -1 } },
      /small\.input: got -1, expected a number from 0/,
    ],
    ['NaN', { small: { ...small, output: Number.NaN } }, /output: got NaN/],
    ['no end', { small: { ...small, perRequest: Number.POSITIVE_INFINITY } }, /perRequest: got Infinity/],
    ['a price as text', { small: { ...small, cachedInput: '0.1' } }, /cachedInput: got '0.1'/],
    ['half a price', { small: { input: 1 } }, /output: got undefined/],
    [
      'a field that it does not know',
      { small: { ...small, cached: 1 } },
      /small\.cached: got 1, expected no such option/,
    ],
    [
      'a tier that is none',
      { small: { ...small, tiers: { priority: '2' } } },
      /small\.tiers\.priority: got '2', expected { input, output }, or a number from 0/,
    ],
    [
      'half a tier',
      { small: { ...small, tiers: { flex: { input: 1 } } } },
      /tiers\.flex\.output: got undefined/,
    ],
    ['a tier below nothing', { small: { ...small, tiers: { flex: -1 } } }, /tiers\.flex: got -1/],
    [
      'a tier within a tier',
      { small: { ...small, tiers: { flex: { ...small, tiers: {} } } } },
      /tiers\.flex\.tiers: got an empty object, expected no such option/,
    ],
    ['tiers in a list', { small: { ...small, tiers: [2] } }, /tiers: got a list, expected prices by tier/],
    [
      'a search as text',
      { small: { ...small, webSearch: '1' } },
      /webSearch: got '1', expected a number from 0/,
    ],
    ['several at once', { a: { input: 1 }, b: 3 }, /a\.output.*b: got 3/s],
  ]
  it.each(bad)('refuses %s', (_, table, message) => {
    expect(() => priceTable(table as never)).toThrow(TypeError)
    expect(() => priceTable(table as never)).toThrow(message)
  })

  it.each(bad)('F69: keeps the last good table where the next one is %s', (_, table) => {
    const prices = priceTable({ small })
    expect(() => prices.replace(table as never)).toThrow(TypeError)
    expect(prices(some, asked())).toBeCloseTo(0.000195, 12)
  })

  it('takes another table while it is in use', () => {
    const prices = priceTable({ small })
    prices.replace({ large: { input: 1, output: 1 } })
    expect(prices(some, asked())).toBeNull()
    expect(prices(some, asked({ model: 'large' }))).toBe(0.0011)
  })

  it('never gives a negative amount, nor more than all tokens at the highest price, whatever a vendor counts', () => {
    const count = fc.integer({ min: 0, max: 1_000_000_000 })
    const counts = fc.record({
      prompt_tokens: count,
      completion_tokens: count,
      cached_tokens: count,
      cache_write_tokens: count,
      prompt_audio_tokens: count,
      completion_audio_tokens: count,
      reasoning_tokens: count,
    })
    const price = fc.record({
      input: fc.double({ min: 0, max: 1e6, noNaN: true }),
      output: fc.double({ min: 0, max: 1e6, noNaN: true }),
      cachedInput: fc.double({ min: 0, max: 1e6, noNaN: true }),
      cacheWrite: fc.double({ min: 0, max: 1e6, noNaN: true }),
      audioInput: fc.double({ min: 0, max: 1e6, noNaN: true }),
      audioOutput: fc.double({ min: 0, max: 1e6, noNaN: true }),
    })
    fc.assert(
      fc.property(counts, price, (counts, price) => {
        const usage = used(counts)
        const cost = priceTable({ small: price })(usage, asked())
        const all = Object.values(price)
        expect(cost).toBeGreaterThanOrEqual((usage.total_tokens * Math.min(...all) * (1 - 1e-9)) / 1e6)
        expect(cost).toBeLessThanOrEqual((usage.total_tokens * Math.max(...all) * (1 + 1e-9)) / 1e6)
      }),
    )
  })

  describe('longContext', () => {
    const long = {
      input: 3,
      cachedInput: 0.3,
      output: 15,
      longContext: [
        { above: 200_000, input: 6, cachedInput: 0.6, output: 22.5 },
        { above: 500_000, input: 12, output: 30 },
      ],
      tiers: { flex: 0.5, priority: { input: 6, output: 30 } },
    }
    const prompt = (tokens: number) => used({ prompt_tokens: tokens, completion_tokens: 1_000 })

    it.each([
      [200_000, 0.6 + 0.015],
      [200_001, 1.200006 + 0.0225],
      [500_001, 6.000012 + 0.03],
    ])('prices all tokens of a request with a prompt of %s tokens', (tokens, cost) => {
      expect(priceTable({ small: long })(prompt(tokens), asked())).toBeCloseTo(cost, 9)
    })

    it('multiplies them in a tier by a factor, and knows none of a tier with its own prices', () => {
      const prices = priceTable({ small: long })
      expect(prices(prompt(300_000), asked({ serviceTier: 'flex' }))).toBeCloseTo(0.9 + 0.01125, 9)
      expect(prices(prompt(300_000), asked({ serviceTier: 'priority' }))).toBeNull()
      expect(prices(prompt(100_000), asked({ serviceTier: 'priority' }))).toBeCloseTo(0.63, 9)
    })

    it.each([
      [{ ...long, longContext: {} }, /longContext.*expected a list/],
      [{ ...long, longContext: [5] }, /longContext\[0\].*expected \{ above/],
      [{ ...long, longContext: [{ above: 0, input: 1, output: 1 }] }, /longContext\[0\]\.above/],
      [{ ...long, longContext: [{ above: 1, input: -1, output: 1 }] }, /longContext\[0\]\.input/],
    ])('rejects %j', (price, message) => {
      expect(() => priceTable({ small: price as never })).toThrow(message)
    })
  })

  it('says which models it has', () => {
    const prices = priceTable({ small, 'p/other': small })
    expect(prices.has(asked())).toBe(true)
    expect(prices.has(asked({ model: 'x', upstreamModel: 'other' }))).toBe(true)
    expect(prices.has(asked({ model: 'x' }))).toBe(false)
  })
})

describe('modelCost', () => {
  it('is the cost by one price', () => {
    expect(modelCost(small)(some)).toBeCloseTo(0.000195, 12)
    expect(modelCost(small)(some, { webSearches: 1 })).toBeNull()
    expect(() => modelCost({ input: -1, output: 1 })).toThrow(/modelCost\(\): input/)
  })
})

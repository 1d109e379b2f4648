import { describe, expect, it } from 'vitest'
import { chatRequest } from '../../test/support/chat-request.ts'
import { estimatedUsage } from '../usage/usage.ts'
import { guardPrices } from './guard-callbacks.ts'

const usage = estimatedUsage(chatRequest({ model: 'm', messages: [{ role: 'user', content: 'Hello!' }] }), 4)
const model = { operation: 'generate' as const, model: 'm', provider: 'p', upstreamModel: 'up', at: 5 }

describe('guardPrices', () => {
  it('knows no price where there are none', () => {
    expect(guardPrices(undefined)(usage, model)).toBeNull()
  })

  it.each([0, 0.25, 1e9])('takes %s as it is', cost => {
    expect(guardPrices(() => cost)(usage, model)).toBe(cost)
  })

  it.each<[string, () => unknown]>([
    [
      'throws',
      () => {
        throw new Error('prices')
      },
    ],
    ['gives null', () => null],
    ['gives nothing', () => undefined],
    ['gives NaN', () => Number.NaN],
    ['gives less than nothing', () => -0.01],
    ['gives no end', () => Number.POSITIVE_INFINITY],
    ['gives text', () => '0.25'],
    ['gives a promise', () => Promise.resolve(1)],
    ['gives a promise that rejects', () => Promise.reject(new Error('prices'))],
  ])('knows no price, which is not 0, where the function %s', async (_, prices) => {
    expect(guardPrices(prices as never)(usage, model)).toBeNull()
    await new Promise(resolve => setImmediate(resolve))
  })

  it('lets no function change what it prices', () => {
    const before = structuredClone(usage)
    const prices = guardPrices(given => {
      Object.assign(given, { prompt_tokens: 9 })
      Object.assign(given.prompt_tokens_details, { cached_tokens: 9 })
      Object.assign(given.completion_tokens_details, { reasoning_tokens: 9 })
      return 1
    })
    expect(prices(usage, model)).toBe(1)
    expect(usage).toEqual(before)
  })
})

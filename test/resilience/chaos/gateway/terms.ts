import { budget, concurrent, type LimitRuleData, type PriceTable, tokens } from '@sluice/core'
import { openaiCompatible } from '@sluice/providers'

// What the gateway under test and those who check its books agree on.

/** One model that a budget bounds, and one that none does: it is answered also while its counts are away. */
export type ModelName = 'paid' | 'free'

/** US dollars per million tokens, which are so many billionths of a dollar for each token: */
const price = { input: 1, output: 2 }
export const prices: PriceTable = { paid: price, free: price }

export function nanoDollarsOf(promptTokens: number, completionTokens: number): number {
  return 1_000 * (price.input * promptTokens + price.output * completionTokens)
}

/** What stays spent of a request that is never settled: its prompt, at a token for three bytes of the body. */
export function floorOf(bodyBytes: number): number {
  return nanoDollarsOf(Math.ceil(bodyBytes / 3), 0)
}

/** Each request has a caller of its own: the sum by key says what it was charged. */
export function rulesOf(atOnce: number): readonly LimitRuleData[] {
  return [
    concurrent(atOnce).by('gateway'),
    tokens(100_000_000).per('minute').by('gateway'),
    budget(1_000_000, 'usd').per('ever').by('gateway').forModels('paid'),
    budget(100, 'usd').per('ever').by('key').forModels('paid'),
  ]
}

export const vendor = (port: number) =>
  openaiCompatible({ name: 'vendor', baseURL: `http://127.0.0.1:${port}/v1`, apiKey: 'sk-vendor' })(
    'its-model',
  )

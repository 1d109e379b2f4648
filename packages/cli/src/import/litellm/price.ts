import type { ModelPrice, TokenPrice } from '@sluice/core'
import type { Part } from '../part.ts'

/** Dollars for a token are dollars for a million. */
const names = {
  input: 'input_cost_per_token',
  output: 'output_cost_per_token',
  cachedInput: 'cache_read_input_token_cost',
  cacheWrite: 'cache_creation_input_token_cost',
  audioInput: 'input_cost_per_audio_token',
  audioOutput: 'output_cost_per_audio_token',
} as const satisfies Partial<Record<keyof TokenPrice, string>>

/** The tiers that LiteLLM knows prices of: `input_cost_per_token_priority`. */
const tierNames = ['priority', 'flex'] as const

/** What a deployment costs, where it says both what its input and what its output do. */
export function priceOf(given: Part, info: Part): ModelPrice | undefined {
  const at = (key: string) => (given.at(key).isThere ? given.at(key) : info.at(key))
  const tokens = tokenPrice(at, '')
  if (tokens === undefined) return undefined
  const tiers = tierNames.flatMap(tier => {
    const price = tokenPrice(at, `_${tier}`)
    return price === undefined ? [] : [[tier, price] as const]
  })
  return tiers.length === 0 ? tokens : { ...tokens, tiers: Object.fromEntries(tiers) }
}

/** What tokens cost by the keys that end so; `undefined` where it does not say both. */
function tokenPrice(at: (key: string) => Part, suffix: string): TokenPrice | undefined {
  if (!isPrice(at(names.input + suffix)) || !isPrice(at(names.output + suffix))) return undefined
  const price = Object.entries(names).flatMap(([name, key]) => {
    const part = at(key + suffix)
    return isPrice(part) ? [[name, perMillion(part.number() ?? 0)] as const] : []
  })
  return Object.fromEntries(price) as unknown as TokenPrice
}

/** PyYAML reads `1e-6` as text, and so LiteLLM takes texts too. */
function isPrice(part: Part): boolean {
  const value = typeof part.value === 'string' && part.value.trim() !== '' ? Number(part.value) : part.value
  return typeof value === 'number' && Number.isFinite(value) && value >= 0
}

/** Without the dust of binary fractions: 0.00000015 * 1e6 is 0.15. */
function perMillion(perToken: number): number {
  return Number((perToken * 1_000_000).toPrecision(12))
}

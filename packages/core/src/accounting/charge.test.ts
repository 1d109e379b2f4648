import { describe, expect, it } from 'vitest'
import { countedUsage } from '../usage/usage.ts'
import { chargeOf } from './charge.ts'

const counted = (given: object) => countedUsage(given, { model: 'm', messages: [] }, 0, true).usage

describe('chargeOf', () => {
  it('is the counts of a usage, and its price', () => {
    const usage = counted({ prompt_tokens: 9, completion_tokens: 4, cached_tokens: 3, reasoning_tokens: 2 })
    expect(chargeOf(usage, 0.5)).toEqual({
      promptTokens: 9,
      completionTokens: 4,
      cachedTokens: 3,
      reasoningTokens: 2,
      cost: 0.5,
    })
  })

  it('keeps a price that is not known apart from one of 0', () => {
    const usage = counted({ prompt_tokens: 0, completion_tokens: 0 })
    expect(chargeOf(usage, null).cost).toBeNull()
    expect(chargeOf(usage, 0).cost).toBe(0)
  })
})

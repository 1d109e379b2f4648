import { describe, expect, it } from 'vitest'
import { estimatedTokensNote, type TokenRow, tokenCounts } from './token-means.ts'

const row = (more: Partial<TokenRow>): TokenRow => ({
  principal: 'app',
  model: 'small',
  outcome: 'completed',
  promptTokens: null,
  completionTokens: null,
  ...more,
})
const rejected = (more: Partial<TokenRow> = {}) => row({ outcome: 'refused', ...more })

describe('tokenCounts', () => {
  const tokensOf = tokenCounts([
    row({ promptTokens: 10, completionTokens: 1 }),
    row({ promptTokens: 30, completionTokens: 2 }),
    row({ principal: 'batch', promptTokens: 100, completionTokens: 60 }),
    row({ principal: 'batch', model: 'smart', promptTokens: 400, completionTokens: 100 }),
  ])

  it.each([
    ['the same key and model', rejected(), { promptTokens: 20, completionTokens: 2 }],
    ['the same model', rejected({ principal: 'other' }), { promptTokens: 47, completionTokens: 21 }],
    ['all', rejected({ model: 'large' }), { promptTokens: 135, completionTokens: 41 }],
  ])('takes the mean of %s', (_, given, counts) => {
    expect(tokensOf(given)).toEqual(counts)
  })

  it('keeps what the log has, at least 1', () => {
    expect(tokensOf(row({ promptTokens: 7, completionTokens: 0 }))).toEqual({
      promptTokens: 7,
      completionTokens: 1,
    })
    expect(tokensOf(rejected({ promptTokens: 7, completionTokens: 0 }))).toEqual({
      promptTokens: 7,
      completionTokens: 2,
    })
  })

  it('takes medians if the log has no counts', () => {
    expect(tokenCounts([rejected()])(rejected())).toEqual({ promptTokens: 400, completionTokens: 200 })
  })
})

describe('estimatedTokensNote', () => {
  it('says how many requests have no counts', () => {
    const counted = row({ promptTokens: 1, completionTokens: 1 })
    expect(estimatedTokensNote([counted])).toBeUndefined()
    expect(estimatedTokensNote([counted, rejected()])).toMatch(
      /^1 of 2 requests has no token counts, such as/,
    )
    expect(estimatedTokensNote([rejected(), rejected()])).toBe(
      '2 of 2 requests have no token counts. Missing counts are 400 prompt tokens and 200 completion tokens.',
    )
  })
})

import { describe, expect, it } from 'vitest'
import { a, b, c, d, draftOf, modelsOf, watching } from '../../test/support/scripted-places.ts'
import type { Usage } from '../protocol/chat.ts'
import { cheapest } from './cheapest.ts'

const perToken: Record<string, readonly [number, number] | undefined> = { a: [1, 10], b: [3, 3], c: [2, 10] }

describe('cheapest', () => {
  const asked: Usage[] = []
  const { context } = watching({
    price: (usage, { model }) => {
      asked.push(usage)
      const price = perToken[model]
      return price === undefined ? null : usage.prompt_tokens * price[0] + usage.completion_tokens * price[1]
    },
  })
  const long = draftOf({
    messages: [{ role: 'user', content: 'x'.repeat(3_000) }],
    max_completion_tokens: 10,
  })

  it('gives the cheapest first for the prompt and the bound of the answer, and one without a price last', () => {
    expect(modelsOf(cheapest(d, c, b, a), context, long)).toEqual(['a', 'c', 'b', 'd'])
    expect(asked.at(-1)).toMatchObject({ completion_tokens: 10 })
    expect(asked.at(-1)!.prompt_tokens).toBeGreaterThan(1_000)
    expect(modelsOf(cheapest([a, c], b), context, draftOf({ max_tokens: 100_000 }))).toEqual(['b', 'a', 'c'])
  })

  it('expects 1,000 tokens of an answer without a bound, or what it is told', () => {
    modelsOf(cheapest(a, b), context)
    expect(asked.at(-1)).toMatchObject({ completion_tokens: 1_000 })
    modelsOf(cheapest(a, b, { outputTokens: 7 }), context, draftOf({ n: 3 }))
    expect(asked.at(-1)).toMatchObject({ completion_tokens: 21 })
  })

  it('keeps the order where nothing has a price', () => {
    expect(modelsOf(cheapest(b, a))).toEqual(['b', 'a'])
  })

  it('refuses what is no count', () => {
    expect(() => cheapest(a, { outputTokens: 0 })).toThrow(
      /outputTokens: got 0, expected a whole number from 1/,
    )
    expect(() => cheapest(a, { tokens: 1 } as never)).toThrow(/tokens: got 1, expected no such option/)
  })
})

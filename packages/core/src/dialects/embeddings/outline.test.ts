import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { JsonObject } from '../../protocol/chat.ts'
import { embeddingsOutline } from './outline.ts'

describe('the outline of a request for embeddings', () => {
  it.each<[string, JsonObject, { user?: string; promptTokens?: number }]>([
    ['nothing', {}, {}],
    ['an end user', { user: 'ann' }, { user: 'ann' }],
    ['an end user that is no text', { user: 7 }, {}],
    ['a text', { input: 'Hello' }, {}],
    ['texts', { input: ['Hello', 'you'] }, {}],
    ['token ids', { input: [1, 2, 3] }, { promptTokens: 3 }],
    ['lists of token ids', { input: [[1, 2], [3]] }, { promptTokens: 3 }],
    ['an empty list', { input: [] }, {}],
    ['token ids and a text', { input: [1, 'a long text'] }, {}],
    ['lists of token ids and a text', { input: [[1], 'a long text'] }, {}],
    ['lists of token ids with a text', { input: [[1], ['a long text']] }, {}],
    ['a stream, which there is not', { input: 'Hello', stream: true }, {}],
  ])('of %s', (_, body, expected) => {
    const { stream, user, promptTokens, media, maxOutputTokens } = embeddingsOutline(body)
    expect({ stream, user, promptTokens, media, maxOutputTokens }).toEqual({
      stream: false,
      user: expected.user,
      promptTokens: expected.promptTokens,
      media: undefined,
      maxOutputTokens: undefined,
    })
  })

  it('never throws', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.constantFrom('input', 'user', '__proto__', 'model'), fc.jsonValue()),
        body => {
          const { user, promptTokens } = embeddingsOutline(body as JsonObject)
          expect(user === undefined || typeof user === 'string').toBe(true)
          expect(promptTokens === undefined || Number.isInteger(promptTokens)).toBe(true)
        },
      ),
    )
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GatewayError } from '../../errors/errors.ts'
import type { JsonObject } from '../../protocol/chat.ts'
import { completionsOutline } from './outline.ts'
import { readCompletions } from './read.ts'

function read(body: object) {
  const given = { model: 'm', ...body } as JsonObject
  const draft = {
    dialect: 'completions',
    operation: 'complete',
    model: 'm',
    body: given,
    bytes: 9,
    outline: completionsOutline(given),
    text: JSON.stringify(given),
  } as const
  return readCompletions(draft, { profile: 'schema', unknownParameters: 'pass' })
}

describe('a request to complete texts', () => {
  it.each([
    ['a text', 'Hello', 1, undefined],
    ['texts', ['a', 'b'], 2, undefined],
    ['token ids', [1, 2, 3], 1, 3],
    ['lists of token ids', [[1, 2], [3]], 2, 3],
    ['a text and token ids', ['a', [3]], 2, undefined],
    ['nothing', null, 1, undefined],
  ])('may have %s as prompt', (_, prompt, prompts, promptTokens) => {
    const outline = completionsOutline({ prompt, n: 2, best_of: 3, max_tokens: 7 } as JsonObject)
    expect([outline.choices, outline.promptTokens, outline.maxOutputTokens]).toEqual([
      prompts * 3,
      promptTokens,
      7,
    ])
    expect(read({ prompt, n: 2 }).request.settings().n).toBe(prompts * 2)
  })

  it.each([
    ['token ids', [1, 2, 3], 3 + 4],
    ['lists of token ids', [[1, 2], [3]], 3 + 2 * 4],
    ['texts', ['four', 'me'], 2 + 1 + 2 * 4],
    // By the length of the body, which has both once.
    ['a text', 'Hello', undefined],
  ])('counts a suffix for each prompt of %s', (_, prompt, tokens) => {
    expect(completionsOutline({ prompt, suffix: 'twelve bytes' }).promptTokens).toBe(tokens)
  })

  it('is passed on with the settings that differ', () => {
    const { request } = read({ prompt: 'a', temperature: 1, seed: null, max_tokens: 9 })
    expect(request.native!()!.edits).toEqual([])
    const settings = { ...request.settings(), temperature: 0, seed: 7, max_completion_tokens: 5 }
    expect(request.withSettings(settings).native!()!.edits).toEqual([
      { path: ['temperature'], value: 0 },
      { path: ['seed'], value: 7 },
      { path: ['max_tokens'], value: 5 },
    ])
    expect(read({ prompt: 'a' }).request.withMaxOutput(4).native!()!.edits).toEqual([
      { path: ['max_tokens'], value: 4 },
    ])
    expect(request.pathOf('max_completion_tokens')).toBe('max_tokens')
  })

  it('is a chat for logs and estimates alone', () => {
    const { request } = read({ prompt: ['a', [1, 20]], suffix: 'z' })
    expect(request.chat().messages.map(({ content }) => content)).toEqual(['a', '1 20', 'z'])
    expect(request.turns()).toHaveLength(3)
  })

  it('is refused with a GatewayError, or read, whatever it is', () => {
    const names = fc.constantFrom(
      'prompt',
      'n',
      'best_of',
      'max_tokens',
      'stream',
      'stream_options',
      'echo',
      'x',
    )
    const values = fc.oneof(fc.jsonValue(), fc.integer(), fc.array(fc.array(fc.nat())), fc.string())
    fc.assert(
      fc.property(fc.dictionary(names, values), body => {
        const outline = completionsOutline(body as JsonObject)
        expect(outline.choices).toBeGreaterThanOrEqual(1)
        expect(outline.promptTokens ?? 0).toBeGreaterThanOrEqual(0)
        try {
          const { request } = read(body)
          expect(request.settings().n ?? 1).toBeLessThanOrEqual(128)
          expect(request.chat().messages.every(({ content }) => typeof content === 'string')).toBe(true)
        } catch (error) {
          if (!GatewayError.is(error)) throw error
          expect(error.status).toBe(400)
        }
      }),
      { numRuns: 500 },
    )
  })
})

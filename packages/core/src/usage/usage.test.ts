import { describe, expect, it } from 'vitest'
import { chatRequest } from '../../test/support/chat-request.ts'
import type { PartialUsage } from '../contracts/provider.ts'
import { completionUsage, countedUsage } from './usage.ts'

// 8 characters are two tokens of a guess.
const input = chatRequest({ model: 'm', messages: [{ role: 'user', content: '12345678' }] })
const counts = (usage: object | undefined, chars = 40, whole = true) => {
  const counted = countedUsage(usage as PartialUsage | undefined, input, chars, whole)
  const { prompt_tokens, completion_tokens, total_tokens } = counted.usage
  return [prompt_tokens, completion_tokens, total_tokens, counted.estimated]
}

describe('countedUsage', () => {
  it('takes the counts of the vendor', () => {
    const given = { prompt_tokens: 9, completion_tokens: 3, cached_tokens: 4, reasoning_tokens: 1 }
    const { usage, estimated } = countedUsage(given, input, 400, true)
    expect(estimated).toBe(false)
    expect(usage).toEqual({
      prompt_tokens: 9,
      completion_tokens: 3,
      total_tokens: 12,
      prompt_tokens_details: { cached_tokens: 4, audio_tokens: 0 },
      completion_tokens_details: {
        reasoning_tokens: 1,
        audio_tokens: 0,
        accepted_prediction_tokens: 0,
        rejected_prediction_tokens: 0,
      },
    })
  })

  it.each([
    ['nothing', undefined, [2, 10, 12, true]],
    ['an empty object', {}, [2, 10, 12, true]],
    ['the prompt only', { prompt_tokens: 9 }, [9, 10, 19, true]],
    ['the completion only', { completion_tokens: 3 }, [2, 3, 5, true]],
  ])('guesses what is not in %s, and says so', (_, given, expected) => {
    expect(counts(given)).toEqual(expected)
  })

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 1e308, 2 ** 53, -1, 1.5, '9', null, {}])(
    'does not believe a count of %s',
    bad => {
      const all = { prompt_tokens: bad, completion_tokens: bad, cached_tokens: bad, cache_write_tokens: bad }
      expect(counts(all)).toEqual([2, 10, 12, true])
      const { usage } = countedUsage(all as PartialUsage, input, 40, true)
      expect(usage.prompt_tokens_details).toEqual({ cached_tokens: 0, audio_tokens: 0 })
    },
  )

  it.each([
    ['a completion of 0 beside text', { prompt_tokens: 9, completion_tokens: 0 }, 40, [9, 10, 19, true]],
    ['a prompt of 0', { prompt_tokens: 0, completion_tokens: 3 }, 40, [2, 3, 5, true]],
    ['nothing but 0', { prompt_tokens: 0, completion_tokens: 0 }, 40, [2, 10, 12, true]],
    ['a completion of 0 beside nothing', { prompt_tokens: 9, completion_tokens: 0 }, 0, [9, 0, 9, false]],
  ])('takes %s for no count where there was something to count', (_, given, chars, expected) => {
    expect(counts(given, chars)).toEqual(expected)
  })

  it('believes a prompt of 0 where there is none', () => {
    const none = chatRequest({ model: 'm', messages: [{ role: 'user', content: '' }] })
    const given = { prompt_tokens: 0, completion_tokens: 1 }
    expect(countedUsage(given, none, 4, true)).toMatchObject({ usage: { total_tokens: 1 }, estimated: false })
  })

  it('knows no negative zero', () => {
    const { usage } = countedUsage(
      { prompt_tokens: 1, completion_tokens: 1, cached_tokens: -0 },
      input,
      4,
      true,
    )
    expect(usage.prompt_tokens_details.cached_tokens).toBe(0)
  })

  it('of an answer that broke off, guesses where the vendor counted less than came', () => {
    expect(counts({ prompt_tokens: 9, completion_tokens: 1 }, 40, false)).toEqual([9, 10, 19, true])
    expect(counts({ prompt_tokens: 9, completion_tokens: 12 }, 40, false)).toEqual([9, 12, 21, false])
    expect(counts({ prompt_tokens: 9, completion_tokens: 1 }, 40, true)).toEqual([9, 1, 10, false])
  })
})

describe('completionUsage', () => {
  it('guesses by all that an answer says', () => {
    const message = {
      content: 'x'.repeat(10),
      refusal: 'x'.repeat(10),
      reasoning_content: 'x'.repeat(10),
      tool_calls: [
        { function: { name: 'f', arguments: 'x'.repeat(10) } },
        { custom: { input: 'x'.repeat(10) } },
      ],
      function_call: { arguments: 'x'.repeat(10) },
    }
    const choices = [
      { index: 0, message },
      { index: 1, message },
    ]
    const calls = [{ function: { name: 'get_time', arguments: '' } }]
    const called = {
      choices: [{ index: 0, message: { tool_calls: calls } }],
      usage: { completion_tokens: 0 },
    }
    expect(completionUsage(called, input)).toMatchObject({ usage: { completion_tokens: 2 }, estimated: true })
    const { usage, estimated } = completionUsage({ choices }, input)
    expect([usage.prompt_tokens, usage.completion_tokens, estimated]).toEqual([2, 31, true])
    expect(
      completionUsage({ choices, usage: { prompt_tokens: 1, completion_tokens: 1 } }, input),
    ).toMatchObject({
      usage: { total_tokens: 2 },
      estimated: false,
    })
  })
})

import { describe, expect, it } from 'vitest'
import { partialCompletion } from './partial-completion.ts'

const choice = { index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }

describe('partialCompletion', () => {
  it('refuses where an error stands beside the choices, or in their place', () => {
    const error = { code: 502, message: 'down' }
    for (const answer of [{ error, choices: [choice] }, { choices: [{ ...choice, error }] }, { error }]) {
      expect(() => partialCompletion(answer)).toThrow(
        expect.objectContaining({ kind: 'refused', status: 502, vendorMessage: 'down' }),
      )
    }
    expect(() => partialCompletion({ object: 'error', message: 'slow', code: 429 })).toThrow(
      expect.objectContaining({ kind: 'refused', status: 429 }),
    )
    expect(() => partialCompletion({ choices: [{ ...choice, finish_reason: 'error' }] })).toThrow(
      expect.objectContaining({ kind: 'refused', status: 500 }),
    )
  })

  it('is an answer where what stands in the place of an error says nothing', () => {
    const { choices } = partialCompletion({ error: true, choices: [{ ...choice, error: true }] })
    expect(choices).toMatchObject([{ message: { content: 'a' } }])
  })

  it('keeps the numbers of its choices, and numbers those that have none by their place', () => {
    const numbers = (...given: object[]) =>
      partialCompletion({
        choices: given.map(index => ({ ...choice, index: undefined, ...index })),
      }).choices.map(({ index }) => index)
    expect(numbers({ index: 1 }, { index: 0 })).toEqual([1, 0])
    expect(numbers({}, {})).toEqual([0, 1])
  })

  it('keeps log probabilities, in the protocol’s form', () => {
    const token = { token: 'a', logprob: -0.5, bytes: [97], top_logprobs: [] }
    const kept = (logprobs: unknown) =>
      partialCompletion({ choices: [{ ...choice, logprobs }] }).choices[0]?.logprobs
    expect(kept({ content: [token] })).toEqual({ content: [token], refusal: null })
    expect(kept({ content: null, refusal: [token] })).toEqual({ content: null, refusal: [token] })
    const odd = { token: null, logprob: '-1', bytes: [97, null], top_logprobs: null }
    expect(kept({ content: [null, odd] })).toEqual({
      content: [{ token: '', logprob: -9999, bytes: [97], top_logprobs: [] }],
      refusal: null,
    })
    expect(kept(null)).toBeUndefined()
  })
})

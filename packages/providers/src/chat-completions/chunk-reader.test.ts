import { expect, it } from 'vitest'
import { ChunkReader } from './chunk-reader.ts'

const choice = (delta: object, further: object = {}) => ({ choices: [{ index: 0, delta, ...further }] })

/** What the events added, and what is said of them after the last one. */
function read(...values: object[]) {
  const reader = new ChunkReader(1)
  const chunks = values.map(value => reader.read(value, 'message'))
  return { chunks, progress: reader.progress, failure: reader.failure }
}

it('tells log probabilities also where they come without text', () => {
  const token = { token: '\\xe2', logprob: -1, bytes: [226], top_logprobs: [] }
  const logprobs = { content: [token], refusal: null }
  const { chunks } = read(
    choice({ content: 'a' }),
    choice({ content: '' }, { logprobs }),
    choice({}, { logprobs, finish_reason: 'stop' }),
  )
  expect(chunks.slice(1)).toEqual([
    { choices: [{ index: 0, delta: {}, logprobs }] },
    { choices: [{ index: 0, delta: {}, logprobs, finish_reason: 'stop' }] },
  ])
})

it('goes by the reason to end that a choice gave, whatever comes of it later', () => {
  const { chunks, progress } = read(
    choice({ content: 'a' }, { finish_reason: 'stop' }),
    choice({ content: '' }, { finish_reason: null }),
    choice({ content: 'b' }, { finish_reason: null }),
  )
  expect(chunks[1]).toBeUndefined()
  expect(chunks[2]).toEqual(choice({ content: 'b' }))
  expect(progress).toBe('whole')
})

it('takes the message of a last object where only empty deltas came before it', () => {
  const message = { role: 'assistant', content: 'a' }
  const { chunks } = read(choice({ role: 'assistant', content: '' }), {
    object: 'chat.completion.done',
    choices: [{ index: 0, message, delta: {}, finish_reason: 'stop' }],
  })
  expect(chunks[1]).toEqual(choice({ content: 'a' }, { finish_reason: 'stop' }))
})

it('has at most 128 choices', () => {
  const at = (index: number) => ({ choices: [{ index, delta: { content: 'a' } }] })
  expect(read(at(127)).chunks).toEqual([at(127)])
  expect(() => read(at(128))).toThrow(expect.objectContaining({ kind: 'garbled' }))
})

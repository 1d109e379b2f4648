import type { PartialChunk } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { ResponseReader } from './response-reader.ts'

const done = { finishReason: 'STOP' }
const candidate = (parts: unknown, more: object = {}) => ({
  candidates: [{ content: { parts }, index: 0, ...more }],
})
const call = (name: string, more: object = {}) => ({ functionCall: { name, ...more } })

function read(values: readonly object[], declared: readonly string[] = ['f']) {
  const reader = new ResponseReader(new Set(declared))
  const chunks: PartialChunk[] = []
  for (const value of values) reader.read({ ...value }, 'message', chunks)
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta))
  return { chunks, deltas, reader }
}

const garbled = expect.objectContaining({ kind: 'garbled' })

describe('ResponseReader', () => {
  it('tells what each response adds, and of those that add nothing nothing', () => {
    const { chunks } = read([
      { modelVersion: 'v' },
      candidate([{ text: 'a' }], { finishReason: '' }),
      candidate([]),
      candidate([], done),
      candidate([]),
      { usageMetadata: {} },
      { usageMetadata: { promptTokenCount: 1 } },
    ])
    expect(chunks).toStrictEqual([
      { choices: [{ index: 0, delta: { content: 'a' } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 1, completion_tokens: 0 } },
    ])
  })

  it('is not whole before a candidate gave a reason', () => {
    expect(read([candidate([{ text: 'a' }], { finishReason: '' })]).reader.progress).toBe('open')
    expect(read([candidate([{ text: 'a' }], done)]).reader.progress).toBe('whole')
  })

  it('tells nothing twice where more comes after the end', () => {
    const parts = [call('other'), { text: 'a', thoughtSignature: 'S' }]
    const citationMetadata = { citations: [{ endIndex: 1, uri: 'https://a.example/' }] }
    const { deltas, reader } = read([
      candidate(parts, { ...done, citationMetadata }),
      candidate([], { usageMetadata: {} }),
      candidate([{ text: 'b' }], done),
    ])
    expect(deltas.map(delta => Object.keys(delta).sort())).toEqual([
      ['annotations', 'content', 'reasoning_details', 'tool_calls'],
      ['content'],
    ])
    expect(reader.withheld()).toBeUndefined()
  })

  it('leaves out candidates and parts that are none', () => {
    const { choices } = read([{ candidates: [null, { content: { parts: [null, 7, { text: 'a' }] } }] }])
      .chunks[0] ?? { choices: [] }
    expect(choices).toEqual([{ index: 1, delta: { content: 'a' } }])
    expect(read([candidate([{ functionCall: {} }, { functionCall: { name: '' } }])]).deltas).toEqual([{}])
  })

  it('gives the calls of one response in the order in which they came', () => {
    const parts = ['other', 'f', 'another', 'f'].map(name => call(name))
    const [told] = read([candidate(parts, done)]).deltas
    expect(told?.tool_calls?.map(({ index }) => index)).toEqual([0, 1, 2, 3])
  })

  it('ends a call that comes in pieces by its last piece, by text, and by the end of the answer', () => {
    const more = { willContinue: true }
    const names = (...values: object[]) =>
      read(values).deltas.map(({ tool_calls }) => tool_calls?.map(({ function: f }) => f))
    const expected = [{ name: 'f', arguments: '{"a":1}' }]
    const begun = candidate([call('f', { args: { a: 1 }, ...more })])
    expect(names(begun, candidate([{ functionCall: {} }]))).toEqual([undefined, expected])
    expect(names(begun, candidate([{ text: 'x' }]))).toEqual([undefined, expected])
    expect(names(begun, candidate([], done))).toEqual([undefined, expected])
    const late = candidate([{ functionCall: { args: { a: 1 } } }])
    expect(names(candidate([call('f', more)]), late)).toEqual([undefined, expected])
  })

  it('tells log probabilities also where they come without text', () => {
    const token = { token: 'a', logProbability: -1 }
    const logprobsResult = { chosenCandidates: [token] }
    const { chunks } = read([candidate([{ text: 'a' }]), candidate([], { logprobsResult })])
    const told = { token: 'a', logprob: -1, bytes: null, top_logprobs: [] }
    expect(chunks[1]?.choices).toEqual([
      { index: 0, delta: {}, logprobs: { content: [told], refusal: null } },
    ])
    const odd = { chosenCandidates: [{ token: 7 }], topCandidates: 'x' }
    const { logprobs } = read([candidate([], { logprobsResult: odd })]).chunks[0]?.choices[0] ?? {}
    expect(logprobs?.content).toEqual([{ token: '', logprob: -9999, bytes: null, top_logprobs: [] }])
    for (const none of [null, 7, {}]) {
      expect(read([candidate([], { logprobsResult: none })]).chunks[0]?.choices).toStrictEqual([
        { index: 0, delta: {} },
      ])
    }
  })

  it('refuses by an error also where a candidate stands beside it, and by one without its frame', () => {
    const error = { code: 503, message: 'busy', status: 'UNAVAILABLE' }
    for (const value of [{ error, ...candidate([{ text: 'a' }]) }, error]) {
      expect(() => read([value])).toThrow(
        expect.objectContaining({ kind: 'refused', status: 503, vendorMessage: 'busy' }),
      )
    }
  })

  it('is blocked also where its list of candidates is empty', () => {
    const { deltas } = read([{ candidates: [], promptFeedback: { blockReason: 'SAFETY' } }])
    expect(deltas).toEqual([{ refusal: 'The prompt was blocked (SAFETY).' }])
  })

  it('keeps nothing without end', () => {
    const at = (index: number) => ({ candidates: [{ index, content: { parts: [] } }] })
    expect(read([at(127)]).chunks).toHaveLength(1)
    expect(() => read([at(128)])).toThrow(garbled)
    const calls = (count: number) => candidate(Array.from({ length: count }, () => call('other')))
    expect(read([calls(128)]).reader.withheld()?.choices[0]?.delta.tool_calls).toHaveLength(128)
    expect(() => read([calls(129)])).toThrow(garbled)
    const signed = candidate([{ thoughtSignature: 'S'.repeat(1_000_000) }])
    expect(() => read(Array(9).fill(signed))).toThrow(garbled)
    const citations = Array(64_000).fill({ endIndex: 1, uri: 'u' })
    expect(() => read([candidate([], { citationMetadata: { citations } })])).toThrow(garbled)
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { PartialChunk, PartialChunkChoice } from '../contracts/provider.ts'
import { chunkChoices } from '../dialects/chat/stream-writer.ts'
import { StreamNormalizer } from './stream.ts'

const newId = () => 'f'.repeat(32)

function normalized(...reads: PartialChunk[][]) {
  const normalizer = new StreamNormalizer(newId, { choices: 3, logprobs: true })
  return chunkChoices([...reads.flatMap(chunks => normalizer.push(chunks)), ...normalizer.end()])
}

const chunk = (...choices: PartialChunkChoice[]): PartialChunk => ({ choices })
const says = (content: string, index = 0): PartialChunk => chunk({ index, delta: { content } })
const ends = (finish_reason: 'stop' | 'length', index = 0): PartialChunk =>
  chunk({ index, delta: {}, finish_reason })

describe('StreamNormalizer', () => {
  it('gives each index its own role and finish chunk', () => {
    const out = normalized([says('a'), says('x', 1)], [says('b'), ends('length', 1), ends('stop')])
    for (const index of [0, 1]) {
      const own = out.filter(choice => choice.index === index)
      expect(own[0]?.delta).toEqual({ role: 'assistant', content: '', refusal: null })
      expect(own.at(-1)).toEqual({
        index,
        delta: {},
        logprobs: null,
        finish_reason: index === 0 ? 'stop' : 'length',
      })
      expect(own.filter(({ delta }) => delta.role !== undefined)).toHaveLength(1)
      expect(own.filter(({ finish_reason }) => finish_reason !== null)).toHaveLength(1)
    }
  })

  it('begins an answer that is a tool call without text', () => {
    const call = { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } } as const
    const out = normalized([chunk({ index: 0, delta: { tool_calls: [call] }, finish_reason: 'stop' })])
    expect(out.map(({ delta, finish_reason }) => [delta, finish_reason])).toEqual([
      [{ role: 'assistant', content: null, refusal: null }, null],
      [{ tool_calls: [{ ...call, function: { name: 'f', arguments: '' } }] }, null],
      [{ tool_calls: [{ index: 0, function: { arguments: '{}' } }] }, null],
      [{}, 'tool_calls'],
    ])
  })

  it('begins a refusal with an empty one', () => {
    const out = normalized([chunk({ index: 0, delta: { refusal: 'No.' } })])
    expect(out[0]?.delta).toEqual({ role: 'assistant', content: null, refusal: '' })
    expect(out[1]?.delta).toEqual({ refusal: 'No.' })
    expect(out[2]?.finish_reason).toBe('stop')
  })

  it('puts logprobs on the first chunk that the piece makes', () => {
    const logprobs = { content: [{ token: 'a', logprob: -1, bytes: [97], top_logprobs: [] }], refusal: null }
    const out = normalized([chunk({ index: 0, delta: { content: 'a' }, logprobs })])
    expect(out.map(choice => choice.logprobs)).toEqual([null, logprobs, null])
    expect(normalized([chunk({ index: 0, delta: {}, logprobs })])[1]).toMatchObject({
      delta: { content: '' },
      logprobs,
    })
  })

  it('leaves out logprobs that nobody asked for', () => {
    const logprobs = { content: [{ token: 'a', logprob: -1, bytes: [97], top_logprobs: [] }], refusal: null }
    const normalizer = new StreamNormalizer(newId, { choices: 1, logprobs: false })
    const out = chunkChoices(normalizer.push([chunk({ index: 0, delta: { content: 'a' }, logprobs })]))
    expect(out.map(choice => choice.logprobs)).toEqual([null, null])
  })

  it('takes tier and fingerprint from what came before the first choice was made, however reads are cut', () => {
    const normalizer = new StreamNormalizer(newId, { choices: 1, logprobs: false })
    normalizer.push([{ ...says('a'), service_tier: 'flex', system_fingerprint: 'fp_1' }])
    normalizer.push([{ ...says('b'), service_tier: 'scale', system_fingerprint: 'fp_2' }])
    expect([normalizer.serviceTier, normalizer.systemFingerprint]).toEqual(['flex', 'fp_1'])
  })

  it('keeps an end reason that came before the last text', () => {
    const out = normalized([says('a'), ends('length'), says('b')])
    expect(out.map(({ delta }) => delta.content)).toEqual(['', 'a', 'b', undefined])
    expect(out.at(-1)?.finish_reason).toBe('length')
  })

  it('ends the deprecated call of a function by its own reason', () => {
    const out = normalized([chunk({ index: 0, delta: { function_call: { name: 'f', arguments: '{}' } } })])
    expect(out.at(-1)?.finish_reason).toBe('function_call')
  })

  it('numbers a choice from 0 that the vendor numbers by something else', () => {
    const normalizer = new StreamNormalizer(newId, { choices: 1, logprobs: false })
    const out = [normalizer.push([says('a', 5)]), normalizer.push([says('b', 5)]), normalizer.end()].flat()
    expect(new Set(out.map(({ index }) => index))).toEqual(new Set([0]))
  })

  it('gives two choices two numbers, whatever the vendor numbers them by', () => {
    const asked = { choices: 2, logprobs: false }
    for (const vendors of [
      [1, 2],
      [7, 0],
      [0, 7],
      [2, 1],
    ]) {
      const normalizer = new StreamNormalizer(newId, asked)
      const out = [...normalizer.push(vendors.map(index => says(String(index), index))), ...normalizer.end()]
      const ends = out.filter(({ finish }) => finish !== null)
      expect(new Set(ends.map(({ index }) => index)), `${vendors}`).toEqual(new Set([0, 1]))
    }
  })

  it('of two reasons to end keeps the first, but one that says more than stop', () => {
    expect(normalized([says('a'), ends('length'), ends('stop')]).at(-1)?.finish_reason).toBe('length')
    expect(normalized([says('a'), ends('stop'), ends('length')]).at(-1)?.finish_reason).toBe('length')
  })

  it('keeps counts that a later chunk leaves out', () => {
    const normalizer = new StreamNormalizer(newId, { choices: 1, logprobs: false })
    normalizer.push([{ choices: [], usage: { prompt_tokens: 9, completion_tokens: 1 } }])
    normalizer.push([{ choices: [], usage: { completion_tokens: 5 } }])
    expect(normalizer.usage).toEqual({ prompt_tokens: 9, completion_tokens: 5 })
  })

  it('refuses an answer without a choice, and choices without end', () => {
    expect(() => normalized([])).toThrow(/without a choice/)
    const many = Array.from({ length: 200 }, (_, index) => says('a', index))
    expect(() => normalized(many)).toThrow(/index 128/)
    expect(() => normalized([says('a', -1)])).toThrow(/index -1/)
  })

  it('tells what came in front of what makes no sense, in the same read', () => {
    const normalizer = new StreamNormalizer(newId, { choices: 1, logprobs: false })
    const out = chunkChoices(normalizer.push([says('a'), says('b'), says('c', 128), says('d')]))
    expect(out.map(({ delta }) => delta.content)).toEqual(['', 'a', 'b'])
    expect(normalizer.failure).toMatchObject({ kind: 'garbled' })
    expect(() => normalizer.end()).toThrow(/index 128/)
  })

  it('loses no text, however it is cut into reads', () => {
    const texts = fc.array(fc.tuple(fc.nat({ max: 2 }), fc.string({ minLength: 1, maxLength: 5 })), {
      minLength: 1,
    })
    fc.assert(
      fc.property(texts, fc.nat({ max: 5 }), (pieces, cut) => {
        const chunks = pieces.map(([index, text]) => says(text, index))
        const out = normalized(chunks.slice(0, cut), chunks.slice(cut))
        for (const index of [0, 1, 2]) {
          const own = out.filter(choice => choice.index === index)
          const sent = pieces.flatMap(([of, text]) => (of === index ? [text] : [])).join('')
          expect(own.map(({ delta }) => delta.content ?? '').join('')).toBe(sent)
        }
      }),
    )
  })
})

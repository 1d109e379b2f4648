import { describe, expect, it } from 'vitest'
import type { PartialChunk, PartialMessage } from '../contracts/provider.ts'
import { chunkChoices } from '../dialects/chat/stream-writer.ts'
import { StreamNormalizer } from './stream.ts'

const asked = { choices: 1, logprobs: false }
const newId = () => 'f'.repeat(32)

function pushed(...deltas: PartialMessage[]) {
  const normalizer = new StreamNormalizer(newId, asked)
  const out = chunkChoices(
    normalizer.push(deltas.map((delta): PartialChunk => ({ choices: [{ index: 0, delta }] }))),
  )
  return { normalizer, deltas: out.map(({ delta }) => delta) }
}

describe('what a piece says', () => {
  const text = { role: 'assistant', content: '', refusal: null }
  const textless = { ...text, content: null }
  const thought = { reasoning_content: 'hm', reasoning_details: [{ type: 'x' }] }

  it.each<[string, PartialMessage, object, object[], number]>([
    ['text', { content: 'abc' }, text, [{ content: 'abc' }], 3],
    ['no text', { content: null }, textless, [], 0],
    ['nothing', {}, text, [], 0],
    ['thoughts', thought, text, [thought], 2],
    ['details of thoughts', { reasoning_details: [] }, text, [{ reasoning_details: [] }], 0],
    ['bare thoughts', { reasoning_content: 'hm' }, text, [{ reasoning_content: 'hm' }], 2],
    [
      'a function',
      { function_call: { name: 'f', arguments: '{}' } },
      textless,
      [{ function_call: { name: 'f', arguments: '{}' } }],
      3,
    ],
    ['a function so far', { function_call: { name: 'f' } }, textless, [{ function_call: { name: 'f' } }], 1],
    ['sound', { audio: { data: 'x' } }, text, [{ audio: { data: 'x' } }], 0],
    ['links', { annotations: [{ a: 1 }] }, text, [{ annotations: [{ a: 1 }] }], 0],
    ['places', { citations: [{ a: 1 }] }, text, [{ citations: [{ a: 1 }] }], 0],
    ['a refusal', { refusal: 'No.' }, { ...textless, refusal: '' }, [{ refusal: 'No.' }], 3],
  ])('begins and goes on with %s', (_, delta, role, rest, chars) => {
    const { normalizer, deltas } = pushed(delta, delta)
    expect(deltas).toStrictEqual([role, ...rest, ...rest])
    expect(normalizer.chars).toBe(2 * chars)
    expect(normalizer.failure).toBeUndefined()
  })

  it('is counted with the names and arguments of calls, whenever they are told', () => {
    const call = { index: 0, id: 'c', function: { name: 'f', arguments: '{"a"' } }
    const { normalizer } = pushed(
      { tool_calls: [call] },
      { tool_calls: [{ index: 0, function: { arguments: ':1}' } }] },
    )
    expect(normalizer.chars).toBe(8)
    const late = pushed({ tool_calls: [{ index: 0, id: 'c', function: { name: 'f' } }] }).normalizer
    expect(late.chars).toBe(1)
    expect(chunkChoices(late.end()).map(({ delta }) => delta.tool_calls)).toEqual([
      [{ index: 0, function: { arguments: '{}' } }],
      undefined,
    ])
    expect(late.chars).toBe(3)
  })
})

describe('what is known of a stream', () => {
  it('is nothing before the vendor has said something', () => {
    const normalizer = new StreamNormalizer(newId, asked)
    expect(normalizer.started).toBe(false)
    expect(normalizer.push([{ choices: [], service_tier: 'flex', system_fingerprint: 'fp' }])).toEqual([])
    expect(normalizer.started).toBe(false)
    expect(normalizer).toMatchObject({ usage: undefined, serviceTier: 'flex', systemFingerprint: 'fp' })
    normalizer.push([{ choices: [], usage: { prompt_tokens: 1 } }])
    expect(normalizer.started).toBe(true)
    expect(pushed({}).normalizer.started).toBe(true)
  })

  it('names a tier that came last only at the end, however it was read', () => {
    const { normalizer } = pushed({ content: 'a' })
    normalizer.push([{ choices: [], service_tier: 'priority' }])
    expect(normalizer.serviceTier).toBeUndefined()
    normalizer.end()
    expect(normalizer.serviceTier).toBe('priority')
  })

  it('is nothing where the vendor tells none', () => {
    const { normalizer } = pushed({ content: 'a' })
    expect(normalizer).toMatchObject({ serviceTier: undefined, systemFingerprint: null, usage: undefined })
    const blank = new StreamNormalizer(newId, asked)
    blank.push([
      { choices: [], service_tier: 'flex', system_fingerprint: 'fp' },
      { choices: [], system_fingerprint: '' },
    ])
    expect(blank).toMatchObject({ serviceTier: 'flex', systemFingerprint: 'fp' })
  })

  it('garbles an answer without a choice, and one with an impossible choice', () => {
    const normalizer = new StreamNormalizer(newId, asked)
    expect(() => normalizer.end()).toThrow(expect.objectContaining({ kind: 'garbled' }))
    normalizer.push([{ choices: [{ index: Number.NaN, delta: {} }] }])
    expect(normalizer.failure).toMatchObject({
      kind: 'garbled',
      message: expect.stringContaining('index NaN'),
    })
  })

  it('leaves logprobs out that hold nothing', () => {
    const normalizer = new StreamNormalizer(newId, { choices: 1, logprobs: true })
    const empty = [undefined, null, { content: null, refusal: null }, { content: [], refusal: [] }] as const
    for (const logprobs of empty) {
      const out = chunkChoices(
        normalizer.push([
          {
            choices: [{ index: 0, delta: { content: 'a' }, ...(logprobs === undefined ? {} : { logprobs }) }],
          },
        ]),
      )
      expect(out.at(-1)).toMatchObject({ delta: { content: 'a' }, logprobs: null })
    }
  })
})

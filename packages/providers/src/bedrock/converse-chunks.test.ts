import { type Call, foldChunks, type PartialMessage } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { AnswerParts } from './answer-parts.ts'
import { converseChunks } from './converse-chunks.ts'
import { bedrockModel } from './models.ts'

const completionOf = (value: unknown, call: Call) => foldChunks(converseChunks(value, call))

const model = 'anthropic.claude-sonnet-4-20250514-v1:0'
const call = { model, input: { model: 'public', messages: [] } }

const answer = (content: readonly unknown[], further: object = {}) =>
  completionOf({ output: { message: { content } }, stopReason: 'end_turn', ...further }, call)

function messageOf(...content: unknown[]): PartialMessage {
  return answer(content).choices[0]!.message
}

describe('converseChunks', () => {
  it('tells where reasoning stood in the middle of text and calls', () => {
    const thought = { reasoningContent: { reasoningText: { signature: 's' } } }
    const use = { toolUse: { toolUseId: 'a', name: 'f', input: {} } }
    const detail = { type: 'reasoning.text', text: '', signature: 's', format: 'anthropic-claude-v1' }
    const { reasoning_details, ...rest } = messageOf(thought, { text: 'abc' }, thought, use, thought)
    expect(reasoning_details).toEqual([
      { ...detail, index: 0 },
      { ...detail, index: 1, place: { text: 3, calls: 0 } },
      { ...detail, index: 2, place: { text: 3, calls: 1 } },
    ])
    expect(Object.keys(rest)).toEqual(['content', 'tool_calls'])
    expect(messageOf(use, thought).reasoning_details).toEqual([
      { ...detail, index: 0, place: { text: 0, calls: 1 } },
    ])
  })

  it.each(['malformed_model_output', 'malformed_tool_use'])(
    'fails where the model ended by %s without text or a call',
    stopReason => {
      const failed = expect.objectContaining({ kind: 'refused', status: 424 })
      expect(() => answer([], { stopReason })).toThrow(failed)
      const thought = { reasoningContent: { reasoningText: { text: 'Hm.' } } }
      expect(() => answer([thought], { stopReason })).toThrow(failed)
      expect(answer([{ text: 'a' }], { stopReason }).choices[0]?.finish_reason).toBe('stop')
    },
  )

  it('cites what it can name, and says of it no more than is there', () => {
    const place = (kind: string, fields: object) => ({ location: { [kind]: fields } })
    const citations = [
      place('documentChar', { documentIndex: 2 }),
      { ...place('documentChunk', { documentIndex: 1, start: 0 }), sourceContent: [{}, { text: 7 }] },
      place('documentPage', { start: 1, end: 2 }),
    ]
    const file = (fields: object) => ({
      type: 'file_citation',
      file_citation: { ...fields, start_index: 0, end_index: 3 },
    })
    expect(messageOf({ citationsContent: { content: [{ text: 'abc' }], citations } })).toStrictEqual({
      content: 'abc',
      citations: [file({ index: 2 }), file({ index: 1, start_block_index: 0 })],
    })
  })

  it('cites the text before, where a citation has none of its own', () => {
    const web = { location: { web: { url: 'https://a.example/' } } }
    const { annotations } = messageOf(
      { text: 'abc' },
      { citationsContent: { content: [{ text: '' }], citations: [web] } },
      { citationsContent: { content: [{ text: 'de' }] } },
    )
    expect(annotations).toMatchObject([{ url_citation: { start_index: 0, end_index: 3 } }])
  })

  it('names no type of an error that has none', () => {
    expect(() => completionOf({ message: 'No.' }, call)).toThrow(
      expect.objectContaining({ kind: 'refused', status: 500, vendorMessage: 'No.', type: null }),
    )
  })

  it.each<[usage: object, expected: object | undefined]>([
    [{ inputTokens: 5 }, { prompt_tokens: 5 }],
    [{ outputTokens: 9 }, { completion_tokens: 9 }],
    [{ cacheReadInputTokens: 7 }, undefined],
  ])('counts %j', (usage, expected) => {
    expect(answer([], { usage }).usage).toEqual(expected)
  })

  it.each([
    ['default', 'default'],
    ['flex', 'flex'],
    ['priority', 'priority'],
    ['reserved', undefined],
  ])('names the tier %s as %s', (type, tier) => {
    expect(answer([], { serviceTier: { type } }).service_tier).toBe(tier)
  })
})

it('AnswerParts keep 8 MiB, of which each piece is 16 characters or more', () => {
  const parts = new AnswerParts(bedrockModel(model))
  for (let pieces = 0; pieces < 8_388_608 / 16; pieces++) parts.keep(0)
  expect(() => parts.keep(0)).toThrow(expect.objectContaining({ kind: 'garbled' }))
})

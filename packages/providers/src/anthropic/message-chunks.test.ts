import { foldChunks, type PartialMessage } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { AnswerParts } from './answer-parts.ts'
import { messageChunks } from './message-chunks.ts'

const completionOf = (value: unknown, answerTool: string | undefined) =>
  foldChunks(messageChunks(value, answerTool))

function messageOf(content: readonly unknown[], answerTool?: string, further: object = {}): PartialMessage {
  const { choices } = completionOf({ content, stop_reason: 'end_turn', ...further }, answerTool)
  return choices[0]!.message
}

describe('messageChunks', () => {
  it.each([
    [{ type: 'error', message: 'No.' }, 500],
    [{ type: 'error', error: 'No.' }, 500],
    [{ error: { type: 'overloaded_error', message: 'No.' } }, 529],
  ])('refuses by %j', (value, status) => {
    expect(() => completionOf(value, undefined)).toThrow(
      expect.objectContaining({ kind: 'refused', status, vendorMessage: 'No.' }),
    )
  })

  it('cites pages, and of places only those that it can name', () => {
    const page = { type: 'web_search_result_location', url: 'https://a.example/' }
    const citations = [
      page,
      { ...page, url: '' },
      { type: 'char_location', url: 'https://b.example/', document_index: 2 },
      { type: 'char_location', url: 'https://b.example/' },
    ]
    expect(messageOf([{ type: 'text', text: 'abc', citations }])).toStrictEqual({
      content: 'abc',
      annotations: [
        {
          type: 'url_citation',
          url_citation: {
            url: 'https://a.example/',
            title: 'https://a.example/',
            start_index: 0,
            end_index: 3,
          },
        },
      ],
      citations: [{ type: 'file_citation', file_citation: { index: 2, start_index: 0, end_index: 3 } }],
    })
  })

  it('counts the web searches that are billed', () => {
    const usage = { input_tokens: 3, output_tokens: 2, server_tool_use: { web_search_requests: 4 } }
    const answer = { content: [{ type: 'text', text: 'a' }], stop_reason: 'end_turn', usage }
    expect(completionOf(answer, undefined).usage).toMatchObject({ web_search_requests: 4 })
  })

  it('gives the calls of other tools beside the answer that came by one', () => {
    const use = (name: string, input: object) => ({ type: 'tool_use', id: name, name, input })
    expect(messageOf([use('f', {}), use('json', { a: 1 })], 'json')).toMatchObject({
      content: '{"a":1}',
      tool_calls: [{ id: 'f', function: { name: 'f' } }],
    })
  })

  it('stands odd blocks, and tells nothing of them', () => {
    const odd = [null, 'x', { type: 'text', text: 7, citations: 'x' }, { type: 'redacted_thinking' }]
    const thoughts = [{ type: 'thinking' }, { type: 'thinking', signature: 's' }]
    expect(messageOf([...odd, ...thoughts, { type: 'tool_use' }])).toStrictEqual({
      reasoning_details: [
        { type: 'reasoning.text', text: '', signature: 's', format: 'anthropic-claude-v1', index: 0 },
      ],
      tool_calls: [{ type: 'function', function: { name: '', arguments: '{}' } }],
    })
  })

  it('refuses in words of the vendor only where it refuses', () => {
    const stop_details = { explanation: 'No.' }
    expect(messageOf([], undefined, { stop_reason: 'refusal', stop_details })).toEqual({ refusal: 'No.' })
    expect(messageOf([], undefined, { stop_details })).toEqual({})
  })

  it.each<[usage: object, expected: object | undefined]>([
    [{ input_tokens: 5 }, { prompt_tokens: 5 }],
    [{ output_tokens: 9 }, { completion_tokens: 9 }],
    [
      { input_tokens: 5, output_tokens: 0, cache_read_input_tokens: 0 },
      { prompt_tokens: 5, completion_tokens: 0, cached_tokens: 0 },
    ],
    [
      { input_tokens: 5, output_tokens: 9, iterations: [{ type: 'advisor_message', input_tokens: 1 }] },
      { prompt_tokens: 5, completion_tokens: 9 },
    ],
    [{ cache_read_input_tokens: 7 }, undefined],
  ])('counts %j', (usage, expected) => {
    expect(completionOf({ content: [], usage }, undefined).usage).toEqual(expected)
  })
})

it('AnswerParts keep 8 MiB, of which each piece is 16 characters or more', () => {
  const parts = new AnswerParts()
  for (let pieces = 0; pieces < 8_388_608 / 16; pieces++) parts.keep(0)
  expect(() => parts.keep(0)).toThrow(expect.objectContaining({ kind: 'garbled' }))
})

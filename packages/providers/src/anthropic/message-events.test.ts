import type { PartialChunk } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { scriptedResponse } from '../../test/scripted-response.ts'
import { decodeMessages } from './decode.ts'
import { MessageEvents } from './message-events.ts'

const start = (usage?: object) => ({ type: 'message_start', message: { id: 'm', usage } })
const begin = (content_block: object, index = 0) => ({ type: 'content_block_start', index, content_block })
const delta = (delta: unknown, index = 0) => ({ type: 'content_block_delta', index, delta })
const end = (index = 0) => ({ type: 'content_block_stop', index })
const finish = (stop_reason: string) => ({ type: 'message_delta', delta: { stop_reason } })
const stop = { type: 'message_stop' }
const text = (text: string, index = 0) => [begin({ type: 'text', text }, index), end(index)]

function read(events: readonly object[], answerTool?: string) {
  const reader = new MessageEvents(answerTool)
  const chunks: PartialChunk[] = []
  for (const event of events) reader.read({ ...event }, 'message', chunks)
  return { chunks, deltas: chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta)) }
}

const garbled = expect.objectContaining({ kind: 'garbled' })

describe('MessageEvents', () => {
  it('has a beginning, be it a start or a block; an end alone is no message', () => {
    expect(() => read([stop])).toThrow(garbled)
    for (const beginning of [[start()], text('a'), [finish('end_turn')]]) {
      expect(read([...beginning, stop]).chunks.at(-1)?.choices).toHaveLength(1)
    }
  })

  it('tells no counts where there are none', () => {
    const { chunks } = read([start(), ...text('a'), finish('end_turn'), stop])
    expect(chunks).toEqual([
      { choices: [{ index: 0, delta: { content: 'a' } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    ])
  })

  it('passes over events that lack what they are about', () => {
    const { deltas } = read([
      { type: 'message_start' },
      delta(null),
      ...text('a'),
      begin({ type: 'redacted_thinking' }, 1),
      end(1),
      begin({ type: 'text', citations: [null] }, 2),
      delta({ type: 'citations_delta' }, 2),
      delta({ type: 'citations_delta', citation: null }, 2),
      end(2),
      { type: 'message_delta' },
      stop,
    ])
    expect(deltas).toEqual([{ content: 'a' }, {}])
  })

  it('gives a call without a name as one', () => {
    expect(read([begin({ type: 'tool_use', id: 't', input: {} })]).deltas).toEqual([
      { tool_calls: [{ index: 0, id: 't', type: 'function', function: { name: '', arguments: '' } }] },
    ])
  })

  it('takes of a block only what is of its kind', () => {
    const page = { type: 'web_search_result_location', url: 'https://a.example/' }
    const { deltas } = read([
      start(),
      begin({ type: 'text', text: 'a' }),
      delta({ type: 'thinking_delta', thinking: 'no' }),
      delta({ type: 'signature_delta', signature: 'no' }),
      end(),
      begin({ type: 'thinking', thinking: 'hm' }, 1),
      delta({ type: 'text_delta', text: 'no' }, 1),
      delta({ type: 'citations_delta', citation: page }, 1),
      end(1),
      // A block that never began has no kind.
      delta({ type: 'signature_delta', signature: 'no' }, 2),
      delta({ type: 'input_json_delta', partial_json: 'no' }, 2),
      end(2),
      stop,
    ])
    expect(deltas).toEqual([{ content: 'a' }, { reasoning_content: 'hm' }, {}])
  })

  it('takes citations that come with the start of their text', () => {
    const page = { type: 'web_search_result_location', url: 'https://a.example/', title: 'A' }
    const { deltas } = read([begin({ type: 'text', text: 'abc', citations: [page] }), end(), stop])
    expect(deltas.at(-1)?.annotations).toEqual([
      {
        type: 'url_citation',
        url_citation: { url: 'https://a.example/', title: 'A', start_index: 0, end_index: 3 },
      },
    ])
  })

  it('gives no reasoning that could come back where a block between it was left out', () => {
    const thought = (index: number) => [
      begin({ type: 'thinking', thinking: 'hm', signature: 's' }, index),
      end(index),
    ]
    const tool = [begin({ type: 'server_tool_use', name: 'web_search' }, 1), end(1)]
    expect(read([...thought(0), ...tool, stop]).deltas.at(-1)?.reasoning_details).toHaveLength(1)
    expect(read([...thought(0), ...tool, ...thought(2), stop]).deltas.at(-1)).toEqual({})
  })

  it('gives the answer that came by a tool also behind other words and calls', () => {
    const tool = (name: string, index: number, partial_json: string) => [
      begin({ type: 'tool_use', id: name, name }, index),
      delta({ type: 'input_json_delta', partial_json }, index),
      end(index),
    ]
    const events = [...text(' '), ...tool('f', 1, '{}'), ...tool('json', 2, '{"a":1}'), stop]
    const { deltas } = read(events, 'json')
    expect(deltas.map(({ content }) => content ?? '').join('')).toBe(' {"a":1}')
    expect(deltas.flatMap(({ tool_calls }) => tool_calls ?? []).map(({ index }) => index)).toEqual([0, 0])
  })

  it('keeps no citations without end', () => {
    const citation = { type: 'char_location', document_index: 0, cited_text: 'x'.repeat(1_000_000) }
    const citations = Array.from({ length: 9 }, () => delta({ type: 'citations_delta', citation }))
    expect(() => read([begin({ type: 'text', text: 'a' }), ...citations])).toThrow(garbled)
  })
})

describe('a streamed message', () => {
  async function failureOf(body: string): Promise<unknown> {
    const call = { model: 'm', input: { model: 'public', messages: [], stream: true } }
    const reply = await decodeMessages(scriptedResponse({ body }), call)
    if (reply.kind !== 'stream') throw new Error('It is no stream.')
    try {
      for await (const _batch of reply.chunks);
    } catch (error) {
      return error
    }
    throw new Error('It did not fail.')
  }
  const before = `data: ${JSON.stringify(start())}\n\n`

  it.each([
    'data: {"type":"error","message":"No."}',
    'data: {"error":{"type":"api_error","message":"No."}}',
    'event: error\ndata: {"type":"api_error","message":"No."}',
    'event: error\ndata: {"message":"No."}',
    '{"type":"error","error":{"type":"api_error","message":"No."}}',
  ])('ends by an error, in whatever form it comes: %j', async event => {
    expect(await failureOf(`${before}${event}\n\n`)).toMatchObject({
      kind: 'refused',
      status: 500,
      vendorMessage: 'No.',
    })
  })

  it('is cut where it ends within an event', async () => {
    expect(await failureOf(`${before}data: {"type":"message_st`)).toMatchObject({ kind: 'truncated' })
  })
})

import type { Call, ChatRequest, PartialChunk } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { scriptedEvent } from '../../test/bedrock/scripted-frames.ts'
import { scriptedResponse } from '../../test/scripted-response.ts'
import { ConverseEvents } from './converse-events.ts'
import { decodeConverse } from './decode.ts'

type Event = readonly [name: string, value: object]

const start: Event = ['messageStart', { role: 'assistant' }]
const delta = (delta: object, contentBlockIndex = 0): Event => [
  'contentBlockDelta',
  { delta, contentBlockIndex },
]
const opened = (name: string, contentBlockIndex = 0): Event => [
  'contentBlockStart',
  { start: { toolUse: { toolUseId: name, name } }, contentBlockIndex },
]
const closed = (contentBlockIndex = 0): Event => ['contentBlockStop', { contentBlockIndex }]
const stop = (stopReason = 'end_turn'): Event => ['messageStop', { stopReason }]
const counted = (further: object = {}): Event => [
  'metadata',
  { usage: { inputTokens: 3, outputTokens: 5 }, ...further },
]
const json: Partial<ChatRequest> = {
  response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
}

function callFor(further: Partial<ChatRequest> = {}): Call {
  const messages = [{ role: 'user', content: 'Hi' }] as const
  return {
    input: { model: 'public', messages, ...further },
    model: 'anthropic.claude-sonnet-4-20250514-v1:0',
  }
}

function read(events: readonly Event[], call = callFor()) {
  const reader = new ConverseEvents(call)
  const chunks: PartialChunk[] = []
  for (const [name, value] of events) reader.read({ ...value }, name, chunks)
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta))
  return { chunks, deltas, progress: reader.progress }
}

const garbled = expect.objectContaining({ kind: 'garbled' })
const page = { location: { documentPage: { documentIndex: 0 } } }
const web = { location: { web: { url: 'https://a.example/' } } }

describe('ConverseEvents', () => {
  it('fails where the model ended by a malformed call without text or a call', () => {
    const end = stop('malformed_tool_use')
    const thought = delta({ reasoningContent: { text: 'Hm.' } })
    const failed = expect.objectContaining({ kind: 'refused', status: 424 })
    expect(() => read([start, end])).toThrow(failed)
    expect(() => read([start, thought, closed(), end])).toThrow(failed)
    expect(read([start, delta({ text: 'a' }), closed(), end]).deltas[0]).toEqual({ content: 'a' })
    expect(read([start, opened('f'), closed(), end]).progress).toBe('whole')
  })

  it('has a beginning, be it a start or a block; an end alone is no answer', () => {
    expect(() => read([stop()])).toThrow(garbled)
    for (const beginning of [start, delta({ text: 'a' }), opened('f')]) {
      expect(read([beginning, stop()]).progress).toBe('whole')
    }
  })

  it('ends once, and is at its end where its counts came before it', () => {
    const once = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }
    expect(read([start, stop(), stop('max_tokens')]).chunks).toEqual([once])
    expect(read([start, counted(), stop()]).progress).toBe('ended')
    expect(read([start, stop(), counted()]).progress).toBe('ended')
  })

  it('tells counts with the tier that answered, and none where there are none', () => {
    const usage = { prompt_tokens: 3, completion_tokens: 5 }
    const tier = (type: string) => read([counted({ serviceTier: { type } })]).chunks
    expect(tier('priority')).toEqual([{ choices: [], usage, service_tier: 'priority' }])
    expect(tier('reserved')).toEqual([{ choices: [], usage }])
    expect(read([['metadata', { metrics: {} }]]).chunks).toEqual([])
  })

  it('takes of a block only what is of its kind', () => {
    const { deltas } = read([
      delta({ reasoningContent: { text: 'hm' } }),
      delta({ toolUse: { input: 'no' } }),
      closed(),
      opened('f', 1),
      delta({ reasoningContent: { text: 'no', signature: 'no' } }, 1),
      delta({ toolUse: { input: '{}' } }, 1),
      closed(1),
      stop('tool_use'),
    ])
    expect(deltas).toEqual([
      { reasoning_content: 'hm' },
      { tool_calls: [{ index: 0, id: 'f', type: 'function', function: { name: 'f', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{}' } }] },
      {},
    ])
  })

  it('cites documents, also where the first citation comes before its text', () => {
    const { deltas } = read([
      delta({ citation: page }),
      delta({ citation: web }),
      delta({ text: 'abc' }),
      closed(),
      stop(),
    ])
    const place = { start_index: 0, end_index: 3 }
    const url = 'https://a.example/'
    expect(deltas.at(-1)).toEqual({
      annotations: [{ type: 'url_citation', url_citation: { url, title: url, ...place } }],
      citations: [{ type: 'file_citation', file_citation: { index: 0, ...place } }],
    })
  })

  it('cites nothing of talk whose place an answer took', () => {
    const talk = [delta({ text: 'abc' }), delta({ citation: page }), delta({ citation: web }), closed()]
    const answer = [opened('json', 1), delta({ toolUse: { input: '{}' } }, 1), closed(1)]
    const { deltas } = read([...talk, ...answer, stop('tool_use')], callFor(json))
    expect(deltas).toEqual([{ content: '{}' }, {}])
  })

  it('keeps no reasoning without end, also of what nobody can read', () => {
    const redactedContent = 'x'.repeat(1_000_000)
    const pieces = Array.from({ length: 9 }, () => delta({ reasoningContent: { redactedContent } }))
    expect(() => read(pieces)).toThrow(garbled)
  })
})

it('a stream is not read beyond its end where its counts came before that', async () => {
  const frames = [start, delta({ text: 'a' }), counted(), stop()].map(([name, value]) =>
    scriptedEvent({ [name]: value }),
  )
  const response = scriptedResponse({ body: [...frames, 'garbage'] })
  const reply = await decodeConverse(response, callFor({ stream: true }))
  if (reply.kind !== 'stream') throw new Error('It is no stream.')
  for await (const _batch of reply.chunks);
  expect(response.state).toEqual({ reads: 4, returned: true })
})

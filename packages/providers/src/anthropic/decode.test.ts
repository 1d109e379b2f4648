import type { Call, ChatRequest, PartialChunk, UpstreamError } from '@sluice/core/provider'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scriptedResponse } from '../../test/scripted-response.ts'
import { decodeMessages } from './decode.ts'

const sonnet4 = 'claude-sonnet-4-20250514'
const json = { 'content-type': 'application/json' }
const sse = { 'content-type': 'text/event-stream' }

function callOf(stream: boolean, further: Partial<ChatRequest> = {}): Call {
  const messages = [{ role: 'user', content: 'x' }] as const
  return { model: sonnet4, input: { model: 'public', messages, stream, ...further } }
}

const answersByTool: Partial<ChatRequest> = {
  response_format: { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } },
}

/** Events as the vendor frames them. */
const framed = (events: readonly object[]) =>
  events
    .map(event => `event: ${(event as { type?: string }).type}\ndata: ${JSON.stringify(event)} \n\n`)
    .join('')

const start = (usage: object = { input_tokens: 5, output_tokens: 1 }) => ({
  type: 'message_start',
  message: { id: 'msg_1', type: 'message', content: [], usage },
})
const begin = (content_block: object, index = 0) => ({ type: 'content_block_start', index, content_block })
const delta = (delta: object, index = 0) => ({ type: 'content_block_delta', index, delta })
const end = (index = 0) => ({ type: 'content_block_stop', index })
const finish = (stop_reason: string | null, usage: object = { output_tokens: 9 }, further = {}) => [
  { type: 'message_delta', delta: { stop_reason, ...further }, usage },
  { type: 'message_stop' },
]
const text = (...pieces: string[]) => [
  begin({ type: 'text', text: '' }),
  ...pieces.map(text => delta({ type: 'text_delta', text })),
  end(),
]

async function read(body: string | Iterable<string | Uint8Array>, call = callOf(true)) {
  const chunks: PartialChunk[] = []
  let failure: UpstreamError | undefined
  try {
    const reply = await decodeMessages(scriptedResponse({ headers: sse, body }), call)
    if (reply.kind !== 'stream') throw new Error('No stream was made.')
    for await (const batch of reply.chunks) chunks.push(...batch)
  } catch (error) {
    failure = error as UpstreamError
  }
  const deltas = chunks.flatMap(({ choices }) => choices.map(({ delta }) => delta))
  const finished = chunks.flatMap(({ choices }) => choices.map(({ finish_reason }) => finish_reason))
  return {
    chunks,
    failure,
    deltas,
    content: deltas.map(({ content }) => content ?? '').join(''),
    reasoning: deltas.map(({ reasoning_content }) => reasoning_content ?? '').join(''),
    calls: deltas.flatMap(({ tool_calls }) => tool_calls ?? []),
    finish: finished.at(-1),
    usage: chunks.findLast(({ usage }) => usage !== undefined)?.usage,
  }
}

const stream = (events: readonly object[], call?: Call) => read(framed(events), call)

async function whole(message: object, call = callOf(false)) {
  const reply = await decodeMessages(scriptedResponse({ headers: json, body: JSON.stringify(message) }), call)
  if (reply.kind !== 'completion') throw new Error('No completion was made.')
  const { choices, ...rest } = reply.completion
  return { ...choices[0]!, ...rest }
}

const message = (content: readonly object[], further = {}) => ({
  type: 'message',
  content,
  stop_reason: 'end_turn',
  usage: { input_tokens: 5, output_tokens: 9 },
  ...further,
})

async function failureOf(promise: Promise<unknown>): Promise<UpstreamError> {
  try {
    await promise
  } catch (error) {
    return error as UpstreamError
  }
  throw new Error('It did not fail.')
}

describe('a streamed message', () => {
  it('is text in pieces, with usage and one reason to end', async () => {
    const { chunks } = await stream([start(), { type: 'ping' }, ...text('Hel', 'lo'), ...finish('end_turn')])
    expect(chunks).toEqual([
      { choices: [], usage: { prompt_tokens: 5, completion_tokens: 1 } },
      { choices: [{ index: 0, delta: { content: 'Hel' } }] },
      { choices: [{ index: 0, delta: { content: 'lo' } }] },
      { choices: [], usage: { prompt_tokens: 5, completion_tokens: 9 } },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    ])
  })

  it('counts the calls by themselves, and gives one without arguments an empty object', async () => {
    const call = (name: string, index: number, input: object = {}) =>
      begin({ type: 'tool_use', id: `toolu_${index}`, name, input }, index)
    const json = (partial_json: string, index: number) =>
      delta({ type: 'input_json_delta', partial_json }, index)
    const { calls, finish: reason } = await stream([
      start(),
      ...text('Let me see.'),
      call('a', 1),
      json('', 1),
      json('{"x"', 1),
      json(':1}', 1),
      end(1),
      call('b', 2),
      json('', 2),
      end(2),
      call('c', 3, { y: 2 }),
      end(3),
      ...finish('tool_use'),
    ])
    expect(calls).toEqual([
      { index: 0, id: 'toolu_1', type: 'function', function: { name: 'a', arguments: '' } },
      { index: 0, function: { arguments: '{"x"' } },
      { index: 0, function: { arguments: ':1}' } },
      { index: 1, id: 'toolu_2', type: 'function', function: { name: 'b', arguments: '' } },
      { index: 1, function: { arguments: '{}' } },
      { index: 2, id: 'toolu_3', type: 'function', function: { name: 'c', arguments: '' } },
      { index: 2, function: { arguments: '{"y":2}' } },
    ])
    expect(reason).toBe('tool_calls')
  })

  it('gives thinking as it comes, and what the vendor can check of it in one piece at the end', async () => {
    const { deltas, reasoning } = await stream([
      start(),
      begin({ type: 'thinking', thinking: '', signature: '' }),
      delta({ type: 'thinking_delta', thinking: 'one ' }),
      delta({ type: 'thinking_delta', thinking: 'two' }),
      delta({ type: 'signature_delta', signature: 'sig' }),
      end(),
      begin({ type: 'redacted_thinking', data: 'xyz' }, 1),
      end(1),
      begin({ type: 'thinking', thinking: 'unsigned' }, 2),
      end(2),
      begin({ type: 'thinking', thinking: '', signature: 'hidden' }, 3),
      end(3),
      begin({ type: 'text', text: 'A' }, 4),
      end(4),
      ...finish('end_turn'),
    ])
    expect(reasoning).toBe('one twounsigned')
    const format = 'anthropic-claude-v1'
    const details = [
      { type: 'reasoning.text', text: 'one two', signature: 'sig', format, index: 0 },
      { type: 'reasoning.encrypted', data: 'xyz', format, index: 1 },
      { type: 'reasoning.text', text: '', signature: 'hidden', format, index: 2 },
    ]
    expect(deltas.flatMap(({ reasoning_details }) => reasoning_details ?? [])).toEqual(details)
    expect(deltas.flatMap(({ ended_reasoning }) => ended_reasoning ?? [])).toEqual(details)
    expect(deltas.at(-2)).toEqual({ content: 'A' })
  })

  it('leaves out the tools of the vendor, and whatever it does not know', async () => {
    const {
      content,
      calls,
      finish: reason,
      failure,
    } = await stream([
      start(),
      begin({ type: 'server_tool_use', id: 's', name: 'web_search', input: { q: 1 } }),
      delta({ type: 'input_json_delta', partial_json: '{"q":1}' }),
      end(),
      begin({ type: 'web_search_tool_result', content: [{ type: 'text', text: 'no' }] }, 1),
      end(1),
      begin({ type: 'compaction' }, 2),
      delta({ type: 'compaction_delta', content: 'no' }, 2),
      delta({ type: 'text_delta', text: 'no' }, 2),
      end(2),
      delta({ type: 'input_json_delta', partial_json: 'no' }, 9),
      delta({ type: 'signature_delta', signature: 'no' }, 9),
      end(9),
      { type: 'something_new', text: 'no' },
      { type: 'content_block_start', index: 3, content_block: null },
      { type: 'content_block_delta', index: 3, delta: 'no' },
      ...text('yes'),
      ...finish('tool_use'),
    ])
    expect({ content, calls, reason, failure }).toEqual({
      content: 'yes',
      calls: [],
      reason: 'stop',
      failure: undefined,
    })
  })

  it('cites pages and documents at the places of the text, in one piece at the end', async () => {
    const cited = (index: number, text: string, ...citations: object[]) => [
      begin({ type: 'text', text: '', citations: [] }, index),
      ...citations.map(citation => delta({ type: 'citations_delta', citation }, index)),
      delta({ type: 'text_delta', text }, index),
      end(index),
    ]
    const page = {
      type: 'web_search_result_location',
      url: 'https://a.example/',
      title: 'A',
      cited_text: 'q',
    }
    const { deltas } = await stream([
      start(),
      ...text('It is '),
      ...cited(1, '4 o’clock', page, { ...page, title: null }),
      ...cited(2, '.', {
        type: 'page_location',
        document_index: 0,
        document_title: 'a.pdf',
        cited_text: 'four',
        start_page_number: 2,
        end_page_number: 3,
      }),
      ...cited(3, '!', { type: 'unknown_location' }),
      ...finish('end_turn'),
    ])
    expect(deltas.filter(({ annotations }) => annotations !== undefined)).toEqual([
      {
        annotations: [
          {
            type: 'url_citation',
            url_citation: { url: 'https://a.example/', title: 'A', start_index: 6, end_index: 15 },
          },
          {
            type: 'url_citation',
            url_citation: {
              url: 'https://a.example/',
              title: 'https://a.example/',
              start_index: 6,
              end_index: 15,
            },
          },
        ],
        citations: [
          {
            type: 'file_citation',
            file_citation: {
              index: 0,
              filename: 'a.pdf',
              quote: 'four',
              start_page_number: 2,
              end_page_number: 3,
              start_index: 15,
              end_index: 16,
            },
          },
        ],
      },
    ])
  })

  it('counts what was cached, and takes the last count that is told', async () => {
    const first = {
      input_tokens: 0,
      cache_read_input_tokens: 20,
      cache_creation_input_tokens: 3,
      output_tokens: 1,
      service_tier: 'standard',
    }
    const { usage, chunks } = await stream([
      start(first),
      ...text('a'),
      ...finish('end_turn', {
        input_tokens: 61,
        cache_read_input_tokens: null,
        output_tokens: 12,
        output_tokens_details: { thinking_tokens: 4 },
      }),
    ])
    expect(usage).toEqual({
      prompt_tokens: 84,
      completion_tokens: 12,
      cached_tokens: 20,
      cache_write_tokens: 3,
      reasoning_tokens: 4,
    })
    expect(chunks[0]).toMatchObject({ service_tier: 'default' })
    const kept = await stream([
      start(),
      ...text('a'),
      ...finish('end_turn', { input_tokens: 0, output_tokens: 7 }),
    ])
    expect(kept.usage).toEqual({ prompt_tokens: 5, completion_tokens: 7 })
  })

  it('sums its iterations, unless another model took over', async () => {
    const iteration = (type: string, input_tokens: number, output_tokens: number) => ({
      type,
      input_tokens,
      output_tokens,
    })
    const total = { input_tokens: 10, output_tokens: 3 }
    const iterations = [
      iteration('compaction', 100, 20),
      iteration('message', 10, 3),
      iteration('advisor_message', 7, 7),
    ]
    const summed = await stream([start(), ...finish('end_turn', { ...total, iterations })])
    expect(summed.usage).toEqual({ prompt_tokens: 110, completion_tokens: 23 })
    const fallback = [iteration('message', 9, 0), iteration('fallback_message', 10, 3)]
    expect(
      (await stream([start(), ...finish('end_turn', { ...total, iterations: fallback })])).usage,
    ).toEqual({
      prompt_tokens: 10,
      completion_tokens: 3,
    })
  })

  it('refuses with the words of the vendor', async () => {
    const { deltas, finish: reason } = await stream([
      start(),
      ...finish('refusal', {}, { stop_details: { type: 'refusal', explanation: 'No.' } }),
    ])
    expect(deltas).toEqual([{ refusal: 'No.' }])
    expect(reason).toBe('content_filter')
  })

  it('gives the answer that came by a tool as text', async () => {
    const tool = (name: string, index: number, ...pieces: string[]) => [
      begin({ type: 'tool_use', id: `t${index}`, name, input: {} }, index),
      ...pieces.map(partial_json => delta({ type: 'input_json_delta', partial_json }, index)),
      end(index),
    ]
    const call = callOf(true, answersByTool)
    const only = await stream([start(), ...tool('json', 0, '', '{"a"', ':1}'), ...finish('tool_use')], call)
    expect(only).toMatchObject({ content: '{"a":1}', calls: [], finish: 'stop' })
    expect(only.deltas.map(({ content }) => content)).toEqual(['{"a"', ':1}', undefined])
    const empty = await stream([start(), ...tool('json', 0, ''), ...finish('tool_use')], call)
    expect(empty).toMatchObject({ content: '{}', calls: [], finish: 'stop' })
    const both = await stream(
      [
        start(),
        ...tool('json', 0, '{}'),
        ...tool('json', 1, '{"b":2}'),
        ...tool('f', 2, '{"c":3}'),
        ...finish('tool_use'),
      ],
      call,
    )
    expect(both).toMatchObject({ content: '{}', finish: 'tool_calls' })
    expect(both.calls.map(({ function: f }) => f?.arguments)).toEqual(['', '{"c":3}'])
    const another = await stream([start(), ...tool('json', 0, '{}'), ...finish('tool_use')])
    expect(another).toMatchObject({ content: '', finish: 'tool_calls' })
  })

  it.each([
    ['overloaded_error', 529],
    ['rate_limit_error', 429],
    ['invalid_request_error', 400],
    ['authentication_error', 401],
    ['billing_error', 402],
    ['request_too_large', 413],
    ['timeout_error', 504],
    ['api_error', 500],
    ['error_of_a_new_kind', 500],
  ])('ends with an event of %s as a refusal with status %i', async (type, status) => {
    const error = { type: 'error', error: { type, message: 'Words.' } }
    const { failure, content } = await stream([start(), ...text('so far'), error])
    expect(content).toBe('so far')
    expect(failure).toMatchObject({ kind: 'refused', status, vendorMessage: 'Words.' })
    expect((await stream([error])).failure).toMatchObject({ kind: 'refused', status })
  })

  it('ends with an event of error that makes no sense as a refusal too', async () => {
    for (const data of ['{}', '{"type":"error"}', '{"error":"odd"}', '{"type":"error","error":7}']) {
      const { failure } = await read(`event: error\ndata: ${data}\n\n`)
      expect(failure).toMatchObject({ kind: 'refused', status: 500 })
    }
  })

  it('takes a second start of the same message, and no other', async () => {
    const { content, failure } = await stream([
      start(),
      start({ input_tokens: 1 }),
      ...text('a'),
      ...finish('end_turn'),
    ])
    expect({ content, failure }).toEqual({ content: 'a', failure: undefined })
    const other = { ...start(), message: { ...start().message, id: 'msg_2' } }
    expect((await stream([start(), ...text('a'), other])).failure).toMatchObject({ kind: 'garbled' })
  })

  it('loses nothing of blocks that a server does not begin, or does not end', async () => {
    const unbegun = await stream([
      start(),
      delta({ type: 'thinking_delta', thinking: 'why' }),
      end(),
      delta({ type: 'text_delta', text: 'a' }, 1),
      delta({ type: 'text_delta', text: 'b' }, 1),
      ...finish('end_turn'),
    ])
    expect(unbegun).toMatchObject({ reasoning: 'why', content: 'ab' })
    const unended = await stream([
      start(),
      begin({ type: 'thinking', thinking: 'why', signature: 's' }),
      begin({ type: 'text', text: 'a' }),
      begin({ type: 'tool_use', id: 't', name: 'f', input: { x: 1 } }, 1),
      ...finish('tool_use'),
    ])
    expect(unended.calls.at(-1)).toEqual({ index: 0, function: { arguments: '{"x":1}' } })
    expect(unended.deltas.at(-1)).toMatchObject({ reasoning_details: [{ text: 'why', signature: 's' }] })
    const twice = await stream([
      start(),
      begin({ type: 'tool_use', id: 't', name: 'f', input: {} }),
      begin({ type: 'tool_use', id: 't', name: 'f', input: {} }),
      delta({ type: 'input_json_delta', partial_json: '{"x":1}' }),
      end(),
      ...finish('tool_use'),
    ])
    expect(twice.calls.map(({ id, function: f }) => [id, f?.arguments])).toEqual([
      ['t', ''],
      ['t', ''],
      [undefined, '{"x":1}'],
    ])
  })

  it('is truncated without its end mark, and takes nothing after it', async () => {
    const all = [start(), ...text('a'), ...finish('end_turn')]
    for (let length = 0; length < all.length; length++) {
      expect((await stream(all.slice(0, length))).failure).toMatchObject({ kind: 'truncated' })
    }
    const { failure, content } = await stream([
      ...all,
      ...text('b'),
      { type: 'error', error: { type: 'api_error' } },
    ])
    expect({ failure, content }).toEqual({ failure: undefined, content: 'a' })
  })

  it('may come whole', async () => {
    const { chunks } = await read(JSON.stringify(message([{ type: 'text', text: 'a' }])))
    expect(chunks).toEqual([
      {
        choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 5, completion_tokens: 9 },
      },
    ])
    expect((await read('{"type":"error","error":{"type":"overloaded_error"}}')).failure).toMatchObject({
      status: 529,
    })
  })

  it('is bounded in what it keeps', async () => {
    const piece = 'x'.repeat(1_000_000)
    const thoughts = Array.from({ length: 10 }, () => delta({ type: 'thinking_delta', thinking: piece }))
    const { failure } = await stream([start(), begin({ type: 'thinking', thinking: '' }), ...thoughts])
    expect(failure).toMatchObject({ kind: 'garbled' })
    const blocks = Array.from({ length: 300 }, (_, index) => begin({ type: 'text', text: '' }, index))
    expect((await stream([start(), ...blocks])).failure).toMatchObject({ kind: 'garbled' })
  })

  it('never fails but as an upstream does, whatever comes', async () => {
    const kind = fc.constantFrom(
      'message_start',
      'message_delta',
      'message_stop',
      'content_block_start',
      'content_block_delta',
      'content_block_stop',
      'error',
      'ping',
      'text',
      'thinking',
      'tool_use',
      'redacted_thinking',
      'text_delta',
      'input_json_delta',
      'thinking_delta',
      'signature_delta',
      'citations_delta',
    )
    const key = fc.constantFrom(
      'type',
      'message',
      'delta',
      'index',
      'content_block',
      'usage',
      'text',
      'thinking',
      'signature',
      'partial_json',
      'citation',
      'input',
      'error',
      'stop_reason',
      'stop_details',
      'citations',
      'input_tokens',
      'iterations',
      'data',
    )
    const { tree } = fc.letrec(tie => ({
      tree: fc.dictionary(
        key,
        fc.oneof(
          { depthSize: 'small' },
          kind,
          fc.jsonValue({ maxDepth: 1 }),
          tie('tree'),
          fc.array(tie('tree'), { maxLength: 2 }),
        ),
      ),
    }))
    await fc.assert(
      fc.asyncProperty(fc.array(fc.tuple(kind, tree), { maxLength: 8 }), async events => {
        const { failure } = await read(
          events.map(
            ([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ ...(data as object), type })}\n\n`,
          ),
        )
        if (failure !== undefined) expect(['refused', 'garbled', 'truncated']).toContain(failure.kind)
      }),
      { numRuns: 300 },
    )
  })
})

describe('a whole message', () => {
  it('is one choice with all that it says', async () => {
    const {
      message: reply,
      finish_reason,
      usage,
      service_tier,
    } = await whole(
      message(
        [
          { type: 'thinking', thinking: 'thought', signature: 'sig' },
          { type: 'redacted_thinking', data: 'xyz' },
          { type: 'text', text: 'It is ' },
          {
            type: 'text',
            text: 'so',
            citations: [
              {
                type: 'char_location',
                document_index: 1,
                cited_text: 'so',
                start_char_index: 3,
                end_char_index: 5,
              },
            ],
          },
          { type: 'server_tool_use', id: 's', name: 'web_search', input: {} },
          { type: 'tool_use', id: 'toolu_1', name: 'f', input: { x: [1] } },
          { type: 'tool_use', name: 'g' },
        ],
        { stop_reason: 'tool_use', usage: { input_tokens: 5, output_tokens: 9, service_tier: 'priority' } },
      ),
    )
    const format = 'anthropic-claude-v1'
    expect(reply).toEqual({
      content: 'It is so',
      reasoning_content: 'thought',
      reasoning_details: [
        { type: 'reasoning.text', text: 'thought', signature: 'sig', format, index: 0 },
        { type: 'reasoning.encrypted', data: 'xyz', format, index: 1 },
      ],
      citations: [
        {
          type: 'file_citation',
          file_citation: {
            index: 1,
            quote: 'so',
            start_char_index: 3,
            end_char_index: 5,
            start_index: 6,
            end_index: 8,
          },
        },
      ],
      tool_calls: [
        { id: 'toolu_1', type: 'function', function: { name: 'f', arguments: '{"x":[1]}' } },
        { type: 'function', function: { name: 'g', arguments: '{}' } },
      ],
    })
    expect({ finish_reason, usage, service_tier }).toEqual({
      finish_reason: 'tool_calls',
      usage: { prompt_tokens: 5, completion_tokens: 9 },
      service_tier: 'priority',
    })
  })

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['pause_turn', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['refusal', 'content_filter'],
    ['tool_use', 'stop'],
    ['compaction', 'stop'],
    [null, null],
  ])('that ended for %s finishes with %s', async (stop_reason, finish) => {
    const { finish_reason } = await whole(message([{ type: 'text', text: 'a' }], { stop_reason }))
    expect(finish_reason).toBe(finish)
  })

  it('gives the answer that came by a tool as text', async () => {
    const content = [{ type: 'tool_use', id: 't', name: 'json', input: { a: 1 } }]
    const answer = message([...content, ...content], { stop_reason: 'tool_use' })
    const own = await whole(answer, callOf(false, answersByTool))
    expect(own).toMatchObject({ message: { content: '{"a":1}' }, finish_reason: 'stop' })
    expect(own.message).not.toHaveProperty('tool_calls')
    expect((await whole(answer)).message.tool_calls).toHaveLength(2)
    expect((await whole(message([{ type: 'tool_use' }]))).message.tool_calls).toHaveLength(1)
  })

  it('keeps every digit of the numbers in a call', async () => {
    const body = `{"content":[{"type":"tool_use","id":"t","name":"f","input":{"id":175928847299117063}}]}`
    const reply = await decodeMessages(scriptedResponse({ headers: json, body }), callOf(false))
    if (reply.kind !== 'completion') throw new Error('No completion was made.')
    const [call] = reply.completion.choices[0]?.message.tool_calls ?? []
    expect(call?.function?.arguments).toBe('{"id":175928847299117063}')
  })

  it('refuses with the words of the vendor, if it has any', async () => {
    const details = { type: 'refusal', explanation: 'No.' }
    const refused = await whole(message([], { stop_reason: 'refusal', stop_details: details }))
    expect(refused.message).toEqual({ refusal: 'No.' })
    expect((await whole(message([], { stop_reason: 'refusal' }))).message).toEqual({})
  })

  it.each<[what: string, status: number, headers: Record<string, string>, body: string, failure: object]>([
    ['nothing', 200, json, '', { kind: 'garbled' }],
    ['204', 204, {}, '', { kind: 'garbled' }],
    ['a page', 200, { 'content-type': 'text/html' }, '<html>', { kind: 'garbled' }],
    ['no JSON', 200, json, 'Welcome', { kind: 'garbled' }],
    ['an array', 200, json, '[]', { kind: 'garbled' }],
    ['no content', 200, json, '{"type":"message"}', { kind: 'garbled' }],
    [
      'an error',
      200,
      json,
      '{"type":"error","error":{"type":"overloaded_error","message":"O"}}',
      { kind: 'refused', status: 529, vendorMessage: 'O' },
    ],
    ['413 as a page', 413, { 'content-type': 'text/html' }, '<html>', { kind: 'refused', status: 413 }],
    [
      '529',
      529,
      { ...json, 'retry-after': '7' },
      '{"type":"error","error":{"type":"overloaded_error","message":"O"}}',
      { kind: 'refused', status: 529, retryAfterMs: 7000 },
    ],
    [
      '402',
      402,
      json,
      '{"type":"error","error":{"type":"billing_error","message":"B"}}',
      { status: 402, code: 'insufficient_quota' },
    ],
    [
      'a long prompt',
      400,
      json,
      '{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 9 tokens > 8 maximum"}}',
      { status: 400, code: 'context_length_exceeded' },
    ],
    [
      'a long prompt with its answer',
      400,
      json,
      '{"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000"}}',
      { status: 400, code: 'context_length_exceeded' },
    ],
    [
      'words of a limit under a status of another kind',
      429,
      { ...json, 'retry-after': '7' },
      '{"type":"error","error":{"type":"rate_limit_error","message":"You exceed context limit of a minute."}}',
      { status: 429, code: null, retryAfterMs: 7000 },
    ],
    [
      'words of a limit with a code of their own',
      400,
      json,
      '{"type":"error","error":{"code":"x","message":"You exceed context limit."}}',
      { status: 400, code: 'x' },
    ],
    [
      'a wrong field',
      400,
      json,
      '{"type":"error","error":{"type":"invalid_request_error","message":"temperature: range: 0..1"}}',
      { status: 400, code: null, vendorMessage: 'temperature: range: 0..1' },
    ],
    [
      'a wrong model',
      404,
      json,
      '{"type":"error","error":{"type":"not_found_error","message":"model: x"}}',
      { status: 404, code: null },
    ],
  ])('is not %s', async (_what, status, headers, body, failure) => {
    const response = scriptedResponse({ status, headers, body })
    expect(await failureOf(decodeMessages(response, callOf(false)))).toMatchObject(failure)
  })
})

import {
  type Call,
  type ChatRequest,
  type PartialChunk,
  type PartialCompletion,
  type PartialMessage,
  UpstreamError,
  type UpstreamResponse,
} from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { scriptedEvent, scriptedException, scriptedFrame } from '../../test/bedrock/scripted-frames.ts'
import { type ScriptedAnswer, scriptedResponse } from '../../test/scripted-response.ts'
import { decodeConverse } from './decode.ts'

const sonnet45 = 'us.anthropic.claude-sonnet-4-5-20250929-v1:0'
const sonnet4 = 'anthropic.claude-sonnet-4-20250514-v1:0'
const gptOss = 'openai.gpt-oss-120b-1:0'

function call(further: Partial<ChatRequest> = {}, model = sonnet45): Call {
  return { input: { model: 'public', messages: [{ role: 'user', content: 'Hi' }], ...further }, model }
}

const json = {
  response_format: {
    type: 'json_schema' as const,
    json_schema: { name: 'thing', schema: { type: 'object', properties: {} } },
  },
}

async function whole(body: unknown, asked = call()): Promise<PartialCompletion> {
  const response = scriptedResponse({ body: typeof body === 'string' ? body : JSON.stringify(body) })
  const reply = await decodeConverse(response, asked)
  if (reply.kind !== 'completion') throw new Error('a stream')
  return reply.completion
}

const answer = (content: readonly object[], stopReason = 'end_turn', further: object = {}) => ({
  output: { message: { role: 'assistant', content } },
  stopReason,
  usage: { inputTokens: 3, outputTokens: 5, totalTokens: 8 },
  metrics: { latencyMs: 1 },
  ...further,
})

async function messageOf(content: readonly object[], asked?: Call): Promise<PartialMessage | undefined> {
  return (await whole(answer(content), asked)).choices[0]?.message
}

async function streamed(
  reads: ScriptedAnswer['body'],
  asked: Call = call(),
): Promise<{
  chunks: PartialChunk[]
  failure?: UpstreamError
  response: ReturnType<typeof scriptedResponse>
}> {
  const response = scriptedResponse({ ...(reads === undefined ? {} : { body: reads }) })
  const reply = await decodeConverse(response, { ...asked, input: { ...asked.input, stream: true } })
  if (reply.kind !== 'stream') throw new Error('no stream')
  const chunks: PartialChunk[] = []
  try {
    for await (const batch of reply.chunks) chunks.push(...batch)
  } catch (error) {
    if (!UpstreamError.is(error)) throw error
    return { chunks, failure: error, response }
  }
  return { chunks, response }
}

const start = scriptedEvent({ messageStart: { role: 'assistant' } })
const delta = (contentBlockIndex: number, said: object) =>
  scriptedEvent({ contentBlockDelta: { contentBlockIndex, delta: said } })
const opened = (contentBlockIndex: number, toolUse: object) =>
  scriptedEvent({ contentBlockStart: { contentBlockIndex, start: { toolUse } } })
const closed = (contentBlockIndex: number) => scriptedEvent({ contentBlockStop: { contentBlockIndex } })
const stop = (stopReason: string) => scriptedEvent({ messageStop: { stopReason } })
const counts = scriptedEvent({
  metadata: { usage: { inputTokens: 3, outputTokens: 5, totalTokens: 8 }, metrics: { latencyMs: 1 } },
})
const deltasOf = (chunks: readonly PartialChunk[]) =>
  chunks.flatMap(({ choices }) => choices.map(choice => choice.delta))
const contentOf = (chunks: readonly PartialChunk[]) =>
  deltasOf(chunks)
    .map(({ content }) => content ?? '')
    .join('')
const finishOf = (chunks: readonly PartialChunk[]) =>
  chunks.flatMap(({ choices }) => choices.flatMap(choice => choice.finish_reason ?? []))

async function failureOf(promise: Promise<unknown>): Promise<UpstreamError> {
  const failure = await promise.then(
    () => expect.unreachable('it should have failed'),
    (error: unknown) => error,
  )
  if (!UpstreamError.is(failure)) throw failure
  return failure
}

describe('a whole answer', () => {
  it('gives text, reason and counts', async () => {
    const usage = { inputTokens: 10, outputTokens: 4, cacheReadInputTokens: 7, cacheWriteInputTokens: 20 }
    expect(
      await whole(
        answer([{ text: 'Hi ' }, { text: 'there.' }], 'end_turn', { usage, serviceTier: { type: 'flex' } }),
      ),
    ).toEqual({
      choices: [{ index: 0, message: { content: 'Hi there.' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 37, completion_tokens: 4, cached_tokens: 7, cache_write_tokens: 20 },
      service_tier: 'flex',
    })
    expect((await whole(answer([{ text: 'Hi' }], 'end_turn', { usage: {} }))).usage).toBeUndefined()
  })

  it.each([
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['tool_use', 'stop'],
    ['max_tokens', 'length'],
    ['model_context_window_exceeded', 'length'],
    ['guardrail_intervened', 'content_filter'],
    ['content_filtered', 'content_filter'],
    ['malformed_model_output', 'stop'],
    ['malformed_tool_use', 'stop'],
    ['something_new', 'stop'],
    [undefined, null],
  ])('ends by %s as %s', async (reason, finish) => {
    const { choices } = await whole({ ...answer([{ text: 'Hi' }]), stopReason: reason })
    expect(choices[0]?.finish_reason).toBe(finish)
  })

  it('gives calls, with what their model left behind their names taken off', async () => {
    const { choices } = await whole(
      answer(
        [
          { text: 'Wait.' },
          { toolUse: { toolUseId: 'a', name: 'f', input: { x: [1] }, type: 'tool_use' } },
          { toolUse: { toolUseId: 'b', name: 'g<|channel|>commentary' } },
        ],
        'tool_use',
      ),
    )
    expect(choices[0]).toEqual({
      index: 0,
      message: {
        content: 'Wait.',
        tool_calls: [
          { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":[1]}' } },
          { id: 'b', type: 'function', function: { name: 'g', arguments: '{}' } },
        ],
      },
      finish_reason: 'tool_calls',
    })
  })

  it('leaves out what the vendor’s own tools did, and what is not known', async () => {
    expect(
      await whole(
        answer(
          [
            { toolUse: { toolUseId: 'a', name: 'nova_grounding', input: {}, type: 'server_tool_use' } },
            { toolResult: { toolUseId: 'a', content: [{ text: 'Found.' }] } },
            { somethingNew: { text: 'x' } },
            { text: 'So.' },
          ],
          'tool_use',
        ),
      ),
    ).toMatchObject({ choices: [{ message: { content: 'So.' }, finish_reason: 'stop' }] })
  })

  it('gives reasoning, and details of what can come back', async () => {
    const content = [
      { reasoningContent: { reasoningText: { text: 'Hm. ', signature: 's1' } } },
      { reasoningContent: { redactedContent: 'cnNuXzE=' } },
      { reasoningContent: { reasoningText: { text: 'Unsigned.' } } },
      { text: 'So.' },
    ]
    const details = (format: string) => [
      { type: 'reasoning.text', text: 'Hm. ', signature: 's1', format, index: 0 },
      { type: 'reasoning.encrypted', data: 'cnNuXzE=', format, index: 1 },
    ]
    expect(await messageOf(content)).toEqual({
      content: 'So.',
      reasoning_content: 'Hm. Unsigned.',
      reasoning_details: details('anthropic-claude-v1'),
    })
    expect((await messageOf(content, call({}, gptOss)))?.reasoning_details).toEqual(
      details('amazon-bedrock-v1'),
    )
    expect(await messageOf(content.slice(2))).not.toHaveProperty('reasoning_details')
    // Claude's data is base64 itself: it is given as Anthropic gives it.
    const data = btoa('\u0012 encrypted')
    const redacted = { reasoningContent: { redactedContent: btoa(data) } }
    expect((await messageOf([redacted]))?.reasoning_details).toMatchObject([{ data }])
    expect((await messageOf([redacted], call({}, gptOss)))?.reasoning_details).toMatchObject([
      { data: btoa(data) },
    ])
  })

  it('gives citations as annotations, by the place of their text', async () => {
    const web = { location: { web: { url: 'https://a.example/', domain: 'a.example' } } }
    const page = {
      title: 'document-1',
      location: { documentPage: { documentIndex: 0, start: 1, end: 2 } },
      sourceContent: [{ text: 'As ' }, { text: 'written.' }],
    }
    expect(
      await messageOf([
        { text: 'Look: ' },
        { citationsContent: { content: [{ text: 'it is' }, { text: ' so' }], citations: [web, page, {}] } },
        { text: '. Yes' },
        { citationsContent: { citations: [{ ...web, title: 'A' }] } },
      ]),
    ).toEqual({
      content: 'Look: it is so. Yes',
      annotations: [
        {
          type: 'url_citation',
          url_citation: { url: 'https://a.example/', title: 'a.example', start_index: 6, end_index: 14 },
        },
        {
          type: 'url_citation',
          url_citation: { url: 'https://a.example/', title: 'A', start_index: 14, end_index: 19 },
        },
      ],
      citations: [
        {
          type: 'file_citation',
          file_citation: {
            index: 0,
            filename: 'document-1',
            quote: 'As written.',
            start_page_number: 1,
            end_page_number: 2,
            start_index: 6,
            end_index: 14,
          },
        },
      ],
    })
  })

  it('is the input of the forced tool, where one was forced for it', async () => {
    const asked = call(json, sonnet4)
    const use = (name: string, input: object) => ({ toolUse: { toolUseId: name, name, input } })
    const content = [{ text: 'Here you are:' }, use('json', { a: 1 }), use('json', { a: 2 })]
    expect((await whole(answer(content, 'tool_use'), asked)).choices[0]).toEqual({
      index: 0,
      message: { content: '{"a":1}' },
      finish_reason: 'stop',
    })
    expect((await whole(answer([use('f', {})], 'tool_use'), asked)).choices[0]).toMatchObject({
      message: { tool_calls: [{ id: 'f' }] },
      finish_reason: 'tool_calls',
    })
    expect((await messageOf([{ text: '{"a":3}' }], asked))?.content).toBe('{"a":3}')
    expect(await messageOf(content, call(json))).toMatchObject({ tool_calls: [{}, {}] })
  })

  it('is the masked text alone where a guardrail intervened', async () => {
    const trace = { guardrail: { modelOutput: ['the secret'] } }
    const completion = await whole(answer([{ text: '{NAME}' }], 'guardrail_intervened', { trace }))
    expect(JSON.stringify(completion)).not.toContain('secret')
    expect(completion.choices).toEqual([
      { index: 0, message: { content: '{NAME}' }, finish_reason: 'content_filter' },
    ])
  })

  it.each<[string, string, string, number | undefined]>([
    ['nothing', '', 'garbled', undefined],
    ['no JSON', '<html>', 'garbled', undefined],
    ['no object', '[]', 'garbled', undefined],
    ['no output', '{"usage":{}}', 'garbled', undefined],
    ['an output without content', '{"output":{"message":{"content":"x"}}}', 'garbled', undefined],
    ['nesting without end', `{"output":${'['.repeat(2_000)}`, 'garbled', undefined],
    ['an error', '{"message":"No."}', 'refused', 500],
    ['a typed error', '{"__type":"x#ThrottlingException","Message":"Slow."}', 'refused', 429],
  ])('is no answer with %s', async (_, body, kind, status) => {
    const failure = await failureOf(whole(body))
    expect([failure.kind, failure.status]).toEqual([kind, status])
  })

  it('stands odd values', async () => {
    const odd = [null, 1, { text: 1 }, { toolUse: {} }, { reasoningContent: { reasoningText: 1 } }]
    const more = [{ citationsContent: { citations: [1, { location: { web: {} } }], content: 'x' } }]
    expect(await whole({ ...answer([...odd, ...more] as object[]), usage: { inputTokens: -1 } })).toEqual({
      choices: [
        {
          index: 0,
          message: { tool_calls: [{ type: 'function', function: { name: '', arguments: '{}' } }] },
          finish_reason: 'stop',
        },
      ],
    })
  })
})

describe('a streamed answer', () => {
  it('gives text as it comes, then the reason, then the counts', async () => {
    const { chunks, failure } = await streamed([
      start,
      delta(0, { text: '' }),
      delta(0, { text: 'Hi ' }),
      delta(0, { text: 'there.' }),
      closed(0),
      stop('end_turn'),
      counts,
    ])
    expect(failure).toBeUndefined()
    expect(chunks).toEqual([
      { choices: [{ index: 0, delta: { content: 'Hi ' } }] },
      { choices: [{ index: 0, delta: { content: 'there.' } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
      { choices: [], usage: { prompt_tokens: 3, completion_tokens: 5 } },
    ])
  })

  it('gives calls in pieces, and their end as one where they have no arguments', async () => {
    const { chunks } = await streamed([
      start,
      delta(0, { text: 'Wait.' }),
      closed(0),
      opened(1, { toolUseId: 'a', name: 'f', type: 'tool_use' }),
      delta(1, { toolUse: { input: '' } }),
      delta(1, { toolUse: { input: '{"x"' } }),
      delta(1, { toolUse: { input: ':1}' } }),
      closed(1),
      opened(2, { toolUseId: 'b', name: 'g' }),
      closed(2),
      opened(3, { toolUseId: 'c', name: 'h' }),
      stop('tool_use'),
      counts,
    ])
    expect(deltasOf(chunks).flatMap(({ tool_calls }) => tool_calls ?? [])).toEqual([
      { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } },
      { index: 0, function: { arguments: '{"x"' } },
      { index: 0, function: { arguments: ':1}' } },
      { index: 1, id: 'b', type: 'function', function: { name: 'g', arguments: '' } },
      { index: 1, function: { arguments: '{}' } },
      { index: 2, id: 'c', type: 'function', function: { name: 'h', arguments: '' } },
      { index: 2, function: { arguments: '{}' } },
    ])
    expect(finishOf(chunks)).toEqual(['tool_calls'])
  })

  it('gives reasoning as it comes, and all its details in one piece before the end', async () => {
    const { chunks } = await streamed([
      start,
      delta(0, { reasoningContent: { text: 'Hm' } }),
      delta(0, { reasoningContent: { text: '.' } }),
      delta(0, { reasoningContent: { signature: 's' } }),
      delta(0, { reasoningContent: { signature: '1' } }),
      closed(0),
      delta(1, { reasoningContent: { redactedContent: 'cnNuXzE=' } }),
      closed(1),
      delta(2, { reasoningContent: { text: 'Unsigned.' } }),
      closed(2),
      delta(3, { text: 'So.' }),
      closed(3),
      stop('end_turn'),
    ])
    const format = 'anthropic-claude-v1'
    const details = [
      { type: 'reasoning.text', text: 'Hm.', signature: 's1', format, index: 0 },
      { type: 'reasoning.encrypted', data: 'cnNuXzE=', format, index: 1 },
    ]
    expect(deltasOf(chunks)).toEqual([
      { reasoning_content: 'Hm' },
      { reasoning_content: '.' },
      { ended_reasoning: details[0] },
      { ended_reasoning: details[1] },
      { reasoning_content: 'Unsigned.' },
      { content: 'So.' },
      { reasoning_details: details },
    ])
  })

  it('gives citations in one piece, by the place of their text', async () => {
    const cited = (url: string) => ({ citation: { location: { web: { url, domain: url.slice(8) } } } })
    const { chunks } = await streamed([
      delta(0, { text: 'One' }),
      delta(0, { text: '.' }),
      closed(0),
      delta(1, cited('https://a.example')),
      closed(1),
      delta(2, cited('https://b.example')),
      delta(2, { text: ' Two' }),
      delta(2, { text: '.' }),
      closed(2),
      stop('end_turn'),
    ])
    const annotation = (url: string, start_index: number, end_index: number) => ({
      type: 'url_citation',
      url_citation: { url, title: url.slice(8), start_index, end_index },
    })
    expect(deltasOf(chunks).flatMap(({ annotations }) => annotations ?? [])).toEqual([
      annotation('https://a.example', 0, 4),
      annotation('https://b.example', 4, 9),
    ])
    expect(contentOf(chunks).slice(4, 9)).toBe(' Two.')
  })

  it('leaves out what the vendor’s own tools did, and events that are not known', async () => {
    const { chunks } = await streamed([
      start,
      opened(0, { toolUseId: 'a', name: 'nova_grounding', type: 'server_tool_use' }),
      delta(0, { toolUse: { input: '{"query":"x"}' } }),
      closed(0),
      scriptedEvent({
        contentBlockStart: { contentBlockIndex: 1, start: { toolResult: { toolUseId: 'a' } } },
      }),
      delta(1, { toolResult: [{ text: 'Found.' }] }),
      closed(1),
      delta(2, { image: { format: 'png' } }),
      scriptedEvent({ news: { of: 'tomorrow' } }),
      delta(3, { text: 'So.' }),
      stop('tool_use'),
    ])
    expect(deltasOf(chunks)).toEqual([{ content: 'So.' }, {}])
    expect(finishOf(chunks)).toEqual(['stop'])
  })

  it('is the input of the forced tool, where one was forced for it, without the talk before it', async () => {
    const asked = call(json, sonnet4)
    const { chunks } = await streamed(
      [
        delta(0, { text: 'Here you are:' }),
        closed(0),
        opened(1, { toolUseId: 'a', name: 'json' }),
        delta(1, { toolUse: { input: '{"a"' } }),
        delta(1, { toolUse: { input: ':1}' } }),
        closed(1),
        opened(2, { toolUseId: 'b', name: 'json' }),
        delta(2, { toolUse: { input: '{"a":2}' } }),
        closed(2),
        stop('tool_use'),
      ],
      asked,
    )
    expect(deltasOf(chunks)).toEqual([{ content: '{"a"' }, { content: ':1}' }, {}])
    expect(finishOf(chunks)).toEqual(['stop'])
    const empty = await streamed(
      [opened(0, { toolUseId: 'a', name: 'json' }), closed(0), stop('tool_use')],
      asked,
    )
    expect(contentOf(empty.chunks)).toBe('{}')
    const talk = await streamed(
      [delta(0, { text: '{"a":' }), delta(0, { text: '3}' }), stop('end_turn')],
      asked,
    )
    expect(contentOf(talk.chunks)).toBe('{"a":3}')
    const other = await streamed(
      [delta(0, { text: 'Wait.' }), opened(1, { toolUseId: 'b', name: 'f' }), closed(1), stop('tool_use')],
      asked,
    )
    expect(contentOf(other.chunks)).toBe('Wait.')
    expect(finishOf(other.chunks)).toEqual(['tool_calls'])
  })

  it('is whole at its stop: counts may come before it, after it, or not at all', async () => {
    const said = delta(0, { text: 'Hi' })
    for (const end of [[stop('end_turn'), counts], [counts, stop('end_turn')], [stop('end_turn')]]) {
      const { chunks, failure } = await streamed([said, ...end])
      expect(failure).toBeUndefined()
      expect(finishOf(chunks)).toEqual(['stop'])
      expect(chunks.filter(({ usage }) => usage !== undefined)).toHaveLength(end.length - 1)
    }
  })

  it('reads nothing after the counts, and tells of the trace nothing', async () => {
    const traced = scriptedEvent({
      metadata: {
        usage: { inputTokens: 1, outputTokens: 1 },
        trace: { guardrail: { modelOutput: ['secret'] } },
      },
    })
    const { chunks, response } = await streamed([
      delta(0, { text: '{NAME}' }),
      stop('guardrail_intervened'),
      traced,
      'garbage',
    ])
    expect(response.state).toEqual({ reads: 3, returned: true })
    expect(JSON.stringify(chunks)).not.toContain('secret')
    expect(finishOf(chunks)).toEqual(['content_filter'])
  })

  it.each<[string, Uint8Array[]]>([
    ['without an end', [start, delta(0, { text: 'Hi' }), closed(0)]],
    ['with counts alone', [start, counts]],
    ['with nothing', []],
    ['within a frame', [start, stop('end_turn').slice(0, 50)]],
  ])('is cut %s', async (_, reads) => {
    expect((await streamed(reads)).failure?.kind).toBe('truncated')
  })

  it.each<[string, Uint8Array]>([
    ['a broken frame', stop('end_turn').with(60, 0)],
    ['no JSON', scriptedFrame({ ':message-type': 'event', ':event-type': 'messageStop' }, 'x')],
    ['no object', scriptedFrame({ ':message-type': 'event', ':event-type': 'messageStop' }, '[]')],
    [
      'a piece that holds nothing',
      scriptedFrame({ ':message-type': 'event', ':event-type': 'contentBlockDelta' }),
    ],
  ])('is garbled by %s, after what came before it', async (_, frame) => {
    const { chunks, failure } = await streamed([delta(0, { text: 'Hi' }), frame, stop('end_turn')])
    expect(contentOf(chunks)).toBe('Hi')
    expect(failure?.kind).toBe('garbled')
  })

  it('is garbled by blocks without end', async () => {
    const reads = Array.from({ length: 300 }, (_, at) => opened(at, { toolUseId: `${at}`, name: 'f' }))
    expect((await streamed(reads)).failure?.kind).toBe('garbled')
    const text = 'x'.repeat(100_000)
    const thoughts = Array.from({ length: 100 }, () => delta(0, { reasoningContent: { text } }))
    expect((await streamed(thoughts)).failure?.kind).toBe('garbled')
  })

  type Payload = { message?: string; originalMessage?: string; originalStatusCode?: number }
  it.each<[string, Payload, number, string | null]>([
    ['internalServerException', { message: 'Oh.' }, 500, null],
    ['modelStreamErrorException', { message: 'Oh.', originalStatusCode: 500 }, 424, null],
    ['modelStreamErrorException', { originalMessage: 'Slow.', originalStatusCode: 429 }, 429, null],
    ['modelTimeoutException', { message: 'Late.' }, 504, null],
    ['validationException', { message: 'Bad.' }, 400, null],
    // Only of a model's failure does the model's status tell.
    ['validationException', { message: 'Bad.', originalStatusCode: 429 }, 400, null],
    [
      'validationException',
      { message: 'Input is too long for requested model.' },
      400,
      'context_length_exceeded',
    ],
    ['throttlingException', { message: 'Too many tokens, please wait before trying again.' }, 429, null],
    ['serviceUnavailableException', { message: 'Busy.' }, 503, null],
    ['somethingNewException', {}, 500, null],
  ])('is refused by %s %j, also in the middle', async (type, payload, status, code) => {
    for (const before of [[], [delta(0, { text: 'Hi' })]]) {
      const { chunks, failure } = await streamed([
        ...before,
        scriptedException(type, payload),
        stop('end_turn'),
      ])
      expect(contentOf(chunks)).toBe(before.length === 0 ? '' : 'Hi')
      expect([failure?.kind, failure?.status, failure?.code]).toEqual(['refused', status, code])
      expect(failure?.type).toBe(type[0]?.toUpperCase() + type.slice(1))
      expect(failure?.vendorMessage).toBe(payload.message ?? payload.originalMessage)
    }
  })

  it('is refused by an error of the service itself', async () => {
    const error = scriptedFrame({
      ':message-type': 'error',
      ':error-code': 'ServiceUnavailableException',
      ':error-message': 'Busy.',
    })
    expect((await streamed([error])).failure).toMatchObject({
      kind: 'refused',
      status: 503,
      vendorMessage: 'Busy.',
    })
  })

  it('may come in one piece of JSON, as an answer or an error', async () => {
    const { chunks } = await streamed(JSON.stringify(answer([{ text: 'Hi' }])))
    expect(contentOf(chunks)).toBe('Hi')
    expect(finishOf(chunks)).toEqual(['stop'])
    const { failure } = await streamed('{"__type":"ThrottlingException","message":"Slow."}')
    expect(failure).toMatchObject({ kind: 'refused', status: 429 })
  })

  it('stands odd values', async () => {
    const { chunks, failure } = await streamed([
      delta(0, {}),
      delta(0, { text: 1, toolUse: 1, reasoningContent: [], citation: null }),
      delta(7, { toolUse: { input: 'lost' } }),
      scriptedEvent({ contentBlockStart: {} }),
      scriptedEvent({ contentBlockStart: { start: { toolUse: {} } } }),
      scriptedEvent({ contentBlockStop: {} }),
      scriptedEvent({ metadata: { usage: 'x' } }),
      scriptedEvent({ messageStop: {} }),
    ])
    expect(failure).toBeUndefined()
    expect(deltasOf(chunks)).toEqual([
      { tool_calls: [{ index: 0, type: 'function', function: { name: '', arguments: '' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '{}' } }] },
      {},
    ])
  })
})

describe('an error answer', () => {
  async function refused(
    status: number,
    body: string | object,
    headers: Record<string, string> = {},
  ): Promise<UpstreamError> {
    const text = typeof body === 'string' ? body : JSON.stringify(body)
    return failureOf(decodeConverse(scriptedResponse({ status, headers, body: text }), call(), () => 0))
  }
  const typed = (type: string) => ({ 'x-amzn-ErrorType': `${type}:http://internal.amazon.com/coral/` })

  it.each<[number, string, number]>([
    [400, 'ValidationException', 400],
    [403, 'AccessDeniedException', 403],
    [403, 'UnrecognizedClientException', 401],
    [403, 'ExpiredTokenException', 401],
    [403, 'InvalidSignatureException', 401],
    [400, 'IncompleteSignatureException', 401],
    [404, 'ResourceNotFoundException', 404],
    [429, 'ThrottlingException', 429],
    [429, 'ModelNotReadyException', 429],
    [400, 'ServiceQuotaExceededException', 429],
    [408, 'ModelTimeoutException', 504],
    [424, 'ModelErrorException', 424],
    [500, 'InternalServerException', 500],
    [503, 'ServiceUnavailableException', 503],
    [418, 'SomethingNewException', 418],
  ])('%i %s is %i', async (status, type, expected) => {
    for (const [body, headers] of [
      [{ message: 'No.' }, typed(type)],
      [{ Message: 'No.', __type: `com.amazon.coral.service#${type}` }, {}],
    ] as const) {
      expect(await refused(status, body, headers)).toMatchObject({
        kind: 'refused',
        status: expected,
        type,
        vendorMessage: 'No.',
      })
    }
  })

  it('takes the status of the model behind it, where that tells more', async () => {
    const body = { message: 'Failed.', originalStatusCode: 429, resourceName: 'x' }
    expect((await refused(424, body, typed('ModelErrorException'))).status).toBe(429)
    expect(
      (await refused(424, { ...body, originalStatusCode: 403 }, typed('ModelErrorException'))).status,
    ).toBe(424)
  })

  it.each([
    'Input is too long for requested model.',
    'Input Tokens Exceeded: Number of input tokens exceeds maximum length',
    'The model returned the following errors: prompt is too long: 200001 tokens > 200000 maximum',
  ])('knows a prompt that is too long: %s', async message => {
    expect(await refused(400, { message }, typed('ValidationException'))).toMatchObject({
      status: 400,
      code: 'context_length_exceeded',
    })
    expect((await refused(429, { message }, typed('ThrottlingException'))).code).toBeNull()
  })

  it('tells how long to wait', async () => {
    const headers = { ...typed('ThrottlingException'), 'retry-after': '7' }
    expect((await refused(429, { message: 'Slow.' }, headers)).retryAfterMs).toBe(7_000)
  })

  it('stands any body', async () => {
    expect(await refused(502, '<html>')).toMatchObject({ kind: 'refused', status: 502 })
    expect(await refused(500, '')).toMatchObject({ kind: 'refused', status: 500 })
    expect(await refused(400, { error: { message: 'Unknown.', code: 'unknown_parameter' } })).toMatchObject({
      status: 400,
      code: 'unknown_parameter',
      vendorMessage: 'Unknown.',
    })
    expect(await refused(404, { Output: { __type: 'x' }, Version: '1.0' })).toMatchObject({ status: 404 })
    expect(await refused(403, { Message: 'No.' })).toMatchObject({ status: 403, vendorMessage: 'No.' })
    const cause = new Error('broken')
    const broken: UpstreamResponse = {
      ...scriptedResponse({ status: 500 }),
      text: () => Promise.reject(cause),
    }
    const failure = await failureOf(decodeConverse(broken, call()))
    expect(failure).toMatchObject({ kind: 'refused', status: 500, cause })
  })
})

it('keeps every digit of the numbers in a call', async () => {
  const body = `{"output":{"message":{"content":[{"toolUse":{"toolUseId":"a","name":"f","input":{"id":175928847299117063}}}]}},"stopReason":"tool_use"}`
  const call = { model: 'm', input: { model: 'public', messages: [] } }
  const reply = await decodeConverse(scriptedResponse({ body }), call)
  if (reply.kind !== 'completion') throw new Error('It is a stream.')
  const [choice] = reply.completion.choices
  expect(choice?.message.tool_calls?.[0]?.function?.arguments).toBe('{"id":175928847299117063}')
})

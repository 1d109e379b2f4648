import {
  type Call,
  type PartialChunk,
  type PartialCompletion,
  UpstreamError,
  type UpstreamResponse,
} from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { type ScriptedAnswer, scriptedResponse } from '../test/scripted-response.ts'
import { decodeChatCompletions } from './chat-completions.ts'

const messages = [{ role: 'user', content: 'Hello' }] as const
const streaming: Call = { model: 'm', input: { model: 'public', messages, stream: true } }
const whole: Call = { model: 'm', input: { model: 'public', messages } }

async function readAll(
  response: UpstreamResponse,
  call: Call = streaming,
): Promise<{ chunks: PartialChunk[]; failure: unknown }> {
  const chunks: PartialChunk[] = []
  try {
    const reply = await decodeChatCompletions(response, call)
    if (reply.kind !== 'stream') throw new Error('not a stream')
    for await (const batch of reply.chunks) {
      expect(batch).not.toEqual([])
      chunks.push(...batch)
    }
  } catch (failure) {
    return { chunks, failure }
  }
  return { chunks, failure: undefined }
}

function sse(...values: unknown[]): string {
  return values
    .map(value => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`)
    .join('')
}

function streamed(body: ScriptedAnswer['body']): ReturnType<typeof readAll> {
  return readAll(
    scriptedResponse({
      headers: { 'content-type': 'text/event-stream' },
      ...(body === undefined ? {} : { body }),
    }),
  )
}

/** The chunks of a stream that has to be complete. */
async function chunksOf(...values: unknown[]): Promise<PartialChunk[]> {
  const { chunks, failure } = await streamed(sse(...values))
  expect(failure).toBeUndefined()
  return chunks
}

async function completionOf(value: unknown): Promise<PartialCompletion> {
  const body = typeof value === 'string' ? value : JSON.stringify(value)
  const reply = await decodeChatCompletions(scriptedResponse({ body }), whole)
  if (reply.kind !== 'completion') throw new Error('not a completion')
  return reply.completion
}

async function failureOf(answer: ScriptedAnswer, call = whole, now?: () => number): Promise<UpstreamError> {
  try {
    const reply = await decodeChatCompletions(scriptedResponse(answer), call, now)
    if (reply.kind === 'stream') for await (const _batch of reply.chunks);
  } catch (error) {
    if (UpstreamError.is(error)) return error
    throw error
  }
  throw new Error('no failure')
}

function kindOf(failure: unknown): string | undefined {
  return UpstreamError.is(failure) ? failure.kind : undefined
}

const done = '[DONE]'
function said(delta: unknown, finish_reason: unknown = null, index = 0): unknown {
  return { object: 'chat.completion.chunk', choices: [{ index, delta, finish_reason }] }
}
const stop = said({}, 'stop')

describe('quirks of the vendors, in streams', () => {
  it('first chunk without choices, with empty id, model and object (Azure, Copilot)', async () => {
    const chunks = await chunksOf(
      {
        choices: [],
        created: 0,
        id: '',
        model: '',
        object: '',
        prompt_filter_results: [{ prompt_index: 0 }],
      },
      said({ role: 'assistant', content: 'a' }),
      stop,
      done,
    )
    expect(chunks).toEqual([
      { choices: [{ index: 0, delta: { content: 'a' } }] },
      { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
    ])
  })

  it('object absent or empty (Copilot)', async () => {
    const chunks = await chunksOf(
      { choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }] },
      done,
    )
    expect(chunks).toEqual([{ choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }] }])
  })

  it('a last object chat.completion.done that repeats the whole message (Perplexity)', async () => {
    const message = { role: 'assistant', content: 'a' }
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
    const chunks = await chunksOf(
      { object: 'chat.completion.chunk', choices: [{ index: 0, message, delta: message }], usage },
      {
        object: 'chat.completion.done',
        choices: [{ index: 0, message, delta: message, finish_reason: 'stop' }],
        usage,
      },
    )
    expect(chunks.flatMap(chunk => chunk.choices)).toEqual([
      { index: 0, delta: { content: 'a' } },
      { index: 0, delta: {}, finish_reason: 'stop' },
    ])
    expect(chunks.at(-1)?.usage).toEqual({ prompt_tokens: 1, completion_tokens: 2 })
  })

  it('an object chat.completion.done that is all there is', async () => {
    const message = { role: 'assistant', content: 'a' }
    const chunks = await chunksOf({
      object: 'chat.completion.done',
      choices: [{ index: 0, message, delta: { content: '' }, finish_reason: 'stop' }],
    })
    expect(chunks).toEqual([{ choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }] }])
  })

  it('CRLF framing, comments, and no [DONE] (Perplexity, OpenRouter, GPUStack)', async () => {
    const body = `: OPENROUTER PROCESSING\r\n\r\n: ping - 2026-01-01\r\n\r\n${sse(said({ content: 'a' }), stop).replaceAll('\n', '\r\n')}`
    const { chunks, failure } = await streamed(body)
    expect(failure).toBeUndefined()
    expect(chunks).toHaveLength(2)
  })

  it('usage in the finish chunk (DeepSeek, Mistral, xAI)', async () => {
    const chunks = await chunksOf(
      {
        choices: [{ index: 0, delta: { content: '' }, finish_reason: 'stop' }],
        usage: { prompt_tokens: 4, completion_tokens: 5 },
      },
      done,
    )
    expect(chunks).toEqual([
      {
        choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
        usage: { prompt_tokens: 4, completion_tokens: 5 },
      },
    ])
  })

  it('usage only in x_groq.usage (Groq)', async () => {
    const [, last] = await chunksOf(
      said({ content: 'a' }),
      {
        ...(stop as object),
        x_groq: { id: 'req', usage: { prompt_tokens: 4, completion_tokens: 5, queue_time: 0.1 } },
      },
      done,
    )
    expect(last?.usage).toEqual({ prompt_tokens: 4, completion_tokens: 5 })
  })

  it('usage null on every chunk, and a moderation chunk after the usage chunk (OpenAI)', async () => {
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 }
    const chunks = await chunksOf(
      { ...(said({ content: 'a' }) as object), usage: null },
      { ...(stop as object), usage: null },
      { choices: [], usage },
      { choices: [], usage: null, moderation: { input: {}, output: {} } },
      done,
    )
    expect(chunks).toHaveLength(3)
    expect(chunks[2]).toEqual({ choices: [], usage: { prompt_tokens: 1, completion_tokens: 1 } })
  })

  it('role repeated on every chunk, or missing on the first (OpenRouter, Ollama; GPUStack, doubleword)', async () => {
    const repeated = await chunksOf(
      said({ role: 'assistant', content: 'a' }),
      said({ role: 'assistant', content: 'b' }),
      stop,
      done,
    )
    const missing = await chunksOf(said({ content: 'a' }), said({ content: 'b' }), stop, done)
    expect(repeated).toEqual(missing)
  })

  it('finish_reason key missing until the end (ZAI, Copilot, Perplexity)', async () => {
    const [first] = await chunksOf({ choices: [{ index: 0, delta: { content: 'a' } }] }, stop, done)
    expect(first).toEqual({ choices: [{ index: 0, delta: { content: 'a' } }] })
  })

  it('finish_reason empty, and never set before [DONE] (Snowflake)', async () => {
    const chunks = await chunksOf(
      said({ content: 'a', refusal: '', tool_calls: null }, ''),
      said({ content: '' }, ''),
      done,
    )
    expect(chunks).toEqual([{ choices: [{ index: 0, delta: { content: 'a' } }] }])
  })

  it.each([
    ['eos', 'stop'],
    ['end_turn', 'stop'],
    ['stop_sequence', 'stop'],
    ['STOP', 'stop'],
    ['MAX_TOKENS', 'length'],
    ['max_tokens', 'length'],
    ['model_length', 'length'],
    ['tool_use', 'tool_calls'],
    ['recitation', 'content_filter'],
    ['function_call', 'function_call'],
    ['something new', 'stop'],
  ])('finish_reason %j is %j', async (theirs, ours) => {
    const [chunk] = await chunksOf(said({}, theirs), done)
    expect(chunk?.choices[0]?.finish_reason).toBe(ours)
  })

  it('finish_reason "malformed_function_call" ends an answer with text, and fails one without (Gemini)', async () => {
    const end = said({}, 'malformed_function_call')
    const chunks = await chunksOf(said({ content: 'a' }), end, done)
    expect(chunks.at(-1)?.choices[0]?.finish_reason).toBe('stop')
    const { failure } = await streamed(sse(said({ reasoning: 'Hm.' }), end, done))
    expect(failure).toMatchObject({ kind: 'refused', status: 424 })
  })

  it('finish_reason "error" is no end of an answer (Mistral, OpenRouter)', async () => {
    const { chunks, failure } = await streamed(sse(said({ content: 'a' }), said({}, 'error'), done))
    expect(chunks).toHaveLength(1)
    expect(failure).toMatchObject({ kind: 'refused', status: 500 })
  })

  it('a finish_reason that comes twice is given once (OpenRouter)', async () => {
    const chunks = await chunksOf(said({ content: 'a' }, 'length'), said({ content: '' }, 'length'), done)
    expect(chunks).toHaveLength(1)
  })

  it.each(['reasoning_content', 'reasoning'])(
    'thinking under %s (DeepSeek and others; Groq and others)',
    async key => {
      const [chunk] = await chunksOf(said({ content: null, [key]: 'hm' }), stop, done)
      expect(chunk?.choices).toEqual([{ index: 0, delta: { reasoning_content: 'hm' } }])
    },
  )

  it('thinking under two names and in details is told once (doubleword, OpenRouter)', async () => {
    const details = [{ type: 'reasoning.text', text: 'hm', format: null, index: 0 }]
    const [chunk] = await chunksOf(
      said({ reasoning: 'hm', reasoning_content: 'hm', reasoning_details: details }),
      stop,
      done,
    )
    expect(chunk?.choices).toEqual([
      { index: 0, delta: { reasoning_content: 'hm', reasoning_details: details } },
    ])
  })

  it('thinking only in details (Snowflake)', async () => {
    const details = [
      { type: 'reasoning.text', text: 'h' },
      { type: 'reasoning.summary', summary: 'm' },
      { type: 'reasoning.encrypted', data: 'x' },
    ]
    const [chunk] = await chunksOf(said({ reasoning_details: details }), stop, done)
    expect(chunk?.choices[0]?.delta.reasoning_content).toBe('hm')
  })

  it('content as an array of thinking and text (Mistral)', async () => {
    const content = [
      {
        type: 'thinking',
        thinking: [
          { type: 'text', text: 'h' },
          { type: 'text', text: 'm' },
        ],
        closed: true,
      },
      { type: 'text', text: 'yes' },
    ]
    const [chunk] = await chunksOf(said({ content }), stop, done)
    expect(chunk?.choices).toEqual([{ index: 0, delta: { content: 'yes', reasoning_content: 'hm' } }])
  })

  it('thinking both in an array of content and under its own name is told once', async () => {
    const content = [{ type: 'thinking', thinking: 'other words' }]
    const [chunk] = await chunksOf(said({ content, reasoning_content: 'hm' }), stop, done)
    expect(chunk?.choices).toEqual([{ index: 0, delta: { reasoning_content: 'hm' } }])
  })

  it('a whole tool call without index and type in the finish chunk (Mistral, Gemini compat, Ollama)', async () => {
    const [chunk] = await chunksOf(
      said(
        { content: '', tool_calls: [{ id: 'gSIMJiOkT', function: { name: 'f', arguments: '{}' } }] },
        'tool_calls',
      ),
      done,
    )
    expect(chunk?.choices).toEqual([
      {
        index: 0,
        delta: { tool_calls: [{ id: 'gSIMJiOkT', function: { name: 'f', arguments: '{}' } }] },
        finish_reason: 'tool_calls',
      },
    ])
  })

  it('the opener of a tool call carries all arguments (Groq, llama.cpp, xAI)', async () => {
    const call = { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{"a":1}' } }
    const [chunk] = await chunksOf(said({ tool_calls: [call] }), said({}, 'tool_calls'), done)
    expect(chunk?.choices[0]?.delta.tool_calls).toEqual([call])
  })

  it('later pieces of a tool call with an empty id and name (Alibaba)', async () => {
    const [chunk] = await chunksOf(
      said({
        tool_calls: [{ index: 0, id: '', type: 'function', function: { name: '', arguments: '{"a"' } }],
      }),
      said({}, 'tool_calls'),
      done,
    )
    expect(chunk?.choices[0]?.delta.tool_calls).toEqual([
      { index: 0, type: 'function', function: { arguments: '{"a"' } },
    ])
  })

  it('a tool call with the id "null" (older Mistral)', async () => {
    const [chunk] = await chunksOf(
      said({ tool_calls: [{ id: 'null', function: { name: 'f', arguments: '{}' } }] }, 'tool_calls'),
      done,
    )
    expect(chunk?.choices[0]?.delta.tool_calls).toEqual([{ function: { name: 'f', arguments: '{}' } }])
  })

  it('a tool index that starts at 1 is passed on as found (Anthropic compat)', async () => {
    const [chunk] = await chunksOf(
      said({ tool_calls: [{ index: 1, id: 'c', type: 'function', function: { name: 'f', arguments: '' } }] }),
      said({}, 'tool_calls'),
      done,
    )
    expect(chunk?.choices[0]?.delta.tool_calls?.[0]?.index).toBe(1)
  })

  it.each([
    ['null', null, ''],
    ['the word null', 'null', ''],
    ['an object', { city: 'Paris', n: [1] }, '{"city":"Paris","n":[1]}'],
  ])('tool arguments that are %s (Writer, Groq, Ollama native)', async (_name, given, text) => {
    const call = { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: given } }
    const [chunk] = await chunksOf(said({ tool_calls: [call] }), said({}, 'tool_calls'), done)
    expect(chunk?.choices[0]?.delta.tool_calls?.[0]?.function).toEqual({ name: 'f', arguments: text })
  })

  it('a signature that has to come back with a call (Gemini compat)', async () => {
    const extra_content = { google: { thought_signature: 'c2ln' } }
    const call = {
      index: 0,
      id: 'c',
      type: 'function',
      function: { name: 'f', arguments: '{}' },
      extra_content,
    }
    const [chunk] = await chunksOf(said({ tool_calls: [call] }), said({}, 'tool_calls'), done)
    expect(chunk?.choices[0]?.delta.tool_calls).toEqual([call])
  })

  it('padding and extra keys are dropped (Mistral, OpenAI, vLLM, Hugging Face, OpenRouter, Groq)', async () => {
    const chunks = await chunksOf(
      {
        id: 'x',
        p: 'abcdef',
        obfuscation: 'abc',
        provider: 'P',
        sla_metrics: {},
        timings: {},
        prompt_token_ids: [1],
        citations: ['u'],
        search_results: [{}],
        copilot_usage: {},
        latency_checkpoint: {},
        choices: [
          {
            index: 0,
            delta: { content: 'a', channel: 'final', executed_tools: [{ index: 0 }], token_id: 3 },
            token_ids: [3],
            stop_reason: null,
            native_finish_reason: 'x',
            content_filter_results: {},
            logprobs: null,
            finish_reason: null,
          },
        ],
      },
      stop,
      done,
    )
    expect(chunks[0]).toEqual({ choices: [{ index: 0, delta: { content: 'a' } }] })
  })

  it('content null and empty deltas add nothing (DeepSeek, OpenAI)', async () => {
    const chunks = await chunksOf(
      said({ role: 'assistant', content: '' }),
      said({ content: null }),
      said({}),
      said({ content: 'a' }),
      stop,
      done,
    )
    expect(chunks.map(chunk => chunk.choices[0])).toEqual([
      { index: 0, delta: {} },
      { index: 0, delta: { content: 'a' } },
      { index: 0, delta: {}, finish_reason: 'stop' },
    ])
  })

  it('content null on the first sight of a choice is told, for it says that no text follows (OpenAI)', async () => {
    const call = { index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
    const [first] = await chunksOf(
      said({ role: 'assistant', content: null }),
      said({ tool_calls: [call] }),
      said({}, 'tool_calls'),
      done,
    )
    expect(first?.choices).toEqual([{ index: 0, delta: { content: null } }])
  })

  it('an answer of no text at all that never gives a reason is still an answer (Snowflake)', async () => {
    const chunks = await chunksOf(said({ role: 'assistant', content: '' }, ''), done)
    expect(chunks).toEqual([{ choices: [{ index: 0, delta: {} }] }])
  })

  it('choices interleaved, one going on after another has ended (OpenAI, Mistral)', async () => {
    const chunks = await chunksOf(
      said({ content: 'a' }),
      said({ content: 'b' }, null, 1),
      said({}, 'stop'),
      said({ content: 'c' }, 'length', 1),
      done,
    )
    expect(
      chunks
        .flatMap(chunk => chunk.choices)
        .map(choice => [choice.index, choice.delta.content, choice.finish_reason]),
    ).toEqual([
      [0, 'a', undefined],
      [1, 'b', undefined],
      [0, undefined, 'stop'],
      [1, 'c', 'length'],
    ])
  })

  it('an error event, then the end (Groq)', async () => {
    const body = `${sse(said({ content: 'a' }))}event: error\ndata: {"error":{"message":"Tool choice","type":"invalid_request_error","code":"tool_use_failed","status_code":400}}\n\n`
    const { chunks, failure } = await streamed(body)
    expect(chunks).toHaveLength(1)
    expect(failure).toMatchObject({
      kind: 'refused',
      status: 400,
      code: 'tool_use_failed',
      vendorMessage: 'Tool choice',
    })
  })

  it('an error object in an ordinary chunk, then [DONE] (OpenRouter)', async () => {
    const { chunks, failure } = await streamed(
      sse(
        said({ content: 'a' }),
        {
          error: { code: 400, message: 'Token limit reached' },
          choices: [{ index: 0, delta: { content: '' }, finish_reason: null }],
        },
        done,
      ),
    )
    expect(chunks).toHaveLength(1)
    expect(failure).toMatchObject({
      kind: 'refused',
      status: 400,
      code: null,
      vendorMessage: 'Token limit reached',
    })
  })

  it.each([
    ['the reason "error"', { choices: [{ index: 0, delta: { content: 'b' }, finish_reason: 'error' }] }, 500],
    [
      'an error at the top',
      {
        error: { code: 429, message: 'slow' },
        choices: [{ index: 0, delta: { content: 'b' }, finish_reason: 'stop' }],
      },
      429,
    ],
    [
      'an error in the choice',
      { choices: [{ index: 0, delta: { content: 'b' }, error: { code: 503, message: 'down' } }] },
      503,
    ],
  ])('the last words beside %s are told before it', async (_name, last, status) => {
    const { chunks, failure } = await streamed(sse(said({ content: 'a' }), last, done))
    expect(chunks.map(chunk => chunk.choices)).toEqual([
      [{ index: 0, delta: { content: 'a' } }],
      [{ index: 0, delta: { content: 'b' } }],
    ])
    expect(failure).toMatchObject({ kind: 'refused', status })
  })

  it('the last words of an error event are told before it', async () => {
    const last = JSON.stringify(said({ content: 'b' }))
    const { chunks, failure } = await streamed(`event: error\ndata: ${last}\n\n`)
    expect(chunks).toEqual([{ choices: [{ index: 0, delta: { content: 'b' } }] }])
    expect(failure).toMatchObject({ kind: 'refused', status: 500 })
  })

  it.each([
    { error: { message: 'no' }, choices: [{ index: 0, delta: { content: '' }, finish_reason: null }] },
    { error: { message: 'no' }, choices: [], usage: { prompt_tokens: 1, completion_tokens: 0 } },
    { error: { message: 'no' }, choices: [null] },
    { choices: [{ index: 0, delta: {}, finish_reason: 'error' }] },
  ])('an error without words is no beginning of an answer: %j', async event => {
    const { chunks, failure } = await streamed(sse(event))
    expect(chunks).toEqual([])
    expect(kindOf(failure)).toBe('refused')
  })

  it.each([
    { message: 'queued' },
    { detail: 'You are number 3 of the queue.' },
    { message: 'queued', status: 'queued', code: 0 },
    { message: 'ok', code: 200 },
  ])('news such as %j are no error', async news => {
    const chunks = await chunksOf(news, said({ content: 'a' }), news, stop, done)
    expect(chunks).toHaveLength(2)
  })

  it.each([
    [{ message: 'no', status_code: 429 }, 429],
    [{ message: 'no', code: '503' }, 503],
    [{ message: 'no', code: 'rate_limit_exceeded' }, 429],
    [{ message: 'no', type: 'server_error' }, 500],
    [{ detail: 'no', code: 404 }, 404],
    [{ detail: [{ loc: ['body', 'messages'], msg: 'no' }] }, 400],
    [{ errors: [{ message: 'no' }] }, 500],
  ])('a message that names its error, %j, stands for status %d', async (event, status) => {
    const { failure } = await streamed(sse(said({ content: 'a' }), event, stop, done))
    expect(failure).toMatchObject({ kind: 'refused', status })
  })

  it('a bare message in an error event is an error', async () => {
    const { failure } = await streamed('event: error\ndata: {"message":"queued"}\n\n')
    expect(failure).toMatchObject({ kind: 'refused', status: 500, vendorMessage: 'queued' })
  })

  it('an error object alone (llama.cpp), as text, in an array (Gemini compat), or of object error (vLLM)', async () => {
    const one = await streamed(sse({ error: { code: 500, message: 'slot', type: 'server_error' } }))
    expect(one.failure).toMatchObject({
      kind: 'refused',
      status: 500,
      vendorMessage: 'slot',
      type: 'server_error',
    })
    const two = await streamed(sse({ error: 'out of memory' }))
    expect(two.failure).toMatchObject({ kind: 'refused', status: 500, vendorMessage: 'out of memory' })
    const three = await streamed(
      sse([{ error: { code: 429, message: 'quota', status: 'RESOURCE_EXHAUSTED' } }]),
    )
    expect(three.failure).toMatchObject({ kind: 'refused', status: 429, type: 'RESOURCE_EXHAUSTED' })
    const four = await streamed(sse({ object: 'error', message: 'bad', type: 'BadRequestError', code: 400 }))
    expect(four.failure).toMatchObject({ kind: 'refused', status: 400, vendorMessage: 'bad' })
  })

  it.each([
    [{ type: 'overloaded_error', message: 'Overloaded' }, 503],
    [{ type: 'rate_limit_error', message: 'slow' }, 429],
    [{ code: 'rate_limit_exceeded', message: 'slow' }, 429],
    [{ type: 'invalid_request_error', message: 'no' }, 400],
    [{ type: 'authentication_error', message: 'no' }, 401],
    [{ message: 'prompt is too long: 3 tokens > 2 maximum' }, 400],
    [{ message: 'boom' }, 500],
    [{ code: '503', message: 'boom' }, 503],
  ])('an error %j in a stream stands for status %d', async (error, status) => {
    const { failure } = await streamed(sse({ error }))
    expect(failure).toMatchObject({ kind: 'refused', status })
  })

  it('an error event whose data is no JSON', async () => {
    const { failure } = await streamed('event: error\ndata: upstream went away\n\n')
    expect(failure).toMatchObject({ kind: 'refused', status: 500, vendorMessage: 'upstream went away' })
  })

  it('other named events and empty data are passed over', async () => {
    const { chunks, failure } = await streamed(
      `event: ping\ndata: {"type":"ping"}\n\nevent: note\ndata: hello\n\ndata:\n\ndata:   \n\n${sse(said({ content: 'a' }), stop, done)}`,
    )
    expect(failure).toBeUndefined()
    expect(chunks).toHaveLength(2)
  })

  it('ids and times that change from chunk to chunk are not passed on (Ollama native)', async () => {
    const chunks = await chunksOf(
      { id: 'a', created: 1, model: 'x', choices: [{ index: 0, delta: { content: 'a' } }] },
      {
        id: 'b',
        created: 1_760_000_000_000,
        model: 'y',
        choices: [{ index: 0, delta: {}, finish_reason: 'stop' }],
      },
      done,
    )
    for (const { model: _, ...chunk } of chunks) expect(Object.keys(chunk)).toEqual(['choices'])
    expect(chunks.map(({ model }) => model)).toEqual(['x', 'y'])
  })

  it('a choice without an index is numbered by its place', async () => {
    const [chunk] = await chunksOf(
      {
        choices: [
          { delta: { content: 'a' }, finish_reason: 'stop' },
          { delta: { content: 'b' }, finish_reason: 'stop' },
        ],
      },
      done,
    )
    expect(chunk?.choices.map(choice => choice.index)).toEqual([0, 1])
  })

  it('a message where the delta belongs is taken once', async () => {
    const [chunk] = await chunksOf(
      { choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }] },
      done,
    )
    expect(chunk?.choices).toEqual([{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }])
  })

  it('logprobs, the fingerprint and the tier are kept; an empty tier is not (Snowflake)', async () => {
    const token = {
      token: 'a',
      logprob: -0.5,
      bytes: [97],
      top_logprobs: [{ token: 'b', logprob: -1, bytes: null }],
    }
    const logprobs = { content: [token], refusal: null }
    const [first, second] = await chunksOf(
      {
        service_tier: 'default',
        system_fingerprint: 'fp',
        choices: [{ index: 0, delta: { content: 'a' }, logprobs, finish_reason: null }],
      },
      {
        service_tier: '',
        system_fingerprint: '',
        choices: [{ index: 0, delta: {}, logprobs: { content: null, refusal: null }, finish_reason: 'stop' }],
      },
      done,
    )
    expect(first).toEqual({
      service_tier: 'default',
      system_fingerprint: 'fp',
      choices: [{ index: 0, delta: { content: 'a' }, logprobs }],
    })
    expect(second).toEqual({ choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] })
  })
})

describe('the end of a stream', () => {
  it('[DONE] ends it: nothing is read after it, and the body is let go', async () => {
    const response = scriptedResponse({
      headers: { 'content-type': 'text/event-stream' },
      body: [
        sse(said({ content: 'a' }), stop, done, said({ content: 'late' })),
        sse(said({ content: 'later' })),
      ],
    })
    const { chunks, failure } = await readAll(response)
    expect(failure).toBeUndefined()
    expect(chunks).toHaveLength(2)
    expect(response.state).toEqual({ reads: 1, returned: true })
  })

  it('[DONE] may have white space behind it', async () => {
    const { chunks, failure } = await streamed(`${sse(said({ content: 'a' }))}data: [DONE] \n\n`)
    expect(chunks).toHaveLength(1)
    expect(failure).toBeUndefined()
  })

  it.each([
    ['nothing', ''],
    ['comments only', ': ping\n\n'],
    ['content without a reason', sse(said({ content: 'a' }))],
    ['one of two choices ended', sse(said({ content: 'a' }), said({ content: 'b' }, null, 1), stop)],
    ['a cut inside an event', `${sse(said({ content: 'a' }))}data: {"choices":[{"index":0,"delta":{"cont`],
    ['[DONE] after nothing', sse(done)],
    ['[DONE] after usage only', sse({ choices: [], usage: { prompt_tokens: 1 } }, done)],
    ['[DO', `${sse(said({ content: 'a' }))}data: [DO`],
  ])('%s, then the end of the body, is truncated', async (_name, body) => {
    expect(kindOf((await streamed(body)).failure)).toBe('truncated')
  })

  it('fewer choices than were asked for, all ended, then the end of the body, is truncated', async () => {
    const two: Call = { ...streaming, input: { ...streaming.input, n: 2 } }
    const first = sse(said({ content: 'a' }, 'stop'))
    const both = first + sse(said({ content: 'b' }, 'stop', 1))
    const read = (body: string, call: Call) => readAll(scriptedResponse({ body }), call)
    expect(kindOf((await read(first, two)).failure)).toBe('truncated')
    expect((await read(both, two)).failure).toBeUndefined()
    expect((await read(first + sse(done), two)).failure).toBeUndefined()
    // The vendor may not have been asked for two.
    expect((await read(first, { ...two, unsupportedParameters: 'drop' })).failure).toBeUndefined()
  })

  it('every choice ended, then the end of the body, is complete, also with a cut [DONE]', async () => {
    for (const body of [
      sse(stop),
      `${sse(stop)}data: [DO`,
      `${sse(said({ content: 'a' }))}${sse(stop).trimEnd()}`,
    ]) {
      expect((await streamed(body)).failure).toBeUndefined()
    }
  })

  it.each([
    ['text', 'data: hello\n\n'],
    ['a piece of JSON', 'data: {"choices":\n\n'],
    ['a number', 'data: 7\n\n'],
    ['null', 'data: null\n\n'],
    ['a choice that is no object', 'data: {"choices":[7]}\n\n'],
  ])('an event that is %s is garbled, after what came before it', async (_name, bad) => {
    const { chunks, failure } = await streamed([sse(said({ content: 'a' })) + bad + sse(stop, done)])
    expect(chunks).toHaveLength(1)
    expect(kindOf(failure)).toBe('garbled')
    expect(String(failure)).not.toContain('hello')
  })

  it('JSON that nests without end is garbled, streamed or not', async () => {
    const deep = (key: string) => `{"${key}":`.repeat(200_000) + 1 + '}'.repeat(200_000)
    const call = `{"choices":[{"index":0,"message":{"tool_calls":[{"function":{"name":"f","arguments":${deep('a')}}}]}}]}`
    for (const body of [deep('message'), call]) {
      expect(kindOf((await streamed(`data: ${body}\n\n`)).failure)).toBe('garbled')
      expect((await failureOf({ body })).kind).toBe('garbled')
      expect((await failureOf({ body, status: 400 })).kind).toBe('refused')
    }
  })

  it('white space without end is garbled once 64 KiB have come', async () => {
    const blank = '\n'.repeat(1_024)
    const response = scriptedResponse({ body: Array<string>(1_000).fill(blank) })
    const { chunks, failure } = await readAll(response)
    expect(chunks).toEqual([])
    expect(kindOf(failure)).toBe('garbled')
    expect(response.state).toEqual({ reads: 65, returned: true })
  })

  it('white space of 64 KiB may come before a stream', async () => {
    const blank = Array.from({ length: 64 }, () => ' \r\n\n'.repeat(256))
    const { chunks, failure } = await streamed([...blank, sse(said({ content: 'a' }), stop, done)])
    expect(failure).toBeUndefined()
    expect(chunks).toHaveLength(2)
  })

  it('a body that fails passes its failure on', async () => {
    const failure = new Error('reset')
    const result = await readAll(scriptedResponse({ body: [sse(said({ content: 'a' }))], failure }))
    expect(result).toMatchObject({ chunks: [{}], failure })
  })

  it('lets the body go when the reader leaves', async () => {
    const response = scriptedResponse({
      body: [sse(said({ content: 'a' })), sse(said({ content: 'b' })), sse(stop, done)],
    })
    const reply = await decodeChatCompletions(response, streaming)
    if (reply.kind !== 'stream') throw new Error('not a stream')
    for await (const _batch of reply.chunks) break
    expect(response.state).toEqual({ reads: 1, returned: true })
  })

  it('gives one array per read', async () => {
    const reply = await decodeChatCompletions(
      scriptedResponse({ body: [sse(said({ content: 'a' }), said({ content: 'b' })), sse(stop, done)] }),
      streaming,
    )
    if (reply.kind !== 'stream') throw new Error('not a stream')
    const sizes: number[] = []
    for await (const batch of reply.chunks) sizes.push(batch.length)
    expect(sizes).toEqual([2, 1])
  })
})

const completion = {
  id: 'x',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'a' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
}
const asOneChunk = {
  choices: [{ index: 0, delta: { content: 'a' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 1, completion_tokens: 2 },
}

describe('an answer of the wrong kind', () => {
  it.each([
    ['said to be JSON', 'application/json; charset=utf-8'],
    ['said to be a stream', 'text/event-stream'],
    ['of no said type', ''],
  ])('a completion where a stream was asked for, %s, becomes a stream of one chunk', async (_name, type) => {
    const text = JSON.stringify(completion)
    for (const body of [[text], ['\n  ', '\n', text], [...text]]) {
      const result = await readAll(
        scriptedResponse({ headers: type === '' ? {} : { 'content-type': type }, body }),
      )
      expect(result).toEqual({ chunks: [asOneChunk], failure: undefined })
    }
  })

  it.each(['text/plain', 'application/json'])('a stream that is said to be %s is read as one', async type => {
    const result = await readAll(
      scriptedResponse({
        headers: { 'content-type': type },
        body: [...sse(said({ content: 'a' }), stop, done)],
      }),
    )
    expect(result.chunks).toHaveLength(2)
  })

  it.each(['application/json', 'text/event-stream'])(
    'an error of status 200 where a stream was asked for (%s) is a refusal',
    async type => {
      const { failure } = await readAll(
        scriptedResponse({
          headers: { 'content-type': type },
          body: '{"error":{"message":"no","code":502}}',
        }),
      )
      expect(failure).toMatchObject({ kind: 'refused', status: 502, vendorMessage: 'no' })
    },
  )

  it.each([
    [
      'a stream where a completion was asked for',
      { body: sse(stop, done), headers: { 'content-type': 'text/event-stream' } },
      whole,
    ],
    ['a web page', { body: '<html>secret</html>', headers: { 'content-type': 'text/html' } }, whole],
    [
      'a web page for a stream',
      { body: '<html>secret</html>', headers: { 'content-type': 'text/html; charset=utf-8' } },
      streaming,
    ],
    ['an empty body', { body: '' }, whole],
    ['white space', { body: ' \n' }, whole],
    ['204', { status: 204 }, whole],
    ['204 for a stream', { status: 204 }, streaming],
    ['text', { body: 'secret' }, whole],
    ['a JSON string', { body: '"secret"' }, whole],
    ['null', { body: 'null' }, whole],
    ['an object of another kind', { body: '{"secret":1}' }, whole],
    ['no choices', { body: '{"choices":[]}' }, whole],
    ['a choice without a message', { body: '{"choices":[{"index":0,"finish_reason":"stop"}]}' }, whole],
    [
      'JSON of another kind for a stream',
      { body: '{"secret":1}', headers: { 'content-type': 'application/json' } },
      streaming,
    ],
    ['a redirect with a body', { status: 200, body: '[]' }, whole],
  ])('%s is garbled, and its body is not told', async (_name, answer, call) => {
    const failure = await failureOf(answer, call)
    expect(failure.kind).toBe('garbled')
    expect(`${failure.message} ${failure.vendorMessage}`).not.toContain('secret')
  })
})

describe('whole completions', () => {
  it('a choice that the filter stopped, without a message (Azure)', async () => {
    const { choices } = await completionOf({
      choices: [{ index: 0, finish_reason: 'content_filter', logprobs: null, content_filter_results: {} }],
    })
    expect(choices).toEqual([{ index: 0, message: {}, finish_reason: 'content_filter' }])
  })

  it('zero values for what is not there (Snowflake)', async () => {
    const message = {
      role: 'assistant',
      content: 'a',
      annotations: null,
      audio: { data: '', expires_at: 0, id: '', transcript: '' },
      function_call: { arguments: '', name: '' },
      refusal: '',
      tool_calls: null,
    }
    const { choices } = await completionOf({
      choices: [{ index: 0, finish_reason: '', logprobs: { content: null, refusal: null }, message }],
      service_tier: '',
    })
    expect(choices).toEqual([{ index: 0, message: { content: 'a' }, finish_reason: null }])
  })

  it('content as an array (Mistral)', async () => {
    const content = [
      { type: 'thinking', thinking: [{ type: 'text', text: 'hm' }] },
      { type: 'text', text: 'yes' },
    ]
    const { choices } = await completionOf({
      choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    })
    expect(choices[0]?.message).toEqual({ content: 'yes', reasoning_content: 'hm' })
  })

  it('annotations, refusals and audio are kept', async () => {
    const annotations = [
      {
        type: 'url_citation',
        url_citation: { url: 'https://x.example', title: 't', start_index: 0, end_index: 1 },
      },
    ]
    const audio = { id: 'audio_1', data: 'aGk=', expires_at: 1, transcript: 'hi' }
    const { choices } = await completionOf({
      choices: [
        { index: 0, message: { content: null, refusal: 'no', annotations, audio }, finish_reason: 'stop' },
      ],
    })
    expect(choices[0]?.message).toEqual({ refusal: 'no', annotations, audio })
  })

  it('an error of status 200, in the body or in a choice (OpenRouter)', async () => {
    expect(await failureOf({ body: '{"error":{"code":429,"message":"slow"}}' })).toMatchObject({
      kind: 'refused',
      status: 429,
      vendorMessage: 'slow',
    })
    const choice = {
      index: 0,
      message: { content: '' },
      finish_reason: 'error',
      error: { code: 502, message: 'provider' },
    }
    expect(await failureOf({ body: JSON.stringify({ choices: [choice] }) })).toMatchObject({
      kind: 'refused',
      status: 502,
      vendorMessage: 'provider',
    })
  })

  it('leading white space (OpenRouter)', async () => {
    expect((await completionOf(`\n         \n${JSON.stringify(completion)}`)).choices).toHaveLength(1)
  })

  it.each([
    [
      'as OpenAI counts',
      {
        prompt_tokens: 10,
        completion_tokens: 20,
        total_tokens: 30,
        prompt_tokens_details: { cached_tokens: 4, audio_tokens: 1 },
        completion_tokens_details: {
          reasoning_tokens: 5,
          audio_tokens: 2,
          accepted_prediction_tokens: 3,
          rejected_prediction_tokens: 6,
        },
      },
      {
        prompt_tokens: 10,
        completion_tokens: 20,
        cached_tokens: 4,
        prompt_audio_tokens: 1,
        reasoning_tokens: 5,
        completion_audio_tokens: 2,
        accepted_prediction_tokens: 3,
        rejected_prediction_tokens: 6,
      },
    ],
    [
      'reasoning beside the completion (xAI)',
      {
        prompt_tokens: 307,
        completion_tokens: 26,
        total_tokens: 588,
        completion_tokens_details: { reasoning_tokens: 255 },
      },
      { prompt_tokens: 307, completion_tokens: 281, reasoning_tokens: 255 },
    ],
    [
      'reasoning that only the total tells of (Google)',
      { prompt_tokens: 7, completion_tokens: 12, total_tokens: 402 },
      { prompt_tokens: 7, completion_tokens: 395, reasoning_tokens: 383 },
    ],
    [
      'more in the total than its reasoning',
      {
        prompt_tokens: 7,
        completion_tokens: 12,
        total_tokens: 402,
        completion_tokens_details: { reasoning_tokens: 5 },
      },
      { prompt_tokens: 7, completion_tokens: 395, reasoning_tokens: 383 },
    ],
    [
      'a total that is less, or none',
      { prompt_tokens: 7, completion_tokens: 12, total_tokens: 3 },
      { prompt_tokens: 7, completion_tokens: 12 },
    ],
    ['a total alone', { total_tokens: 402, prompt_tokens: 7 }, { prompt_tokens: 7 }],
    [
      'reasoning within the completion',
      {
        prompt_tokens: 5,
        completion_tokens: 20,
        total_tokens: 25,
        completion_tokens_details: { reasoning_tokens: 15 },
      },
      { prompt_tokens: 5, completion_tokens: 20, reasoning_tokens: 15 },
    ],
    [
      'a cache hit beside the details (DeepSeek)',
      { prompt_tokens: 5, completion_tokens: 2, prompt_cache_hit_tokens: 3, prompt_cache_miss_tokens: 2 },
      { prompt_tokens: 5, completion_tokens: 2, cached_tokens: 3 },
    ],
    [
      'a cache written (OpenRouter)',
      {
        prompt_tokens: 5,
        completion_tokens: 2,
        prompt_tokens_details: { cached_tokens: 0, cache_write_tokens: 3 },
      },
      { prompt_tokens: 5, completion_tokens: 2, cached_tokens: 0, cache_write_tokens: 3 },
    ],
    [
      'null details (Hugging Face, doubleword)',
      {
        prompt_tokens: 5,
        completion_tokens: 2,
        prompt_tokens_details: null,
        completion_tokens_details: { audio_tokens: null, reasoning_tokens: 1 },
      },
      { prompt_tokens: 5, completion_tokens: 2, reasoning_tokens: 1 },
    ],
    [
      'what is no count',
      {
        prompt_tokens: -1,
        completion_tokens: 1.5,
        prompt_tokens_details: { cached_tokens: '3' },
        completion_tokens_details: { reasoning_tokens: 2 ** 60 },
      },
      undefined,
    ],
    ['half of it', { completion_tokens: 3 }, { completion_tokens: 3 }],
    ['null', null, undefined],
  ])('usage: %s', async (_name, usage, expected) => {
    expect((await completionOf({ ...completion, usage })).usage).toEqual(expected)
  })
})

describe('refusals', () => {
  it.each<[name: string, status: number, body: string, expected: object]>([
    [
      'OpenAI',
      400,
      '{"error":{"message":"Bad","type":"invalid_request_error","param":"messages[0].role","code":"unsupported_value"}}',
      {
        status: 400,
        vendorMessage: 'Bad',
        type: 'invalid_request_error',
        param: 'messages[0].role',
        code: 'unsupported_value',
      },
    ],
    [
      'OpenRouter (numeric code)',
      429,
      '{"error":{"code":429,"message":"Provider returned error","metadata":{"raw":"x"}}}',
      { status: 429, vendorMessage: 'Provider returned error', code: null },
    ],
    [
      'Azure (numeric code as text)',
      401,
      '{"error":{"code":"401","message":"Access denied"}}',
      { status: 401, vendorMessage: 'Access denied', code: null },
    ],
    [
      'Azure (deployment)',
      404,
      '{"error":{"code":"DeploymentNotFound","message":"none"}}',
      { status: 404, code: 'DeploymentNotFound' },
    ],
    [
      'Mistral',
      400,
      '{"object":"error","message":"Invalid model: x","type":"invalid_model","param":null,"code":"1500","raw_status_code":400}',
      { status: 400, vendorMessage: 'Invalid model: x', type: 'invalid_model', code: '1500' },
    ],
    [
      'Mistral (numeric code)',
      400,
      '{"object":"error","message":"Unsupported","type":"invalid_request_error","param":null,"code":3051}',
      { code: '3051', vendorMessage: 'Unsupported' },
    ],
    [
      'Mistral (list within the message)',
      422,
      '{"object":"error","message":{"detail":[{"type":"extra_forbidden","loc":["body","store"],"msg":"Extra inputs are not permitted"}]},"type":"invalid_request_error"}',
      { status: 422, vendorMessage: 'store: Extra inputs are not permitted', param: 'store' },
    ],
    [
      'FastAPI (text)',
      401,
      '{"detail":"Invalid API Key"}',
      { status: 401, vendorMessage: 'Invalid API Key' },
    ],
    [
      'FastAPI (list)',
      422,
      '{"detail":[{"loc":["body","messages",0,"role"],"msg":"bad role"},{"loc":["body","n"],"msg":"too many"}]}',
      { status: 422, vendorMessage: 'messages[0].role: bad role; n: too many', param: 'messages[0].role' },
    ],
    [
      'xAI',
      404,
      '{"code":"not-found","error":"The model x does not exist"}',
      { status: 404, code: 'not-found', vendorMessage: 'The model x does not exist' },
    ],
    [
      'xAI (a wrong key)',
      400,
      '{"code":"invalid-argument","error":"Incorrect API key provided: xa***."}',
      { status: 401, code: 'invalid_api_key' },
    ],
    [
      'Google (a wrong key)',
      400,
      '[{"error":{"code":400,"message":"API key not valid. Please pass a valid API key.","status":"INVALID_ARGUMENT"}}]',
      { status: 401, code: 'invalid_api_key', type: 'INVALID_ARGUMENT' },
    ],
    [
      'Venice (plain text)',
      404,
      '{"error":"Specified model not found: x"}',
      { status: 404, vendorMessage: 'Specified model not found: x' },
    ],
    [
      'doubleword',
      400,
      '{"code":400,"message":"Validation","type":"Bad Request"}',
      { status: 400, vendorMessage: 'Validation', type: 'Bad Request', code: null },
    ],
    [
      'vLLM (older)',
      400,
      '{"object":"error","message":"no","type":"BadRequestError","param":null,"code":400}',
      { vendorMessage: 'no', type: 'BadRequestError', code: null },
    ],
    [
      'llama.cpp',
      400,
      '{"error":{"code":400,"message":"request (2009 tokens) exceeds the available context size (512 tokens)","type":"exceed_context_size_error","n_ctx":512}}',
      { status: 400, code: 'context_length_exceeded', type: 'exceed_context_size_error' },
    ],
    [
      'Perplexity',
      400,
      '{"error":{"message":"The total length of all messages is too long.","type":"too_many_prompt_tokens","code":400}}',
      { code: 'context_length_exceeded' },
    ],
    [
      'DeepSeek',
      400,
      '{"error":{"message":"This model\'s maximum context length is 1048565 tokens.","type":"invalid_request_error","param":null,"code":"invalid_request_error"}}',
      { code: 'context_length_exceeded', type: 'invalid_request_error' },
    ],
    [
      'a proxy that gives 500 for a long prompt',
      500,
      '{"error":{"message":"prompt is too long: 2 tokens > 1 maximum"}}',
      { status: 400, code: 'context_length_exceeded' },
    ],
    [
      'a rate of tokens, which is no long prompt',
      429,
      '{"error":{"message":"too many tokens per minute","type":"tokens","code":"rate_limit_exceeded"}}',
      { status: 429, code: 'rate_limit_exceeded' },
    ],
    [
      'a quota',
      429,
      '{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}',
      { status: 429, code: 'insufficient_quota' },
    ],
    [
      'a balance (DeepSeek)',
      402,
      '{"error":{"message":"Insufficient Balance","type":"unknown_error","param":null,"code":"invalid_request_error"}}',
      { status: 402, code: 'insufficient_quota' },
    ],
    [
      'an HTML page',
      502,
      '<html>secret</html>',
      { status: 502, code: null, message: 'The upstream answered 502 and gave no reason that can be read.' },
    ],
    [
      'nothing',
      503,
      '',
      { status: 503, message: 'The upstream answered 503 and gave no reason that can be read.' },
    ],
    [
      'JSON of another kind',
      500,
      '{"secret":1}',
      { status: 500, message: 'The upstream answered 500 and gave no reason that can be read.' },
    ],
    [
      'a redirect',
      302,
      '',
      {
        status: 302,
        message: 'The upstream answered with a redirect (302), and none is followed. Check the baseURL.',
      },
    ],
  ])('%s', async (_name, status, body, expected) => {
    const failure = await failureOf({ status, body, headers: { 'content-type': 'application/octet-stream' } })
    expect(failure).toMatchObject({ kind: 'refused', ...expected })
    expect(`${failure.message} ${failure.vendorMessage}`).not.toContain('secret')
    // The same whether a stream was asked for or not.
    expect(await failureOf({ status, body }, streaming)).toMatchObject({ kind: 'refused', ...expected })
  })

  it.each<[name: string, headers: Record<string, string>, ms: number | undefined]>([
    ['milliseconds before seconds', { 'retry-after-ms': '1234', 'retry-after': '9' }, 1234],
    ['seconds', { 'retry-after': '7' }, 7000],
    ['part of a second', { 'retry-after': '0.5' }, 500],
    ['a date', { 'retry-after': 'Sat, 01 Jan 2028 00:00:10 GMT' }, 10_000],
    ['a date gone by', { 'retry-after': 'Fri, 31 Dec 2027 23:59:00 GMT' }, 0],
    ['a date of RFC 850', { 'retry-after': 'Saturday, 01-Jan-28 00:00:10 GMT' }, 10_000],
    ['a date of asctime', { 'retry-after': 'Sat Jan  1 00:00:10 2028' }, 10_000],
    ['a date without its zone', { 'retry-after': 'Sat, 01 Jan 2028 00:00:10' }, undefined],
    ['nonsense', { 'retry-after': 'soon', 'retry-after-ms': '-1' }, undefined],
    ['nothing', {}, undefined],
  ])('the time to wait: %s', async (_name, headers, ms) => {
    const failure = await failureOf({ status: 429, headers, body: '{}' }, whole, () => Date.UTC(2028, 0, 1))
    expect(failure.retryAfterMs).toBe(ms)
  })

  it('keeps the status where the body cannot be read', async () => {
    const cause = new Error('reset')
    expect(await failureOf({ status: 429, failure: cause })).toMatchObject({
      kind: 'refused',
      status: 429,
      cause,
    })
  })
})

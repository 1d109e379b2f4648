import {
  type ChunkBatch,
  foldChunks,
  type NativeEvent,
  type PartialChunk,
  type Provider,
  type Reply,
  UpstreamError,
} from '@sluice/core/provider'
import { anthropic, bedrock, openaiCompatible, vertex } from '@sluice/providers'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scriptedException, scriptedFrame } from '../bedrock/scripted-frames.ts'
import { nativeCall } from '../native-call.ts'
import { type ScriptedAnswer, scriptedResponse } from '../scripted-response.ts'

const claude = anthropic({ apiKey: 'sk-test' }).provider
const google = vertex({ project: 'ours', location: 'us-east5', token: 'token' }).provider
const aws = bedrock({ region: 'us-east-1', bearerToken: 'token' }).provider
const acme = openaiCompatible({ name: 'a', baseURL: 'http://a.test/v1', speaks: ['messages'] }).provider

interface Asked {
  readonly stream?: boolean
  readonly public?: string
  readonly model?: string
}

async function decoded(
  provider: Provider,
  answer: ScriptedAnswer,
  { stream = false, public: name = 'public', model = 'claude-x' }: Asked = {},
): Promise<Reply> {
  const call = nativeCall(JSON.stringify({ model: name, stream, messages: [] }), { model })
  return provider.decodeNative!(scriptedResponse(answer), call)
}

interface Streamed {
  readonly batches: readonly ChunkBatch[]
  readonly events: readonly NativeEvent[]
  readonly chunks: readonly PartialChunk[]
  readonly failure?: unknown
}

/** Adds what comes to a list, and returns what is thrown in the end. */
async function collect<T>(source: AsyncIterable<readonly T[]>, all: T[]): Promise<unknown> {
  try {
    for await (const batch of source) all.push(...batch)
  } catch (error) {
    return error
  }
  return undefined
}

async function streamed(provider: Provider, answer: ScriptedAnswer): Promise<Streamed> {
  const reply = await decoded(provider, answer, { stream: true })
  if (reply.kind !== 'stream') throw new Error('No stream.')
  const batches: ChunkBatch[] = []
  const failure = await collect(
    (async function* () {
      for await (const batch of reply.chunks) yield [batch]
    })(),
    batches,
  )
  const events = batches.flatMap(({ native = [] }) => native)
  return { batches, events, chunks: batches.flat(), ...(failure === undefined ? {} : { failure }) }
}

const message =
  ' {"id":"msg_1","type":"message","model":"claude-x-1","content":[{"type":"thinking","thinking":"Hm","signature":"s\\/1"},{"type":"text","text":"A"},{"type":"new_block","x":1.50},{"type":"tool_use","id":"t","name":"f","input":{"n":12345678901234567890}},{"type":"text","text":"B"}],"stop_reason":"tool_use","usage":{"input_tokens":3,"output_tokens":5,"new":1}}\n'

const steps: readonly (readonly [string, object])[] = [
  [
    'message_start',
    { message: { id: 'msg_1', model: 'claude-x-1', content: [], usage: { input_tokens: 3 } } },
  ],
  ['content_block_start', { index: 0, content_block: { type: 'text', text: '' } }],
  ['ping', {}],
  ['content_block_delta', { index: 0, delta: { type: 'text_delta', text: 'Hé' } }],
  ['later_event', { more: { deep: [1] } }],
  ['content_block_stop', { index: 0 }],
  ['content_block_start', { index: 1, content_block: { type: 'later_block' } }],
  ['content_block_stop', { index: 1 }],
  ['message_delta', { delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } }],
  ['message_stop', {}],
]
const events: readonly NativeEvent[] = steps.map(([event, fields]) => ({
  event,
  data: JSON.stringify({ type: event, ...fields }),
}))

const sse = ({ event, data }: NativeEvent) => `event: ${event}\ndata: ${data}\n\n`
const frame = ({ data }: NativeEvent) =>
  scriptedFrame(
    { ':event-type': 'chunk', ':content-type': 'application/json', ':message-type': 'event' },
    JSON.stringify({ bytes: Buffer.from(data).toString('base64'), p: 'abcdefg' }),
  )

/** Hosts of the Messages API, with their way to write an event. */
const hosts: readonly (readonly [string, Provider, (event: NativeEvent) => string | Uint8Array])[] = [
  ['anthropic', claude, sse],
  ['vertex', google, sse],
  ['a compatible server', acme, sse],
  ['bedrock', aws, frame],
]

describe.each(hosts)('an answer of %s that is passed on', (_, provider, written) => {
  it('is the text of the vendor, with all that the gateway reads in it', async () => {
    const reply = await decoded(provider, { body: message })
    expect(reply).toMatchObject({ kind: 'completion', native: message })
    if (reply.kind !== 'completion') return
    const [choice] = reply.completion.choices
    expect(choice).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: 'AB', reasoning_content: 'Hm' },
    })
    expect(reply.completion).toMatchObject({
      model: 'claude-x-1',
      usage: { prompt_tokens: 3, completion_tokens: 5 },
    })
    expect(reply.ordered).toHaveLength(4)
  })

  it('has each event of a stream once and in order, also those that give no chunk', async () => {
    const {
      batches,
      events: passed,
      chunks,
      failure,
    } = await streamed(provider, { body: events.map(written) })
    expect(failure).toBeUndefined()
    expect(passed).toEqual(events)
    expect(batches).toHaveLength(events.length)
    expect(batches[2]).toHaveLength(0)
    expect(foldChunks(chunks)).toMatchObject({
      choices: [{ message: { content: 'Hé' }, finish_reason: 'stop' }],
      usage: { prompt_tokens: 3, completion_tokens: 2 },
    })
  })

  it('is cut off without its last event, after all that came', async () => {
    const { events: passed, failure } = await streamed(provider, { body: events.slice(0, -1).map(written) })
    expect(passed).toEqual(events.slice(0, -1))
    expect(failure).toMatchObject({ kind: 'truncated' })
  })

  it('ends at its last event', async () => {
    const { events: passed, failure } = await streamed(provider, {
      body: [...events, ...events].map(written),
    })
    expect(passed).toEqual(events)
    expect(failure).toBeUndefined()
  })

  it('fails at an error within the stream, which is not passed on', async () => {
    const error = { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }
    const broken = [...events.slice(0, 4), { event: 'error', data: JSON.stringify(error) }]
    const { events: passed, failure } = await streamed(provider, { body: broken.map(written) })
    expect(passed).toEqual(events.slice(0, 4))
    expect(failure).toMatchObject({ kind: 'refused', status: 529 })
  })

  it('fails at an event that cannot be read', async () => {
    const { events: passed, failure } = await streamed(provider, {
      body: [...events.slice(0, 2), { event: 'ping', data: '{"a"' }, ...events.slice(2)].map(written),
    })
    expect(passed).toEqual(events.slice(0, 2))
    expect(failure).toMatchObject({ kind: 'garbled' })
  })

  it('comes as events from a server that cannot stream', async () => {
    const { events: passed, chunks } = await streamed(provider, { body: message })
    expect(passed.map(({ event }) => event)).toEqual([
      'message_start',
      ...['content_block_start', 'content_block_delta', 'content_block_delta', 'content_block_stop'],
      ...['content_block_start', 'content_block_delta', 'content_block_stop'],
      ...['content_block_start', 'content_block_stop'],
      ...['content_block_start', 'content_block_delta', 'content_block_stop'],
      ...['content_block_start', 'content_block_delta', 'content_block_stop'],
      'message_delta',
      'message_stop',
    ])
    expect(passed.map(({ data }) => data).join('\n')).toContain('{\\"n\\":12345678901234567890}')
    // What was made of it reads the same.
    const again = await streamed(claude, { body: passed.map(sse) })
    const whole = foldChunks(chunks)
    expect(foldChunks(again.chunks)).toMatchObject({
      choices: [{ finish_reason: 'tool_calls' }],
      usage: whole.usage!,
    })
    expect(foldChunks(again.chunks).choices[0]?.message.content).toBe(whole.choices[0]?.message.content)
  })

  it.each<[string, ScriptedAnswer, object]>([
    ['no message', { body: '{"id":1}' }, { kind: 'garbled' }],
    ['no JSON', { body: 'hello' }, { kind: 'garbled' }],
    ['an error', { body: '{"type":"error","error":{"type":"api_error","message":"x"}}' }, { status: 500 }],
    ['nothing', { status: 204 }, { kind: 'garbled' }],
    ['a web page', { headers: { 'content-type': 'text/html' }, body: message }, { kind: 'garbled' }],
  ])('is refused if it is %s', async (_case, answer, failure) => {
    await expect(decoded(provider, answer)).rejects.toMatchObject(failure)
  })
})

describe('a stream that is passed on', () => {
  it.each([claude, google])('is read as it is on the translated way: $name', async provider => {
    const call = { input: { model: 'public', messages: [], stream: true }, model: 'claude-x' }
    const body = events.map(sse)
    const reply = await provider.decode(scriptedResponse({ body }), call)
    if (reply.kind !== 'stream') throw new Error('No stream.')
    const chunks: PartialChunk[] = []
    for await (const batch of reply.chunks) chunks.push(...batch)
    expect((await streamed(provider, { body })).chunks).toEqual(chunks)
  })
})

describe('an event of a stream that is passed on', () => {
  it('has the name that its data tells, if it came without one', async () => {
    const body = events.map(({ data }) => `data: ${data}\n\n`)
    expect((await streamed(acme, { body })).events).toEqual(events)
  })

  it('has no name that could end its line, and no data of several lines', async () => {
    const odd = [
      'data: {"type":\ndata: "a\\nb"}\n\n',
      'event: x y\ndata: {"type":"c"}\n\n',
      'data: {"type":5}\n\n',
    ]
    const { events: passed } = await streamed(acme, { body: [...odd, ...events.map(sse)] })
    expect(passed.slice(0, 3)).toEqual([
      { data: '{"type": "a\\nb"}' },
      { event: 'x y', data: '{"type":"c"}' },
      { data: '{"type":5}' },
    ])
  })

  it('is none if it keeps the connection alive, or is the end mark of another protocol', async () => {
    const body = [
      'event: ping\ndata:\n\n',
      ': comment\n\n',
      ...events.slice(0, -1).map(sse),
      'data: [DONE]\n\n',
    ]
    const { events: passed, failure } = await streamed(acme, { body })
    expect(passed).toEqual(events.slice(0, -1))
    expect(failure).toMatchObject({ kind: 'truncated' })
  })

  it('comes with the others of its read', async () => {
    const { batches } = await streamed(claude, { body: events.map(sse).join('') })
    expect(batches).toHaveLength(1)
    expect(batches[0]?.native).toEqual(events)
  })
})

describe('a stream of InvokeModel', () => {
  it('fails at an exception, after what came before', async () => {
    const { events: passed, failure } = await streamed(aws, {
      body: [
        ...events.slice(0, 3).map(frame),
        scriptedException('throttlingException', { message: 'Slow.' }),
      ],
    })
    expect(passed).toEqual(events.slice(0, 3))
    expect(failure).toMatchObject({ kind: 'refused', status: 429 })
  })

  it.each<[string, string]>([
    ['no base64', '{"bytes":"*"}'],
    ['no bytes', '{"p":"a"}'],
    ['no text', JSON.stringify({ bytes: Buffer.from([0xff, 0xfe]).toString('base64') })],
    ['no JSON', '{"bytes"'],
  ])('fails at a chunk that holds %s', async (_, payload) => {
    const bad = scriptedFrame({ ':event-type': 'chunk', ':message-type': 'event' }, payload)
    const { events: passed, failure } = await streamed(aws, { body: [frame(events[0]!), bad] })
    expect(passed).toEqual(events.slice(0, 1))
    expect(failure).toMatchObject({ kind: 'garbled' })
  })

  it('leaves out events of other kinds', async () => {
    const other = scriptedFrame({ ':event-type': 'metadata', ':message-type': 'event' }, '{"a":1}')
    const { events: passed } = await streamed(aws, { body: [other, ...events.map(frame)] })
    expect(passed).toEqual(events)
  })
})

describe('a spoilt stream that is passed on', () => {
  const spoilt = fc.record({
    order: fc.array(fc.nat({ max: events.length - 1 }), { maxLength: 12 }),
    cut: fc.option(fc.nat({ max: 2_000 })),
    flips: fc.array(fc.tuple(fc.nat({ max: 2_000 }), fc.nat({ max: 255 })), { maxLength: 2 }),
    size: fc.constantFrom(1, 13, 200, 10_000),
  })
  type Spoilt = Parameters<Parameters<typeof spoilt.map>[0]>[0]

  function readsOf(
    { order, cut, flips, size }: Spoilt,
    written: (event: NativeEvent) => string | Uint8Array,
  ) {
    const bytes = Buffer.concat(order.map(at => Buffer.from(written(events[at]!)))).subarray(
      0,
      cut ?? undefined,
    )
    for (const [at, byte] of flips) if (at < bytes.length) bytes[at] = byte
    return Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) =>
      bytes.subarray(at * size, (at + 1) * size),
    )
  }

  it('is read as it is on the translated way, and gives one line for each event', async () => {
    const call = { input: { model: 'public', messages: [], stream: true }, model: 'claude-x' }
    await fc.assert(
      fc.asyncProperty(spoilt, async recipe => {
        const body = readsOf(recipe, sse)
        const passed = await streamed(claude, { body })
        const reply = await claude.decode(scriptedResponse({ body }), call)
        if (reply.kind !== 'stream') throw new Error('No stream.')
        const chunks: PartialChunk[] = []
        const failure = await collect(reply.chunks, chunks)
        expect(passed.chunks).toEqual(chunks)
        expect(passed.failure).toEqual(failure)
        expect(failure === undefined || UpstreamError.is(failure)).toBe(true)
        for (const { event = '', data } of passed.events) expect(`${event}${data}`).not.toMatch(/[\r\n]/)
      }),
      { numRuns: 300 },
    )
  })

  it('throws nothing but errors of the upstream, in frames', async () => {
    await fc.assert(
      fc.asyncProperty(spoilt, async recipe => {
        const { failure } = await streamed(aws, { body: readsOf(recipe, frame) })
        expect(failure === undefined || UpstreamError.is(failure)).toBe(true)
      }),
      { numRuns: 200 },
    )
  })
})

describe('an error that is passed on', () => {
  const error = (message: string, type = 'invalid_request_error') =>
    `{"type":"error", "error":{"type":"${type}","message":${JSON.stringify(message)}},"request_id":"req_1"}`
  async function refused(
    provider: Provider,
    status: number,
    body: string,
    asked?: Asked,
  ): Promise<UpstreamError> {
    const failure = await decoded(provider, { status, body }, asked).catch((thrown: unknown) => thrown)
    if (!UpstreamError.is(failure)) throw failure
    return failure
  }

  it.each<[string, Provider]>(hosts.map(([name, provider]) => [name, provider]))(
    'is the body as it came: %s',
    async (_, provider) => {
      const body = error('prompt is too long: 215000 tokens > 200000 maximum')
      const failure = await refused(provider, 400, body)
      expect(failure).toMatchObject({ kind: 'refused', status: 400, code: 'context_length_exceeded' })
      expect(failure.native).toEqual({ dialect: 'messages', status: 400, body })
      expect(JSON.stringify(failure)).not.toContain('req_1')
    },
  )

  it('keeps its own status where the gateway knows better', async () => {
    const body = error('input length and `max_tokens` exceed context limit: 1 + 2 > 2')
    expect((await refused(claude, 413, error('Too large.', 'request_too_large'))).native?.status).toBe(413)
    expect(await refused(claude, 400, body)).toMatchObject({
      code: 'context_length_exceeded',
      native: { body },
    })
  })

  it('has the name of the model that the caller knows', async () => {
    const body = error('model: claude-x', 'not_found_error')
    const failure = await refused(claude, 404, body)
    expect(failure).toMatchObject({ status: 404, vendorMessage: 'model: claude-x' })
    expect(failure.native?.body).toBe(body.replace('claude-x', 'public'))
    expect((await refused(claude, 404, body, { public: 'claude-x' })).native?.body).toBe(body)
    const other = error('model: claude-x-1, my-claude-x, claude-x.')
    expect((await refused(claude, 400, other)).native?.body).toBe(other.replace('claude-x.', 'public.'))
  })

  it.each<[string, number, string]>([
    ['in another shape', 400, '{"error":{"type":"a","message":"b"}}'],
    ['without a message', 400, '{"type":"error","error":{"type":"a"}}'],
    ['no JSON', 400, 'no'],
    ['about the balance', 400, error('Your credit balance is too low to access the API.')],
    ['about the key', 400, error('Invalid API key.')],
  ])('is none if it is %s', async (_, status, body) => {
    const failure = await refused(claude, status, body)
    expect(failure.native).toBeUndefined()
    expect(failure.kind).toBe('refused')
  })
})

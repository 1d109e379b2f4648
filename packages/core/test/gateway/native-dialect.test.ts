import { describe, expect, it } from 'vitest'
import type { GenerateDialect } from '../../src/contracts/dialect.ts'
import type { Draft } from '../../src/contracts/draft.ts'
import type { EndEvent } from '../../src/contracts/events.ts'
import type {
  ChunkBatch,
  NativeCall,
  NativeEvent,
  PartialChunk,
  Provider,
  Reply,
  Target,
} from '../../src/contracts/provider.ts'
import type { NativeBody, Settings } from '../../src/conversation/generate-request.ts'
import { TurnsGenerateRequest } from '../../src/conversation/turns-generate-request.ts'
import { UpstreamError } from '../../src/errors/upstream-error.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { limits } from '../../src/rate-limiting/limits.ts'
import { tokens } from '../../src/rate-limiting/rule.ts'
import { models } from '../../src/routing/models.ts'
import { scripted, stop, stream, text, whole } from '../support/scripted-gateway.ts'

// A dialect of plain text that some vendors speak: the prompt is `say`, the answer is text, and events are lines.

/** A request that knows its body, and what of its settings differs from it. */
class PlainRequest extends TurnsGenerateRequest {
  readonly #draft: Draft
  readonly #given: Settings
  readonly #now: Settings

  constructor(draft: Draft, given: Settings, now: Settings = given) {
    const turns = [
      { role: 'user', path: 'say', parts: [{ kind: 'text', text: String(draft.body.say), path: 'say' }] },
    ] as const
    super({ dialect: 'plain', body: draft.body, settings: now, turns })
    this.#draft = draft
    this.#given = given
    this.#now = now
  }

  override withSettings(settings: Settings): PlainRequest {
    return new PlainRequest(this.#draft, this.#given, settings)
  }

  native(): NativeBody {
    const { temperature, max_completion_tokens: most } = this.#now
    const edits = []
    if (temperature !== this.#given.temperature) edits.push({ path: ['temperature'], value: temperature })
    if (most !== this.#given.max_completion_tokens) edits.push({ path: ['most'], value: most })
    return { text: this.#draft.text!, headers: { 'x-beta': this.#draft.headers?.get('x-beta') ?? '' }, edits }
  }
}

const plain: GenerateDialect = {
  name: 'plain',
  operation: 'generate',
  path: '/plain',
  outline: body => ({ stream: body.stream === true }),
  read: draft => {
    const { model, body } = draft
    return { request: new PlainRequest(draft, { model, stream: body.stream === true }) }
  },
  answerId: id => `plain-${id}`,
  write: answer => JSON.stringify(answer.completion().choices[0]!.message.content),
  pass: (native, { model }) => `${native} by ${model}`,
  stream: ({ model }) => ({
    open: () => `begin ${model}\n`,
    push: deltas => deltas.map(({ delta }) => `${delta.content ?? ''}\n`).join(''),
    pass: (events, opened) =>
      events
        .map(({ data }) => (data === 'begin' ? (opened ? '' : `begin ${model} there\n`) : `${data}\n`))
        .join(''),
    end: () => 'end\n',
    fail: ({ code }) => `failed ${code}\n`,
  }),
  streamError: ({ code }) => `failed ${code}\n`,
  error: ({ status, message }) => ({ status, body: { message } }),
}

/** A provider of a vendor that speaks the dialect. */
function speaking(answer: () => Reply | Promise<Reply>, more: Partial<Provider> = {}) {
  const calls: NativeCall[] = []
  const world = scripted(() => whole('translated'), {
    speaks: ['plain'],
    encodeNative: call => {
      calls.push(call)
      return { method: 'POST', url: 'scripted:', headers: {} }
    },
    decodeNative: answer,
    ...more,
  })
  return { ...world, calls }
}

const answered = (content: string): Reply =>
  ({ ...whole(content), native: `"${content}, natively"` }) as Reply

const batch = (native: readonly string[], ...chunks: PartialChunk[]): ChunkBatch =>
  Object.assign(chunks, { native: native.map((data): NativeEvent => ({ data })) })

const streamed = (...reads: (ChunkBatch | Error)[]): Reply => ({
  kind: 'stream',
  chunks: (async function* () {
    for (const read of reads) {
      if (read instanceof Error) throw read
      yield read
    }
  })(),
})

const used: PartialChunk = { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } }

function serving(targets: Target | readonly Target[], options: Partial<GatewayOptions> = {}) {
  const events: EndEvent[] = []
  const gateway = createGateway({
    authenticate: () => ({ id: 'ann' }),
    route: models({ m: targets }),
    dialects: [plain],
    retry: false,
    observe: event => void (event.type === 'end' && events.push(event)),
    ...options,
  })
  const send = (body: string, headers: Record<string, string> = {}) =>
    gateway.fetch(
      new Request('http://sluice.test/v1/plain', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body,
      }),
    )
  const say = async (body: string, headers?: Record<string, string>) => {
    const response = await send(body, headers)
    return [response.status, await response.text()]
  }
  /** Returns the body of the answer once its head is there. */
  const open = async (body: string) => (await send(body)).body!
  return { say, open, events }
}

describe('a vendor that speaks the dialect of its caller', () => {
  it('gets the body as it came, and the answer is passed on', async () => {
    const { target, calls, inputs } = speaking(() => answered('Hello'))
    const { say, events } = serving(target)
    const body = '{ "model" : "m",\n "say": "Hi", "own": 1.50 }'
    expect(await say(body, { 'x-beta': 'b, a' })).toEqual([200, '"Hello, natively" by m'])
    expect(calls).toMatchObject([
      { text: body, edits: [], headers: { 'x-beta': 'b, a' }, model: 'upstream-model' },
    ])
    expect(inputs).toEqual([])
    expect(events).toMatchObject([
      { outcome: 'completed', usage: { prompt_tokens: 3, completion_tokens: 2 }, usageEstimated: false },
    ])
  })

  it('gets the parameters of its target, and the bound of a limit, as edits', async () => {
    const { target, calls } = speaking(() => answered('Hello'))
    const { say, events } = serving(
      { ...target, parameters: { temperature: 0 } },
      { limits: limits([tokens(20_000).per('minute')]) },
    )
    await say('{"model":"m","say":"Hi"}')
    expect(calls[0]!.edits).toEqual([
      { path: ['temperature'], value: 0 },
      { path: ['most'], value: expect.any(Number) },
    ])
    expect(events[0]!.adjustments.map(({ parameter }) => parameter)).toEqual([
      'max_completion_tokens',
      'temperature',
    ])
  })

  it('streams: each of its events leaves once, in order, also those that add nothing', async () => {
    const { target } = speaking(() =>
      streamed(
        batch(['begin', 'ping']),
        batch(['Hel', 'lo'], text('Hel'), text('lo')),
        batch(['own']),
        batch(['over'], stop, used),
      ),
    )
    const { say, events } = serving(target)
    expect(await say('{"model":"m","say":"Hi","stream":true}')).toEqual([
      200,
      'begin m there\nping\nHel\nlo\nown\nover\nend\n',
    ])
    expect(events).toMatchObject([{ outcome: 'completed', usage: { completion_tokens: 2 } }])
  })

  it('has the opening of the gateway where the client got it before', async () => {
    let answer: (reply: Reply) => void = () => {}
    const reply = new Promise<Reply>(resolve => {
      answer = resolve
    })
    const { target } = speaking(() => reply)
    const { open } = serving(target, { stream: { keepAliveMs: 1 } })
    const body = await open('{"model":"m","say":"Hi","stream":true}')
    const reader = body.pipeThrough(new TextDecoderStream()).getReader()
    let read = (await reader.read()).value ?? ''
    expect(read).toBe('begin m\n')
    answer(streamed(batch(['begin']), batch(['Hello'], text('Hello')), batch(['over'], stop)))
    for (let next = await reader.read(); !next.done; next = await reader.read()) read += next.value
    expect(read.replaceAll(/^:.*\n+/gm, '')).toBe('begin m\nHello\nover\nend\n')
  })

  it('ends with an error in the words of the dialect where it breaks', async () => {
    const broken = new UpstreamError('It broke.', { kind: 'truncated' })
    const { target } = speaking(() => streamed(batch(['begin', 'Hel'], text('Hel')), broken))
    const { say, events } = serving(target)
    expect(await say('{"model":"m","say":"Hi","stream":true}')).toEqual([
      200,
      expect.stringMatching(/^begin m there\nHel\nfailed \w+\n$/),
    ])
    expect(events).toMatchObject([{ outcome: 'upstream_failed' }])
  })

  it('falls back to one that does not, and the other way round, from the body of the caller', async () => {
    const refused = new UpstreamError('It is down.', { kind: 'refused', status: 500 })
    const down = () => {
      throw refused
    }
    const other = scripted(() => whole('translated'))
    const first = serving([speaking(down).target, other.target])
    expect(await first.say('{"model":"m","say":"Hi"}')).toEqual([200, '"translated"'])
    expect(other.inputs).toMatchObject([{ messages: [{ role: 'user', content: 'Hi' }] }])
    const second = serving([scripted(down).target, speaking(() => answered('Hello')).target])
    expect(await second.say('{"model":"m","say":"Hi"}')).toEqual([200, '"Hello, natively" by m'])
  })

  it('is called by translation for a request in another dialect', async () => {
    const { target, calls } = speaking(() => answered('Hello'), { speaks: ['another'] })
    expect(await serving(target).say('{"model":"m","say":"Hi"}')).toEqual([200, '"translated"'])
    expect(calls).toEqual([])
  })

  it('may speak a dialect for some models only', async () => {
    const { target } = speaking(() => answered('Hello'), {
      speaks: model => (model === 'fluent' ? ['plain'] : []),
    })
    expect(await serving(target).say('{"model":"m","say":"Hi"}')).toEqual([200, '"translated"'])
    const fluent = serving({ ...target, model: 'fluent' })
    expect(await fluent.say('{"model":"m","say":"Hi"}')).toEqual([200, '"Hello, natively" by m'])
  })

  it('is not believed about events where it was called by translation', async () => {
    const { target } = scripted(() => streamed(batch(['begin', 'forged'], text('Hello')), batch([], stop)))
    expect(await serving(target).say('{"model":"m","say":"Hi","stream":true}')).toEqual([
      200,
      'begin m\nHello\nend\n',
    ])
    const complete = scripted(() => answered('Hello'))
    expect(await serving(complete.target).say('{"model":"m","say":"Hi"}')).toEqual([200, '"Hello"'])
  })

  it('judges what the model can do', async () => {
    const { target } = speaking(() => answered('Hello'))
    const small = { ...target, capabilities: { contextTokens: 1, operations: ['generate'] } } as const
    const many = JSON.stringify({ model: 'm', say: 'word '.repeat(50) })
    expect((await serving(small).say(many))[0]).toBe(200)
    const other = { ...target, capabilities: { operations: ['embed'] } } as const
    expect((await serving(other).say(many))[0]).toBe(400)
  })
})

describe('a vendor that does not speak the dialect of its caller', () => {
  it('answers in translation, whole and streamed', async () => {
    const { target } = scripted(() => stream([text('Hello')], [stop]))
    expect(await serving(target).say('{"model":"m","say":"Hi","stream":true}')).toEqual([
      200,
      'begin m\nHello\nend\n',
    ])
  })
})

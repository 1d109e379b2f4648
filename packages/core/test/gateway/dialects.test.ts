import { describe, expect, it } from 'vitest'
import { idempotency } from '../../src/caching/idempotency.ts'
import { responseCache } from '../../src/caching/response-cache.ts'
import type { GenerateDialect } from '../../src/contracts/dialect.ts'
import type { EndEvent } from '../../src/contracts/events.ts'
import { TurnsGenerateRequest } from '../../src/conversation/turns-generate-request.ts'
import { GatewayError } from '../../src/errors/errors.ts'
import { UpstreamError } from '../../src/errors/upstream-error.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { limits } from '../../src/rate-limiting/limits.ts'
import { requests, tokens } from '../../src/rate-limiting/rule.ts'
import { models } from '../../src/routing/models.ts'
import { type Scripted, scripted, stop, stream, text, whole } from '../support/scripted-gateway.ts'

// A dialect of plain text: the prompt is `say`, the answer is text, and streams have a beginning and an end of their own.

const plain: GenerateDialect = {
  name: 'plain',
  operation: 'generate',
  path: '/plain',
  outline: body => ({
    stream: body.stream === true,
    user: typeof body.by === 'string' ? body.by : undefined,
    maxOutputTokens: typeof body.most === 'number' ? body.most : undefined,
  }),
  read: ({ model, body }) => {
    if (typeof body.say !== 'string') {
      throw new GatewayError('invalid_type', { message: "'say' is no text.", param: 'say' })
    }
    const most = typeof body.most === 'number' ? { max_completion_tokens: body.most } : {}
    const settings = { model, stream: body.stream === true, ...most }
    const turns = [
      { role: 'user', path: 'say', parts: [{ kind: 'text', text: body.say, path: 'say' }] },
    ] as const
    const renamed = { max_completion_tokens: 'most' }
    return { request: new TurnsGenerateRequest({ dialect: 'plain', body, settings, turns, renamed }) }
  },
  answerId: id => `plain-${id}`,
  write: answer =>
    JSON.stringify(
      answer
        .deltas()
        .map(({ delta }) => delta.content ?? '')
        .join(''),
    ),
  stream: () => ({
    open: () => 'data: begin\n\n',
    push: deltas => deltas.map(({ delta }) => `data: ${delta.content ?? ''}\n\n`).join(''),
    end: () => 'data: end\n\n',
    fail: ({ code }) => `data: failed ${code}\n\n`,
  }),
  streamError: ({ code }) => `data: failed ${code}\n\n`,
  error: ({ status, message, param }) => ({
    status: status === 503 ? 529 : status,
    body: { message, param },
  }),
}

function plainGateway({ target }: Pick<Scripted, 'target'>, options: Partial<GatewayOptions> = {}) {
  const events: EndEvent[] = []
  const gateway = createGateway({
    authenticate: request => {
      const id = request.headers.get('authorization')
      return id === null ? undefined : { id }
    },
    route: models({ m: target }),
    dialects: [plain],
    retry: false,
    observe: event => void (event.type === 'end' && events.push(event)),
    ...options,
  })
  const post = (path: string, body: object, headers: Record<string, string> = {}) =>
    gateway.fetch(
      new Request(`http://sluice.test/v1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'ann', ...headers },
        body: JSON.stringify({ model: 'm', ...body }),
      }),
    )
  const say = (more: object = {}, headers?: Record<string, string>) =>
    post('/plain', { say: 'Hi', ...more }, headers)
  return { gateway, events, post, say }
}

const told = async (response: Response) => [response.status, await response.text()]

describe('a dialect', () => {
  it('answers whole and streamed, and is named in events', async () => {
    const complete = plainGateway(scripted(() => whole('Hello')))
    expect(await told(await complete.say({ by: 'eve' }))).toEqual([200, '"Hello"'])
    expect(complete.events).toMatchObject([
      { dialect: 'plain', operation: 'generate', user: 'eve', status: 200 },
    ])
    const { say } = plainGateway(scripted(() => stream([text('Hel'), text('lo')], [stop])))
    expect(await told(await say({ stream: true }))).toEqual([
      200,
      'data: begin\n\ndata: Hel\n\ndata: lo\n\ndata: end\n\n',
    ])
  })

  it('reaches providers that know only chat completions', async () => {
    const upstream = scripted(() => whole('Hello'))
    await plainGateway(upstream).say({ most: 7 })
    expect(upstream.inputs).toMatchObject([
      { model: 'm', messages: [{ role: 'user', content: 'Hi' }], max_completion_tokens: 7 },
    ])
  })

  it('has its own errors at its path, below it, and before anything is read', async () => {
    const { gateway, post, say } = plainGateway(scripted(() => whole('Hello')))
    expect(await told(await say({ say: 7 }))).toEqual([
      400,
      '{"message":"\'say\' is no text.","param":"say"}',
    ])
    const anonymous = new Request('http://sluice.test/v1/plain', { method: 'POST' })
    expect(Object.keys(await (await gateway.fetch(anonymous)).json())).toEqual(['message', 'param'])
    expect(Object.keys(await (await post('/plain/more', {})).json())).toEqual(['message', 'param'])
    expect(Object.keys(await (await post('/plains', {})).json())).toEqual(['error'])
    expect(Object.keys(await (await post('/chat/completions', {})).json())).toEqual(['error'])
    await gateway.close()
    expect((await say()).status).toBe(529)
  })

  it('ends a stream that breaks in its own words, also before any content', async () => {
    const broken = new UpstreamError('It broke.', { kind: 'truncated' })
    const late = plainGateway(scripted(() => stream([text('Hel')], broken)))
    expect(await told(await late.say({ stream: true }))).toEqual([
      200,
      expect.stringMatching(/^data: begin\n\ndata: Hel\n\ndata: failed \w+\n\n$/),
    ])
  })

  it('opens a stream before its first content where the client should not wait', async () => {
    let answer = () => {}
    const waiting = new Promise<void>(resolve => {
      answer = resolve
    })
    const { say } = plainGateway(
      scripted(async () => {
        await waiting
        return stream([text('Hello')], [stop])
      }),
      { stream: { keepAliveMs: 20, holdMs: 1 } },
    )
    const response = await say({ stream: true })
    const reader = response.body!.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader.read()).value).toBe('data: begin\n\n')
    answer()
    let rest = ''
    for (let read = await reader.read(); !read.done; read = await reader.read()) rest += read.value
    expect(rest.replaceAll(': keep-alive\n\n', '')).toBe('data: Hello\n\ndata: end\n\n')
  })

  it('cancels its upstream when the client leaves during the opening', async () => {
    const upstream = scripted(() => new Promise<never>(() => {}))
    const { say, events } = plainGateway(upstream, { stream: { keepAliveMs: 20, holdMs: 1 } })
    const response = await say({ stream: true })
    const reader = response.body!.getReader()
    await reader.read()
    await reader.cancel()
    await expect.poll(() => events.map(({ outcome }) => outcome)).toEqual(['client_disconnected'])
    expect(upstream.signals[0]?.aborted).toBe(true)
  })

  it('is limited with all other requests of a principal, and by its own bound of the output', async () => {
    const { say, post } = plainGateway(
      scripted(() => whole('Hello')),
      { limits: limits([requests(2).per('hour'), tokens(20_000).per('hour')]) },
    )
    expect((await say({ most: 30_000 })).status).toBe(429)
    expect((await say()).status).toBe(200)
    expect((await post('/chat/completions', { messages: [{ role: 'user', content: 'Hi' }] })).status).toBe(
      200,
    )
    expect((await say()).status).toBe(429)
    expect((await say({}, { authorization: 'bob' })).status).toBe(200)
  })

  it('shares no cached response and no idempotency key with another, nor a principal with another', async () => {
    const upstream = scripted((_, index) => whole(`answer ${index}`))
    const { post, say } = plainGateway(upstream, {
      cache: responseCache({ ttlMs: 60_000, cacheable: () => true }),
      idempotency: idempotency(),
    })
    const messages = [{ role: 'user', content: 'Hi' }]
    expect(await told(await say())).toEqual([200, '"answer 0"'])
    expect(await told(await say())).toEqual([200, '"answer 0"'])
    expect(await (await post('/chat/completions', { messages })).json()).toMatchObject({
      choices: [{ message: { content: 'answer 1' } }],
    })
    expect(await told(await say({}, { authorization: 'bob' }))).toEqual([200, '"answer 2"'])
    const key = { 'idempotency-key': 'k' }
    const both = { say: 'Once', messages }
    expect(await told(await post('/plain', both, key))).toEqual([200, '"answer 3"'])
    expect(await told(await post('/plain', both, key))).toEqual([200, '"answer 3"'])
    expect((await post('/chat/completions', both, key)).status).toBe(422)
  })

  it('has a cached stream cut off in its own words', async () => {
    const { gateway, say } = plainGateway(
      scripted(() => stream(...Array.from({ length: 20 }, () => [text('a'.repeat(20_000))]), [stop])),
      { cache: responseCache({ ttlMs: 60_000, cacheable: () => true }) },
    )
    await (await say({ stream: true })).text()
    const replayed = await say({ stream: true })
    const reader = replayed.body!.pipeThrough(new TextDecoderStream()).getReader()
    await reader.read()
    await gateway.close({ drainMs: 0 })
    let last = ''
    for (let read = await reader.read(); !read.done; read = await reader.read()) last = read.value
    expect(last).toMatch(/data: failed \w+\n\n$/)
  })

  it('that throws is a 500 of the gateway, without details', async () => {
    const failing = (name: 'outline' | 'read' | 'write') => {
      const faulty: GenerateDialect = {
        ...plain,
        [name]: () => {
          throw new Error('secret of the dialect')
        },
      }
      return plainGateway(
        scripted(({ aborted }) => (aborted ? whole('') : whole('Hello'))),
        { dialects: [faulty] },
      )
    }
    for (const name of ['outline', 'read', 'write'] as const) {
      const { say, events } = failing(name)
      const response = await say()
      expect(response.status, name).toBe(500)
      expect(await response.text(), name).not.toContain('secret')
      expect(
        events.map(({ outcome }) => outcome),
        name,
      ).toEqual(['internal_error'])
    }
  })

  it('is explained as it is decided', async () => {
    const { gateway } = plainGateway(scripted(() => whole('Hello')))
    const request = (body: object) =>
      new Request('http://sluice.test/v1/plain', {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'ann' },
        body: JSON.stringify(body),
      })
    expect(await gateway.explain(request({ model: 'm', say: 'Hi' }))).toMatchObject({
      principal: 'ann',
      model: 'm',
      refusal: undefined,
    })
    expect(await gateway.explain(request({ model: 'm' }))).toMatchObject({ refusal: { param: 'say' } })
    expect(await gateway.explain(request({ model: 'none' }))).toMatchObject({
      model: 'none',
      refusal: { status: 404 },
    })
  })

  it('names an unsupported feature of a model as its caller does, and a model for other operations', async () => {
    const upstream = scripted(() => whole('Hello'))
    const small = { ...upstream.target, capabilities: { maxOutputTokens: 5 } }
    expect(await (await plainGateway({ target: small }).say({ most: 7 })).json()).toMatchObject({
      param: 'most',
    })
    const embedder = { ...upstream.target, capabilities: { operations: ['embed'] } } as const
    const refused = await plainGateway({ target: embedder }).say()
    expect(await told(refused)).toEqual([
      400,
      '{"message":"This model does not support generated answers. It supports embeddings.","param":"model"}',
    ])
    expect(upstream.inputs).toEqual([])
  })
})

describe('dialects as an option', () => {
  it.each([
    ['chat' as const, { name: 'chat' }],
    ['the path of chat completions', { path: '/chat/completions' }],
    ['the path of models', { path: '/models/x' }],
    ['no path', { path: 'plain' }],
    ['no name', { name: '' }],
    ['another operation', { operation: 'other' }],
    ['an operation of every object', { operation: 'toString' }],
    ['a header that is none', { requestIdHeader: 'a b' }],
    ['limits that are no function', { limitHeaders: {} }],
    ['models without functions', { models: {} }],
    ['no writer', { write: undefined }],
  ])('are refused with %s', (_, more) => {
    const dialects = [{ ...plain, ...more }] as unknown as readonly GenerateDialect[]
    expect(() =>
      plainGateway(
        scripted(() => whole('')),
        { dialects },
      ),
    ).toThrow(/dialects: got/)
  })

  it('are refused twice at one path', () => {
    const dialects = [plain, { ...plain, name: 'other' }]
    expect(() =>
      plainGateway(
        scripted(() => whole('')),
        { dialects },
      ),
    ).toThrow(/dialects: got/)
  })
})

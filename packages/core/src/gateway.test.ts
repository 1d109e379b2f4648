import { describe, expect, it } from 'vitest'
import type { GatewayOptions } from './config.ts'
import { GatewayError } from './errors.ts'
import type { EndEvent, GatewayEvent } from './events.ts'
import { createGateway } from './gateway.ts'
import { models } from './policies/models.ts'
import type { ChatRequest } from './protocol/chat.ts'
import type { PartialChunk, Provider, Reply, Target } from './provider.ts'
import type { Lease } from './stages/limit.ts'
import { UpstreamError } from './upstream-error.ts'

interface Scripted {
  readonly target: Target
  /** The signals of the calls so far. */
  readonly signals: AbortSignal[]
  readonly inputs: ChatRequest[]
}

/** A provider that answers in process: `answer` gets the call's signal and says what is decoded. */
function scripted(
  answer: (signal: AbortSignal, index: number) => Reply | Promise<Reply>,
  more: Partial<Provider> = {},
): Scripted {
  const signals: AbortSignal[] = []
  const inputs: ChatRequest[] = []
  const provider: Provider = {
    name: 'scripted',
    encode: ({ input }) => {
      inputs.push(input)
      return { method: 'POST', url: 'scripted:', headers: {} }
    },
    transport: async (_request, signal) => {
      signals.push(signal)
      return { status: 200, headers: { get: () => null }, body: (async function* () {})() }
    },
    decode: () => answer(signals.at(-1)!, signals.length - 1),
    ...more,
  }
  return { target: { provider, model: 'upstream-model' }, signals, inputs }
}

const whole = (content: string): Reply => ({
  kind: 'completion',
  completion: {
    choices: [{ index: 0, message: { content }, finish_reason: 'stop' }],
    usage: { prompt_tokens: 3, completion_tokens: 2 },
  },
})

const text = (content: string): PartialChunk => ({ choices: [{ index: 0, delta: { content } }] })
const stop: PartialChunk = { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] }

async function* chunks(...reads: (PartialChunk[] | Error)[]): AsyncGenerator<readonly PartialChunk[]> {
  for (const read of reads) {
    if (read instanceof Error) throw read
    yield read
  }
}

const stream = (...reads: (PartialChunk[] | Error)[]): Reply => ({ kind: 'stream', chunks: chunks(...reads) })

/** Lets what is under way come to where it waits. */
const turn = () => new Promise(resolve => setTimeout(resolve, 5))

/** Waits until its signal aborts, as a transport or a decoder in mid read does. */
function forever(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)))
}

function serving(targets: Target | readonly Target[], options: Partial<GatewayOptions> = {}) {
  const events: GatewayEvent[] = []
  const gateway = createGateway({
    authenticate: () => ({ id: 'ann' }),
    route: models({ m: targets }),
    observe: event => events.push(event),
    ...options,
  })
  const post = (body: object, init: RequestInit = {}) =>
    gateway.fetch(
      new Request('http://sluice.test/v1/chat/completions', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello!' }], ...body }),
        ...init,
      }),
    )
  const ends = () => events.filter((event): event is EndEvent => event.type === 'end')
  return { gateway, post, events, ends }
}

function eventsOf(body: string): unknown[] {
  return body
    .split('\n\n')
    .filter(event => event.startsWith('data: '))
    .map(event => (event === 'data: [DONE]' ? '[DONE]' : JSON.parse(event.slice(6))))
}

describe('createGateway', () => {
  it('answers with every key of the protocol, in order', async () => {
    const { post, ends } = serving(scripted(() => whole('Hi.')).target, {
      id: () => 'f'.repeat(32),
      now: () => 1_700_000_000_999,
    })
    const response = await post({})
    expect(response.status).toBe(200)
    expect(response.headers.get('x-request-id')).toBe(`req_${'f'.repeat(32)}`)
    expect(await response.text()).toBe(
      `{"id":"chatcmpl-${'f'.repeat(29)}","object":"chat.completion","created":1700000000,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hi.","refusal":null,"annotations":[]},"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":2,"total_tokens":5,"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0,"audio_tokens":0,"accepted_prediction_tokens":0,"rejected_prediction_tokens":0}},"service_tier":"default","system_fingerprint":null}`,
    )
    expect(ends()).toMatchObject([
      { outcome: 'completed', status: 200, model: 'm', principal: { id: 'ann' }, usageEstimated: false },
    ])
  })

  it('hands the upstream the request with its own model and without nulls', async () => {
    const { target, inputs } = scripted(() => whole('Hi.'))
    await serving(target).post({ temperature: null, top_k: 4 })
    expect(inputs[0]).toMatchObject({ top_k: 4 })
    expect(inputs[0]).not.toHaveProperty('temperature')
  })

  it('streams role, content, finish and the end mark, and usage only when asked', async () => {
    const reply = () =>
      stream(
        [text('Hel')],
        [text('lo'), stop],
        [{ choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } }],
      )
    const { post } = serving(scripted(reply).target)
    const plain = eventsOf(await (await post({ stream: true })).text()) as {
      choices: { delta: unknown; finish_reason: unknown }[]
    }[]
    expect(plain.slice(0, -1).map(({ choices }) => choices[0])).toEqual([
      {
        index: 0,
        delta: { role: 'assistant', content: '', refusal: null },
        logprobs: null,
        finish_reason: null,
      },
      { index: 0, delta: { content: 'Hel' }, logprobs: null, finish_reason: null },
      { index: 0, delta: { content: 'lo' }, logprobs: null, finish_reason: null },
      { index: 0, delta: {}, logprobs: null, finish_reason: 'stop' },
    ])
    expect(plain.at(-1)).toBe('[DONE]')
    expect(plain[0]).not.toHaveProperty('usage')
    const counted = eventsOf(
      await (await post({ stream: true, stream_options: { include_usage: true } })).text(),
    ) as { usage: unknown }[]
    expect(counted[0]?.usage).toBeNull()
    expect(counted.at(-2)).toMatchObject({
      choices: [],
      usage: { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 },
    })
  })

  it('tells a stream that broke off by an error event, and never by an end mark', async () => {
    const broken = new UpstreamError('it died at 10.0.0.1', { kind: 'truncated' })
    const { post, ends } = serving(scripted(() => stream([text('Hel')], broken)).target)
    const response = await post({ stream: true })
    expect(response.status).toBe(200)
    const body = await response.text()
    expect(eventsOf(body).at(-1)).toEqual({
      error: { message: expect.any(String), type: 'server_error', param: null, code: 'bad_gateway' },
    })
    expect(body).not.toContain('[DONE]')
    expect(body).not.toContain('10.0.0.1')
    expect(body).not.toContain('finish_reason":"')
    expect(ends()).toMatchObject([
      { outcome: 'upstream_failed', status: 200, usageEstimated: true, error: broken },
    ])
  })

  it('answers a stream that fails before its first content with a real status', async () => {
    const overloaded = new UpstreamError('busy', { kind: 'refused', status: 503 })
    const role: PartialChunk = { choices: [{ index: 0, delta: { content: '' } }] }
    const response = await serving(scripted(() => stream([role], overloaded)).target).post({ stream: true })
    expect(response.status).toBe(503)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toMatchObject({ error: { code: 'server_is_overloaded' } })
  })

  it('asks the next target when one fails before the first byte', async () => {
    const dead = scripted(() => Promise.reject(new UpstreamError('no', { kind: 'unreachable' })))
    const wellBehaved = scripted(() => stream([text('Hi'), stop]))
    const { post, events, ends } = serving([dead.target, wellBehaved.target])
    expect(await (await post({ stream: true })).text()).toContain('"Hi"')
    expect(events[0]).toMatchObject({ type: 'attempt_failed', attempt: { provider: 'scripted' } })
    expect(ends()[0]?.attempts).toHaveLength(2)
  })

  it('does not ask elsewhere for a fault of the request', async () => {
    const strict = scripted(() =>
      Promise.reject(new UpstreamError("Bad 'x'", { kind: 'refused', status: 400, param: 'x' })),
    )
    const other = scripted(() => whole('Hi'))
    const response = await serving([strict.target, other.target]).post({})
    expect(response.status).toBe(400)
    expect(await response.json()).toEqual({
      error: { message: "Bad 'x'", type: 'invalid_request_error', param: 'x', code: null },
    })
    expect(other.signals).toHaveLength(0)
  })

  it.each([
    [{ kind: 'refused', status: 401 }, 502, 'upstream_auth'],
    [{ kind: 'refused', status: 403 }, 502, 'upstream_auth'],
    [{ kind: 'refused', status: 404 }, 404, 'model_not_found'],
    [{ kind: 'refused', status: 402 }, 429, 'insufficient_quota'],
    [{ kind: 'refused', status: 429, retryAfterMs: 1_500 }, 429, 'rate_limit_exceeded'],
    [{ kind: 'refused', status: 500 }, 502, 'bad_gateway'],
    [{ kind: 'refused', status: 302 }, 502, 'bad_gateway'],
    [{ kind: 'refused', status: 529 }, 503, 'server_is_overloaded'],
    [{ kind: 'refused', status: 400, code: 'context_length_exceeded' }, 400, 'context_length_exceeded'],
    [{ kind: 'garbled' }, 502, 'bad_gateway'],
    [{ kind: 'connect_timeout' }, 504, 'timeout'],
  ] as const)('tells the caller of %o as %i %s', async (details, status, code) => {
    const failing = scripted(() =>
      Promise.reject(new UpstreamError('sk-canary-123456 at https://vendor.example', details)),
    )
    const response = await serving(failing.target).post({})
    expect(response.status).toBe(status)
    const body = await response.text()
    expect(JSON.parse(body)).toMatchObject({ error: { code } })
    expect(body).not.toMatch(/canary|vendor\.example/)
    if (status === 429 && code === 'rate_limit_exceeded')
      expect(response.headers.get('retry-after')).toBe('2')
  })

  it('says nothing of what went wrong inside', async () => {
    const { post, ends } = serving(scripted(() => whole('Hi')).target, {
      authorize: () => {
        throw new Error('the table users is gone')
      },
    })
    const response = await post({})
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('users')
    expect(ends()[0]).toMatchObject({
      outcome: 'internal_error',
      error: { message: 'the table users is gone' },
    })
  })

  it('lets a policy refuse in its own words', async () => {
    const limit = {
      admit: () => {
        throw new GatewayError('insufficient_quota')
      },
    }
    const response = await serving(scripted(() => whole('Hi')).target, { limit }).post({})
    expect(response.status).toBe(429)
    expect(response.headers.get('x-should-retry')).toBe('false')
  })

  it.each([
    [
      'an upstream that does not answer',
      { firstByteMs: 20 },
      { transport: (_: unknown, signal: AbortSignal) => forever(signal) },
    ],
    [
      'all of it taking too long',
      { totalMs: 20 },
      { transport: (_: unknown, signal: AbortSignal) => forever(signal) },
    ],
  ])('gives up on %s with 504', async (_, timeouts, more) => {
    const response = await serving(scripted(() => whole('Hi'), more as Partial<Provider>).target, {
      timeouts,
    }).post({})
    expect(response.status).toBe(504)
  })

  it('settles the lease once, with the usage, whatever ends the answer', async () => {
    const settled: unknown[] = []
    const limit = {
      admit: () => ({
        headers: { 'x-ratelimit-limit-requests': '9' },
        settle: (usage: unknown) => void settled.push(usage),
      }),
    }
    const good = serving(scripted(() => whole('Hi')).target, { limit })
    expect((await good.post({})).headers.get('x-ratelimit-limit-requests')).toBe('9')
    await (
      await serving(scripted(() => stream([text('a')], new Error('bug'))).target, { limit }).post({
        stream: true,
      })
    ).text()
    await serving(scripted(() => whole('Hi')).target, { limit }).post({ temperature: 3 })
    expect(settled).toMatchObject([{ total_tokens: 5 }, { completion_tokens: 1 }, undefined])
    expect(settled).toHaveLength(3)
  })

  it('closes the upstream call when the client leaves, in every phase', async () => {
    const phases: [string, Partial<Provider>, (signal: AbortSignal) => Reply | Promise<Reply>, object][] = [
      ['before headers', { transport: (_, signal) => forever(signal) }, () => whole(''), { stream: true }],
      ['without a stream', {}, signal => forever(signal), {}],
    ]
    for (const [phase, more, answer, body] of phases) {
      const left = new AbortController()
      const { post, ends } = serving(scripted(answer, more).target)
      const answering = post(body, { signal: left.signal })
      await turn()
      left.abort()
      expect((await answering).status, phase).toBe(499)
      expect(ends(), phase).toMatchObject([{ outcome: 'client_aborted', status: 499 }])
    }
  })

  it('closes the upstream call when the reader of a stream leaves', async () => {
    let returned = 0
    const source = scripted(signal => ({
      kind: 'stream',
      chunks: (async function* () {
        try {
          yield [text('a')]
          await forever(signal)
        } finally {
          returned++
        }
      })(),
    }))
    const { post, ends } = serving(source.target)
    const response = await post({ stream: true })
    const reader = response.body!.getReader()
    await reader.read()
    await reader.cancel()
    expect(source.signals[0]?.aborted).toBe(true)
    expect(ends()).toMatchObject([{ outcome: 'client_aborted', usageEstimated: true }])
    await new Promise(resolve => setImmediate(resolve))
    expect(returned).toBe(1)
  })

  it('settles also when nobody ever reads the stream', async () => {
    const left = new AbortController()
    const source = scripted(() => stream([text('a')], [text('b')]))
    const { post, ends } = serving(source.target)
    await post({ stream: true }, { signal: left.signal })
    left.abort()
    expect(ends()).toMatchObject([{ outcome: 'client_aborted' }])
    expect(source.signals[0]?.aborted).toBe(true)
  })

  it('bounds the calls of a provider, holds a slot to the end of the answer and lets who waits leave', async () => {
    const { target, signals } = scripted(() => stream([text('a')], [text('b'), stop]), { maxConcurrent: 1 })
    const { post } = serving(target)
    const first = await post({ stream: true })
    const left = new AbortController()
    const second = post({ stream: true }, { signal: left.signal })
    const third = post({ stream: true })
    await turn()
    expect(signals).toHaveLength(1)
    left.abort()
    expect((await second).status).toBe(499)
    await first.text()
    expect((await third).status).toBe(200)
    expect(signals).toHaveLength(2)
  })

  it('sends the head of the answer and comments while a slow upstream is awaited', async () => {
    let answer: ((reply: Reply) => void) | undefined
    const slow = scripted(
      () =>
        new Promise<Reply>(resolve => {
          answer = resolve
        }),
    )
    const { post } = serving(slow.target, { stream: { keepAliveMs: 10 } })
    const response = await post({ stream: true })
    expect(response.status).toBe(200)
    const reader = response.body!.getReader()
    expect(new TextDecoder().decode((await reader.read()).value)).toBe(': keep-alive\n\n')
    answer!(stream([text('at last'), stop]))
    let body = ''
    for (let read = await reader.read(); !read.done; read = await reader.read())
      body += new TextDecoder().decode(read.value)
    expect(body).toContain('at last')
    expect(body).toContain('[DONE]')
  })

  it('drains on close: runs on, refuses what is new, ends what takes too long', async () => {
    const { post, gateway, ends } = serving(
      scripted(signal => ({
        kind: 'stream',
        chunks: (async function* () {
          yield [text('a')]
          await forever(signal)
        })(),
      })).target,
    )
    const response = await post({ stream: true })
    const body = response.text()
    const closed = gateway.close({ drainMs: 20 })
    expect((await post({})).status).toBe(503)
    await closed
    expect(eventsOf(await body).at(-1)).toMatchObject({ error: { code: 'server_is_overloaded' } })
    expect(ends().map(({ outcome }) => outcome)).toEqual(['gateway_closed'])
  })

  it('does not wait on close for a stream that nobody reads', async () => {
    const { post, gateway, ends } = serving(scripted(() => stream([text('a')], [text('b')])).target)
    await post({ stream: true })
    await Promise.all([gateway.close({ drainMs: 5 }), gateway.close()])
    expect(ends()).toMatchObject([{ outcome: 'gateway_closed' }])
  })

  it('lets a call wait for its turn no longer than all of it may take', async () => {
    const { target, signals } = scripted(() => stream([text('a')], [text('b')]), { maxConcurrent: 1 })
    const holder = serving(target)
    const held = await holder.post({ stream: true })
    const { post } = serving(target, { timeouts: { totalMs: 30 } })
    expect((await post({})).status).toBe(504)
    expect(signals).toHaveLength(1)
    await held.body?.cancel()
  })

  it('stands where a fetch is asked for', async () => {
    const { gateway } = serving(scripted(() => whole('Hi')).target)
    const { fetch } = gateway
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello!' }] }),
    }
    expect((await fetch('http://sluice.test/v1/chat/completions', init)).status).toBe(200)
    const left = AbortSignal.abort(new Error('gone'))
    await expect(fetch('http://sluice.test/v1/chat/completions', { ...init, signal: left })).rejects.toThrow(
      'gone',
    )
  })

  it('refuses a configuration whole, with every fault named', () => {
    const options = {
      authenticate: 1,
      route: undefined,
      base: 'v1/',
      timeouts: { idleMs: -1, idle: 3 },
      maxAttempts: 0,
      limits: 3,
    }
    expect(() => createGateway(options as never)).toThrow(TypeError)
    expect(() => createGateway(options as never)).toThrow(
      /authenticate: got 1.*route: got undefined.*base: got 'v1\/'.*timeouts\.idleMs: got -1.*timeouts\.idle: got 3.*maxAttempts: got 0.*limits: got 3, expected no such option/s,
    )
  })

  it('refuses what is no configuration at all, and timers that would fire at once', () => {
    expect(() => createGateway(undefined as never)).toThrow(/got undefined, expected an object/)
    const endless = { keepAliveMs: 3e9 }
    expect(() => serving(scripted(() => whole('')).target, { stream: endless })).toThrow(/at most 2147483647/)
    expect(() => serving(scripted(() => whole('')).target, { intake: 5 as never })).toThrow(
      /intake: got 5, expected an object/,
    )
  })

  it.each([
    [false, 401],
    [undefined, 401],
    ['', 500],
    [true, 500],
    [{}, 500],
    [{ id: '' }, 500],
  ])('lets nobody in by an authenticator that gives %j', async (principal, status) => {
    const model = scripted(() => whole('Hi'))
    const response = await serving(model.target, { authenticate: () => principal as never }).post({})
    expect(response.status).toBe(status)
    expect(model.signals).toHaveLength(0)
  })

  const never = () => new Promise<never>(() => {})
  it.each<[string, Partial<GatewayOptions>]>([
    ['authenticate', { authenticate: never }],
    ['authorize', { authorize: never }],
    ['route', { route: never }],
    ['limit', { limit: { admit: never } }],
  ])('holds neither a client who leaves nor close, where %s never comes back', async (_, options) => {
    const left = new AbortController()
    const { post, gateway, ends } = serving(scripted(() => whole('Hi')).target, options)
    const first = post({}, { signal: left.signal })
    const second = post({})
    await turn()
    left.abort()
    expect((await first).status).toBe(499)
    await gateway.close({ drainMs: 1 })
    expect((await second).status).toBe(503)
    expect(ends().map(({ outcome }) => outcome)).toEqual(['client_aborted', 'gateway_closed'])
  })

  it.each<[string, Partial<Provider>]>([
    ['encode', { encode: never }],
    ['transport', { transport: never }],
    ['decode', { decode: never }],
    [
      'a chunk',
      { decode: () => ({ kind: 'stream', chunks: { [Symbol.asyncIterator]: () => ({ next: never }) } }) },
    ],
  ])('gives up at a deadline, where %s never comes back', async (_, more) => {
    const { post, ends } = serving(scripted(() => whole('Hi'), more).target, {
      timeouts: { totalMs: 30 },
      stream: { holdMs: 5_000 },
    })
    expect((await post({ stream: true })).status).toBe(504)
    expect(ends()).toMatchObject([{ outcome: 'upstream_failed', usage: undefined }])
  })

  it('gives back room that was taken after the client had left', async () => {
    let admit: ((lease: Lease) => void) | undefined
    const settled: unknown[] = []
    const left = new AbortController()
    const limit = {
      admit: () =>
        new Promise<Lease>(resolve => {
          admit = resolve
        }),
    }
    const { post } = serving(scripted(() => whole('Hi')).target, { limit })
    const answering = post({}, { signal: left.signal })
    await turn()
    left.abort()
    await answering
    admit?.({ headers: {}, settle: usage => void settled.push(usage) })
    await turn()
    expect(settled).toEqual([undefined])
  })

  it('gives everything back at the deadline of a stream that nobody reads, and tells a late reader', async () => {
    const { target } = scripted(() => stream([text('a')], [text('b'), stop]), { maxConcurrent: 1 })
    const { post, ends } = serving(target, { timeouts: { totalMs: 30 } })
    const unread = await post({ stream: true })
    await new Promise<void>(resolve => {
      const wait = setInterval(() => {
        if (ends().length === 0) return
        clearInterval(wait)
        resolve()
      }, 5)
    })
    expect(ends()).toMatchObject([{ outcome: 'upstream_failed' }])
    expect((await post({ stream: true })).status).toBe(200)
    const body = await unread.text()
    expect(eventsOf(body).at(-1)).toMatchObject({ error: { code: 'timeout' } })
    expect(body).not.toContain('[DONE]')
  })

  it('leaves out headers that HTTP cannot carry, and answers all the same', async () => {
    const limit = {
      admit: () => ({ headers: { 'x-plan': 'a\r\nb', 'x-tier': '\u0101', 'x-ok': 'ok' }, settle() {} }),
    }
    const response = await serving(scripted(() => whole('Hi')).target, { limit }).post({})
    expect(response.status).toBe(200)
    expect([...response.headers.keys()].filter(name => /x-(plan|tier|ok)/.test(name))).toEqual(['x-ok'])
  })

  it('leaves a transport of the user open on close', async () => {
    let closed = 0
    const transport = Object.assign(
      async () => ({ status: 200, headers: { get: () => null }, body: chunks() as never }),
      {
        close: async () => void closed++,
      },
    )
    await serving(scripted(() => whole('Hi')).target, { transport }).gateway.close()
    expect(closed).toBe(0)
  })

  it('takes a reply that was not asked for as no answer', async () => {
    const source = scripted(() => stream([text('a')]))
    expect((await serving(source.target).post({})).status).toBe(502)
    expect(source.signals[0]?.aborted).toBe(true)
    expect((await serving(scripted(() => whole('Hi')).target).post({ stream: true })).status).toBe(502)
  })

  it.each([
    ['a URL', (url: string) => url],
    ['a Request', (url: string, init: RequestInit) => new Request(url, init)],
  ])(
    'breaks the body off where a fetch of %s is aborted in mid stream, as a fetch does',
    async (_, input) => {
      const { gateway } = serving(
        scripted(signal => ({
          kind: 'stream',
          chunks: (async function* () {
            yield [text('a')]
            await forever(signal)
          })(),
        })).target,
      )
      const body = JSON.stringify({
        model: 'm',
        stream: true,
        messages: [{ role: 'user', content: 'Hello!' }],
      })
      const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body }
      const left = new AbortController()
      const url = 'http://sluice.test/v1/chat/completions'
      const response = await gateway.fetch(input(url, init), { ...init, signal: left.signal })
      const reading = response.text()
      await turn()
      left.abort(new Error('gone'))
      await expect(reading).rejects.toThrow('gone')
    },
  )

  it("breaks the body off by the Request's own signal, also between two reads", async () => {
    const left = new AbortController()
    const source = scripted(() => stream([text('a')], [text('b')], [text('c')]))
    const { post, ends } = serving(source.target)
    const response = await post({ stream: true }, { signal: left.signal })
    const reader = response.body!.getReader()
    await reader.read()
    left.abort(new Error('gone'))
    await expect(reader.read()).rejects.toThrow('gone')
    expect(ends()).toMatchObject([{ outcome: 'client_aborted' }])
  })

  it('does not let an observer break an answer', async () => {
    const observe = () => {
      throw new Error('observer')
    }
    expect((await serving(scripted(() => whole('Hi')).target, { observe }).post({})).status).toBe(200)
  })
})

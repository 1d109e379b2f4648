import { describe, expect, it } from 'vitest'
import { apiKeys } from '../../src/auth/api-keys.ts'
import { idempotency } from '../../src/caching/idempotency.ts'
import { responseCache } from '../../src/caching/response-cache.ts'
import type { Hook, HookChunk, HookContext } from '../../src/contracts/hook.ts'
import type { Ledger } from '../../src/contracts/ledger.ts'
import type { Limiter } from '../../src/contracts/limiter.ts'
import type { Reply } from '../../src/contracts/provider.ts'
import { ConfigurationError } from '../../src/errors/configuration-error.ts'
import { GatewayError } from '../../src/errors/errors.ts'
import { UpstreamError } from '../../src/errors/upstream-error.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import { requests } from '../../src/rate-limiting/rule.ts'
import { fallback } from '../../src/routing/fallback.ts'
import { models } from '../../src/routing/models.ts'
import { withCallOptions } from '../../src/routing/with-call-options.ts'
import {
  chunks,
  eventsOf,
  forever,
  type Scripted,
  scripted,
  serving,
  stop,
  stream,
  text,
  whole,
} from '../support/scripted-gateway.ts'

const hookOf = (more: Partial<Hook>): Hook => ({ name: 'test', ...more })
const inOneRead = (...contents: string[]) => stream(...contents.map(content => [text(content)]), [stop])
const contentOf = async (response: Response) =>
  ((await response.json()) as { choices: { message: { content: string } }[] }).choices[0]!.message.content
const streamedText = async (response: Response) =>
  eventsOf(await response.text())
    .map(
      event => (event as { choices?: { delta: { content?: string } }[] }).choices?.[0]?.delta.content ?? '',
    )
    .join('')
const errorOf = async (response: Response) =>
  ((await response.json()) as { error: Record<string, unknown> }).error

/** Replaces `bad` in responses. */
const censor = hookOf({
  holdBack: 3,
  onChunk: ({ text }) => ({
    replacements: [...text.matchAll(/bad/g)].map(({ index }) => ({
      start: index,
      end: index + 3,
      text: '***',
    })),
  }),
})

describe('hooks of requests', () => {
  it('read the texts, and edit the body as the vendor gets it', async () => {
    const { target, inputs } = scripted(() => whole('Hi'))
    const seen: unknown[] = []
    const hook = hookOf({
      onRequest({ texts, outline, body }, context) {
        seen.push({ texts, isStream: outline.stream, named: body.model, ...context, signal: undefined })
        return { edits: texts.map(({ path }) => ({ path, value: 'Bye' })) }
      },
    })
    const { post, ends } = serving(target, { hooks: [hook] })
    const response = await post({ user: 'u1', seed: 7 })
    expect(response.status).toBe(200)
    expect(inputs[0]).toMatchObject({ messages: [{ role: 'user', content: 'Bye' }], seed: 7 })
    expect(seen).toEqual([
      {
        texts: [{ path: ['messages', 0, 'content'], text: 'Hello!', role: 'user' }],
        isStream: false,
        named: 'm',
        model: 'm',
        stream: false,
        requestId: response.headers.get('x-request-id'),
        principal: { id: 'ann' },
        operation: 'generate',
        dialect: 'chat',
        user: 'u1',
        state: {},
        signal: undefined,
      },
    ])
    expect(ends()[0]!.trace.hooks).toEqual([{ name: 'test', outcome: 'changed', ms: expect.any(Number) }])
  })

  it('refuse, before limits count the request', async () => {
    const { target, inputs } = scripted(() => whole('Hi'))
    const hook = hookOf({
      onRequest: ({ texts }) =>
        texts[0]!.text.includes('Hello') ? { refuse: { message: 'No greetings.' } } : undefined,
    })
    const { post, ends } = serving(target, { hooks: [hook], limits: requests(1).per('day') })
    const response = await post({})
    expect(response.status).toBe(400)
    expect(await errorOf(response)).toEqual({
      message: 'No greetings.',
      type: 'invalid_request_error',
      param: null,
      code: 'refused_by_policy',
    })
    expect(ends()[0]).toMatchObject({
      outcome: 'refused',
      trace: { hooks: [{ name: 'test', outcome: 'refused' }] },
    })
    expect((await post({ messages: [{ role: 'user', content: 'x' }] })).status).toBe(200)
    expect(inputs).toHaveLength(1)
  })

  it('run in their order, each with what the one before has left', async () => {
    const { target, inputs } = scripted(() => whole('Hi'))
    const append = (name: string) =>
      hookOf({
        name,
        onRequest: ({ texts }) => ({ edits: [{ path: texts[0]!.path, value: `${texts[0]!.text}${name}` }] }),
      })
    const { post } = serving(target, { hooks: [append('b'), append('a')] })
    await post({
      messages: [
        { role: 'user', content: '' },
        { role: 'user', content: '-' },
      ],
    })
    expect(inputs[0]!.messages[1]).toEqual({ role: 'user', content: '-ba' })
  })

  it('choose another model, which is routed, authorized and hooked as if it were requested', async () => {
    const cheap = scripted(() => whole('cheap'))
    const dear = scripted(() => whole('dear'))
    const route = models({ m: cheap.target, dear: dear.target })
    const ran: string[] = []
    const hooks = [
      hookOf({ name: 'switch', models: ['m'], onRequest: () => ({ model: 'dear' }) }),
      hookOf({ name: 'early', models: ['m'], onRequest: () => void ran.push('early') as undefined }),
      hookOf({
        name: 'guard',
        models: ['dear'],
        onRequest: (_, { model }) => void ran.push(model) as undefined,
      }),
    ]
    const { post, ends } = serving(cheap.target, { route, hooks })
    expect(await contentOf(await post({}))).toBe('dear')
    expect(ran).toEqual(['dear'])
    expect(ends()[0]).toMatchObject({ model: 'dear', trace: { candidates: [{ model: 'upstream-model' }] } })

    const strict = serving(cheap.target, { route, hooks, authenticate: () => ({ id: 'ann', models: ['m'] }) })
    expect((await strict.post({})).status).toBe(403)
    const lost = serving(cheap.target, { route, hooks: [hookOf({ onRequest: () => ({ model: 'none' }) })] })
    expect((await lost.post({})).status).toBe(404)
  })

  it('give tags, by which limits count', async () => {
    const { target } = scripted(() => whole('Hi'))
    const hook = hookOf({ onRequest: ({ outline }) => ({ tags: { user: outline.user ?? '-' } }) })
    const { post, ends } = serving(target, { hooks: [hook], limits: requests(1).per('day').by('tag:user') })
    expect((await post({ user: 'a' })).status).toBe(200)
    expect((await post({ user: 'a' })).status).toBe(429)
    expect((await post({ user: 'b' })).status).toBe(200)
    expect(ends()[0]!.principal).toEqual({ id: 'ann', tags: { user: 'a' } })
  })

  it('give tags to a principal that is an instance of a class, which keeps its limits and models', async () => {
    class User {
      get id() {
        return 'ann'
      }
      get models() {
        return ['m']
      }
      get tags() {
        return { team: 'search' }
      }
      get limits() {
        return [requests(1).per('day')]
      }
    }
    const { target } = scripted(() => whole('Hi'))
    const hook = hookOf({
      onRequest: ({ outline }) => ({ tags: { user: 'a' }, ...(outline.user === 'x' && { model: 'other' }) }),
    })
    const { post, ends } = serving(target, {
      hooks: [hook],
      authenticate: () => new User(),
      route: () => [target],
    })
    expect((await post({ user: 'x' })).status).toBe(403)
    expect((await post({})).status).toBe(200)
    expect((await post({})).status).toBe(429)
    expect(ends().at(-1)!.principal).toMatchObject({ id: 'ann', tags: { team: 'search', user: 'a' } })
  })

  it('apply by model, operation and principal', async () => {
    const { target } = scripted(() => whole('Hi'))
    const refuse = { onRequest: () => ({ refuse: { message: 'No.' } }) }
    const statusWith = async (hook: Partial<Hook>) =>
      (await serving(target, { hooks: [hookOf({ ...refuse, ...hook })] }).post({})).status
    expect(await statusWith({})).toBe(400)
    expect(await statusWith({ models: ['m*'] })).toBe(400)
    expect(await statusWith({ models: ['x*'] })).toBe(200)
    expect(await statusWith({ operations: ['embed'] })).toBe(200)
    expect(await statusWith({ appliesTo: ({ id }) => id === 'bob' })).toBe(200)
  })

  it.each<[string, NonNullable<Hook['onRequest']>]>([
    [
      'throws',
      () => {
        throw new Error('secret host')
      },
    ],
    [
      'rejects',
      async () => {
        throw new Error('secret host')
      },
    ],
    ['hangs', () => new Promise<undefined>(() => {})],
    ['misspells', () => ({ refused: { message: 'No.' } }) as object],
    ['returns no object', () => 'no' as unknown as undefined],
    ['refuses without a message', () => ({ refuse: {} }) as never],
    ['edits the model', () => ({ edits: [{ path: ['model'], value: 'x' }] })],
    [
      'edits a message that is not there',
      () => ({ edits: [{ path: ['messages', 7, 'content'], value: 'x' }] }),
    ],
    ['gives tags that are no text', () => ({ tags: { a: 1 } }) as never],
  ])('fail the request when one %s, unless it is open', async (_, onRequest) => {
    const { target } = scripted(() => whole('Hi'))
    const hook = hookOf({ onRequest, timeoutMs: 5 })
    const { post, ends, events } = serving(target, { hooks: [hook] })
    const response = await post({})
    expect(response.status).toBe(500)
    expect(await response.text()).not.toMatch(/secret|hook/)
    expect((await post({})).status).toBe(500)
    expect(ends()[0]).toMatchObject({
      outcome: 'internal_error',
      trace: { hooks: [{ name: 'test', outcome: 'failed' }] },
    })
    expect(events.filter(({ type }) => type === 'warning')).toMatchObject([{ code: 'hook_failed' }])

    const open = serving(target, { hooks: [{ ...hook, onFailure: 'open' }] })
    expect(await contentOf(await open.post({}))).toBe('Hi')
    expect(open.ends()[0]!.trace.hooks).toMatchObject([{ outcome: 'failed' }])
  })

  it('throw errors of their own to refuse with', async () => {
    const { target } = scripted(() => whole('Hi'))
    const hook = hookOf({
      onFailure: 'open',
      onRequest: () => {
        throw new GatewayError('missing_scope', { message: 'Ask Ann.' })
      },
    })
    const response = await serving(target, { hooks: [hook] }).post({})
    expect([response.status, (await errorOf(response)).message]).toEqual([403, 'Ask Ann.'])
  })

  it('know when their client leaves', async () => {
    const { target, inputs } = scripted(() => whole('Hi'))
    const leaving = new AbortController()
    let context: HookContext | undefined
    const hook = hookOf({
      timeoutMs: 60_000,
      onRequest(_, given) {
        context = given
        return new Promise<undefined>((_resolve, reject) => {
          given.signal.addEventListener('abort', () => reject(given.signal.reason))
          leaving.abort()
        })
      },
    })
    const { post, ends } = serving(target, { hooks: [hook] })
    await post({}, { signal: leaving.signal }).catch(() => {})
    expect(context!.signal.aborted).toBe(true)
    expect(ends()).toMatchObject([{ outcome: 'client_disconnected' }])
    expect(inputs).toEqual([])
  })
})

describe('hooks of responses', () => {
  it('change a text in the same way in a stream and outside of one', async () => {
    const { target } = scripted((_, index) =>
      index === 0 ? whole('a bad cat') : inOneRead('a b', 'ad c', 'at'),
    )
    const { post, ends } = serving(target, { hooks: [censor] })
    expect(await contentOf(await post({}))).toBe('a *** cat')
    expect(await streamedText(await post({ stream: true }))).toBe('a *** cat')
    expect(ends().map(({ trace }) => trace.hooks![0]!.outcome)).toEqual(['changed', 'changed'])
  })

  it('run one after another, and share a state over a request', async () => {
    const { target } = scripted(() => inOneRead('b', 'ad'))
    const mark = hookOf({
      name: 'mark',
      onRequest(_, { state }) {
        state.mark = '!'
        return undefined
      },
      onChunk: ({ text, isLast }, { state }) =>
        isLast
          ? { replacements: [{ start: text.length, end: text.length, text: String(state.mark) }] }
          : undefined,
      holdBack: 1,
    })
    const { post } = serving(target, { hooks: [censor, mark] })
    expect(await streamedText(await post({ stream: true }))).toBe('***!')
    expect(await streamedText(await post({ stream: true }))).toBe('***!')
  })

  it('refuse a response: the vendor is left, what it wrote is charged, and nothing says that it is complete', async () => {
    const { target, signals } = scripted(signal => ({
      kind: 'stream',
      chunks: (async function* () {
        yield [text('good ')]
        yield [text('bad')]
        await forever(signal)
      })(),
    }))
    const hook = hookOf({
      onChunk: ({ text }: HookChunk) =>
        text.includes('bad') ? { refuse: { message: 'Not this.' } } : undefined,
    })
    const { post, ends } = serving(target, { hooks: [hook] })
    const body = await (await post({ stream: true })).text()
    expect(body).toContain('good ')
    expect(body).not.toContain('bad"')
    expect(body).not.toContain('[DONE]')
    expect(eventsOf(body).at(-1)).toMatchObject({
      error: { code: 'refused_by_policy', message: 'Not this.' },
    })
    expect(signals[0]!.aborted).toBe(true)
    expect(ends()[0]).toMatchObject({ outcome: 'refused', usage: { completion_tokens: expect.any(Number) } })

    const { target: complete } = scripted(() => whole('bad'))
    const response = await serving(complete, { hooks: [hook] }).post({})
    expect([response.status, (await errorOf(response)).code]).toEqual([400, 'refused_by_policy'])
  })

  it('see a whole response: a stream is held back, so that it is no way around them', async () => {
    const read: unknown[] = []
    const hook = hookOf({
      onResponse: ({ completion }) => {
        read.push(completion.choices[0]!.message.content)
        return { texts: [{ choice: 0, text: 'Replaced.' }] }
      },
    })
    const { target } = scripted((_, index) => (index === 0 ? whole('a b') : inOneRead('a', ' b')))
    const { post } = serving(target, { hooks: [hook] })
    expect(await contentOf(await post({}))).toBe('Replaced.')
    const body = await (await post({ stream: true })).text()
    expect(body).not.toContain('"a"')
    expect(body).toMatch(/\[DONE\]\n\n$/)
    expect(read).toEqual(['a b', 'a b'])
    const { post: refused } = serving(target, {
      hooks: [hookOf({ onResponse: () => ({ refuse: { message: 'No.' } }) })],
    })
    const events = eventsOf(await (await refused({ stream: true })).text())
    expect(events.at(-1)).toMatchObject({ error: { message: 'No.' } })
    expect(JSON.stringify(events)).not.toContain('"a"')
  })

  it('hold back no more than a model writes', async () => {
    const { target } = scripted(() => ({
      kind: 'stream',
      chunks: (async function* () {
        for (const piece = 'x'.repeat(1_048_576); ; ) yield [text(piece)]
      })(),
    }))
    const { post, ends } = serving(target, { hooks: [hookOf({ onResponse: () => undefined })] })
    const body = await (await post({ stream: true })).text()
    expect(eventsOf(body).at(-1)).toMatchObject({ error: { type: 'server_error' } })
    expect(ends()).toMatchObject([{ outcome: 'upstream_failed' }])
  })

  it('have the model called once more, and both calls are charged', async () => {
    const answers: Reply[] = [whole('no json'), whole('{}')]
    const { target, inputs } = scripted((_, index) => answers[index % 2]!)
    const hook = hookOf({
      onResponse: ({ completion }) =>
        completion.choices[0]!.message.content === '{}'
          ? undefined
          : { retry: { message: 'Answer with JSON.' } },
    })
    const prices = (usage: { total_tokens: number }) => usage.total_tokens
    const { post, ends } = serving(target, { hooks: [hook], prices, exposesCost: true })
    const response = await post({})
    expect(await response.json()).toMatchObject({
      choices: [{ message: { content: '{}' } }],
      usage: { prompt_tokens: 6, completion_tokens: 4, cost: 10 },
    })
    expect(response.headers.get('x-sluice-cost')).toBe('10')
    expect(inputs[1]!.messages).toEqual([
      { role: 'user', content: 'Hello!' },
      { role: 'assistant', content: 'no json' },
      { role: 'user', content: 'Answer with JSON.' },
    ])
    expect(ends()[0]).toMatchObject({ cost: 10, usage: { total_tokens: 10 }, attempts: [{}, {}] })

    answers[1] = whole('still none')
    const again = await post({})
    expect([again.status, (await errorOf(again)).message]).toEqual([400, 'Answer with JSON.'])
    expect(ends()[1]).toMatchObject({ cost: 10 })
    const streamed = scripted(() => inOneRead('no json'))
    const { post: streaming } = serving(streamed.target, { hooks: [hook] })
    expect(await (await streaming({ stream: true })).text()).toContain('Answer with JSON.')
    expect(streamed.inputs).toHaveLength(1)
  })

  it('charge each of two calls as its own target does, and settle the limits of both', async () => {
    const down = new UpstreamError('It is down.', { kind: 'refused', status: 503 })
    const answersOnce = (_: AbortSignal, index: number) =>
      index === 0 ? whole('no json') : Promise.reject(down)
    const first = scripted(answersOnce, { name: 'first' })
    const second = scripted(() => whole('{}'), { name: 'second' })
    const settled: [string, unknown, unknown][] = []
    const limited = ({ target }: Scripted) =>
      withCallOptions(target, {
        limits: {
          admit: () => ({
            settle: (usage, cost) => void settled.push([target.provider.name, usage?.total_tokens, cost]),
          }),
        },
      })
    const hook = hookOf({
      onResponse: ({ isRetry }) => (isRetry ? undefined : { retry: { message: 'Answer with JSON.' } }),
    })
    const { post, ends } = serving(first.target, {
      hooks: [hook],
      route: models({ m: fallback(limited(first), limited(second)) }),
      prices: (_usage, { provider }) => (provider === 'first' ? 100 : 1),
    })
    expect(await (await post({})).json()).toMatchObject({ choices: [{ message: { content: '{}' } }] })
    expect(ends()[0]).toMatchObject({ cost: 101, usage: { total_tokens: 10 } })
    expect(settled).toEqual([
      ['first', 5, 100],
      ['first', undefined, null],
      ['second', 5, 1],
    ])
  })

  it('charge the first call once where the second is refused, or its client leaves before it is made', async () => {
    const hook = hookOf({ onResponse: () => ({ retry: { message: 'Answer with JSON.' } }) })
    const prices = (usage: { completion_tokens: number }) => usage.completion_tokens
    const down = new UpstreamError('It is down.', { kind: 'refused', status: 503 })
    const { target } = scripted((_, index) => (index === 0 ? whole('no json') : Promise.reject(down)))
    const refused = serving(target, { hooks: [hook], prices })
    expect((await refused.post({})).status).toBe(503)
    expect(refused.ends()[0]).toMatchObject({ cost: 2, usage: { total_tokens: 5 }, usageEstimated: false })

    const leaving = new AbortController()
    let admitted = 0
    const limits: Limiter = {
      admit: () => {
        if (admitted++ === 0) return { settle() {} }
        leaving.abort()
        return new Promise<never>(() => {})
      },
    }
    const answering = scripted(() => whole('no json')).target
    const route = models({ m: withCallOptions(answering, { limits }) })
    const left = serving(answering, { hooks: [hook], prices, route })
    await left.post({}, { signal: leaving.signal }).catch(() => {})
    expect(left.ends()[0]).toMatchObject({
      outcome: 'client_disconnected',
      cost: 2,
      usage: { total_tokens: 5 },
    })
  })

  it.each<[string, Partial<Hook>]>([
    [
      'throws',
      {
        onChunk: () => {
          throw new Error('secret host')
        },
      },
    ],
    ['hangs', { onChunk: () => new Promise<undefined>(() => {}) }],
    ['replaces what is not there', { onChunk: () => ({ replacements: [{ start: 0, end: 99, text: '' }] }) }],
    [
      'fails at the end',
      {
        onResponse: () => {
          throw new Error('secret host')
        },
      },
    ],
  ])('end a stream with an error when one %s, unless it is open', async (_, functions) => {
    const { target } = scripted(() => inOneRead('a', 'b'))
    const hook = hookOf({ ...functions, timeoutMs: 5 })
    const body = await (await serving(target, { hooks: [hook] }).post({ stream: true })).text()
    expect(body).not.toMatch(/secret|DONE/)
    expect(eventsOf(body).at(-1)).toMatchObject({ error: { type: 'server_error' } })
    const open = serving(target, { hooks: [{ ...hook, onFailure: 'open' }] })
    expect(await streamedText(await open.post({ stream: true }))).toBe('ab')
  })

  it('hold up a stream no longer than their client stays', async () => {
    const { target, signals } = scripted(
      signal =>
        ({ kind: 'stream', chunks: chunks([text('a')], [text('b')], [stop]), signal }) as unknown as Reply,
    )
    const leaving = new AbortController()
    let changed = 0
    const hook = hookOf({
      timeoutMs: 60_000,
      onChunk: (_, { signal }) => {
        changed++
        return new Promise(resolve => {
          signal.addEventListener('abort', () =>
            resolve({ replacements: [{ start: 0, end: 1, text: 'late' }] }),
          )
          leaving.abort()
        })
      },
    })
    const { post, ends } = serving(target, { hooks: [hook] })
    const response = await post({ stream: true }, { signal: leaving.signal })
    expect(await response.text().catch(() => '')).not.toContain('late')
    expect(ends()).toMatchObject([{ outcome: 'client_disconnected' }])
    expect([changed, signals[0]!.aborted]).toEqual([1, true])
  })

  it('are notified of the end, whatever it is', async () => {
    const ended: unknown[] = []
    const hook = hookOf({
      onEnd: ({ status, outcome }) => void ended.push([status, outcome]),
      onRequest: ({ texts }) => (texts[0]!.text === 'x' ? { refuse: { message: 'No.' } } : undefined),
    })
    const { target } = scripted(() => whole('Hi'))
    const { post, events } = serving(target, {
      hooks: [
        hook,
        hookOf({
          name: 'broken',
          onEnd: () => {
            throw new Error('x')
          },
        }),
      ],
    })
    await post({})
    await post({ messages: [{ role: 'user', content: 'x' }] })
    expect(ended).toEqual([
      [200, 'completed'],
      [400, 'refused'],
    ])
    expect(events.filter(({ type }) => type === 'warning')).toMatchObject([{ code: 'hook_failed' }])
  })

  it('warn where a function that is called at the end rejects', async () => {
    const onEnd = async () => {
      throw new Error('x')
    }
    const { target } = scripted(() => whole('Hi'))
    const { post, events } = serving(target, { hooks: [hookOf({ name: 'broken', onEnd })] })
    await post({})
    await expect
      .poll(() => events.filter(({ type }) => type === 'warning'))
      .toMatchObject([{ code: 'hook_failed', error: { message: 'x' } }])
  })
})

describe('stored responses with hooks', () => {
  /** Hides numbers from the vendor, and puts them back. */
  const mask = hookOf({
    onRequest({ texts }, { state }) {
      const number = /\d+/.exec(texts[0]!.text)?.[0]
      state.number = number
      return number === undefined
        ? undefined
        : { edits: [{ path: texts[0]!.path, value: texts[0]!.text.replace(number, '#') }] }
    },
    holdBack: 1,
    onChunk: ({ text }, { state }) => ({
      replacements: [...text.matchAll(/#/g)].map(({ index }) => ({
        start: index,
        end: index + 1,
        text: String(state.number),
      })),
    }),
  })
  const echo = () => scripted(() => whole('You said #.'))
  const say = (content: string) => ({ messages: [{ role: 'user', content }], temperature: 0 })

  it('never give one request what was put back for another', async () => {
    const { target, inputs } = echo()
    const { post } = serving(target, { hooks: [mask], cache: responseCache({ ttlMs: 60_000 }) })
    expect(await contentOf(await post(say('1')))).toBe('You said 1.')
    expect(await contentOf(await post(say('2')))).toBe('You said 2.')
    const hit = await post(say('1'))
    expect([hit.headers.get('x-sluice-cache'), await contentOf(hit)]).toEqual(['hit', 'You said 1.'])
    expect(inputs.map(({ messages }) => messages[0]!.content)).toEqual(['#', '#'])
  })

  it('are not shared by principals with other hooks', async () => {
    const { target } = scripted(() => whole('bad'))
    const { post } = serving(target, {
      authenticate: request => ({ id: request.headers.get('x-who') ?? 'ann' }),
      hooks: [{ ...censor, appliesTo: ({ id }) => id === 'bob' }],
      cache: responseCache({ ttlMs: 60_000, scope: () => 'all' }),
    })
    const headers = { 'content-type': 'application/json', 'x-who': 'bob' }
    expect(await contentOf(await post(say('x')))).toBe('bad')
    expect(await contentOf(await post(say('x'), { headers }))).toBe('***')
    expect(await contentOf(await post(say('x')))).toBe('bad')
  })

  it('are replayed to the same request only', async () => {
    const { target, inputs } = echo()
    const { post } = serving(target, { hooks: [mask], idempotency: idempotency() })
    const headers = { 'content-type': 'application/json', 'idempotency-key': 'k' }
    expect(await contentOf(await post(say('1'), { headers }))).toBe('You said 1.')
    expect(await contentOf(await post(say('1'), { headers }))).toBe('You said 1.')
    expect((await post(say('2'), { headers })).status).toBe(422)
    expect(inputs).toHaveLength(1)
  })
})

describe('hooks in other protocols', () => {
  const send = (gateway: ReturnType<typeof serving>['gateway'], path: string, body: object) =>
    gateway.fetch(
      new Request(`http://sluice.test/v1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', ...body }),
      }),
    )

  /** Replaces `secret` in requests, and `bad` in responses. */
  const both: Hook = {
    ...censor,
    onRequest: ({ texts }) => ({
      edits: texts
        .filter(({ text }) => text.includes('secret'))
        .map(({ path, text }) => ({ path, value: text.replace('secret', '***') })),
    }),
  }

  it.each<[string, string, object]>([
    ['Messages', '/messages', { max_tokens: 9, messages: [{ role: 'user', content: 'my secret' }] }],
    ['Responses', '/responses', { input: 'my secret' }],
  ])('read and change a request and its response: %s', async (_, path, body) => {
    const { target, inputs } = scripted((_signal, index) =>
      index === 0 ? whole('a bad cat') : inOneRead('a b', 'ad c', 'at'),
    )
    const { gateway } = serving(target, { hooks: [both] })
    const complete = await (await send(gateway, path, body)).text()
    expect(complete).toContain('a *** cat')
    const streamed = await (await send(gateway, path, { ...body, stream: true })).text()
    expect(streamed).toContain('***')
    expect(`${complete}${streamed}`).not.toMatch(/\bbad\b/)
    for (const { messages } of inputs) expect(JSON.stringify(messages)).toContain('my ***')
  })

  it('read what a vendor of the protocol would have written itself, which is reported', async () => {
    const native = scripted(() => whole('a bad cat'), {
      speaks: ['messages'],
      encodeNative: () => ({ method: 'POST', url: 'scripted:', headers: {} }),
      decodeNative: () => Promise.reject(new Error('It was passed on.')),
    })
    const { gateway, ends } = serving(native.target, { hooks: [both] })
    const response = await send(gateway, '/messages', {
      max_tokens: 9,
      messages: [{ role: 'user', content: 'x' }],
    })
    expect(await response.text()).toContain('a *** cat')
    expect(ends()[0]!.adjustments).toContainEqual({
      parameter: 'body',
      action: 'mapped',
      detail: 'translated, as a hook reads the response',
    })
  })

  it('leave a request that is passed on as its caller wrote it, but for their edits', async () => {
    const sent: string[] = []
    const native = scripted(() => whole('unused'), {
      speaks: ['messages'],
      encodeNative: ({ text }) => {
        sent.push(text)
        return { method: 'POST', url: 'scripted:', headers: {} }
      },
      decodeNative: async () => ({ ...whole('Hi'), native: '{"model":"x","content":[]}' }) as Reply,
    })
    const { gateway } = serving(native.target, { hooks: [hookOf({ onRequest: both.onRequest! })] })
    const body = '{"model":"m", "max_tokens":9,"messages":[{"role":"user","content":"my secret"}],"odd":1.50}'
    await gateway.fetch(
      new Request('http://sluice.test/v1/messages', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
      }),
    )
    expect(sent).toEqual([body.replace('secret', '***')])
  })

  it('run for responses in the background', async () => {
    const { target } = scripted(() => whole('a bad cat'))
    const { gateway, ends } = serving(target, { hooks: [both] })
    const queued = (await (await send(gateway, '/responses', { input: 'x', background: true })).json()) as {
      id: string
    }
    while (ends().length === 0) await new Promise(resolve => setImmediate(resolve))
    const stored = await gateway.fetch(new Request(`http://sluice.test/v1/responses/${queued.id}`))
    expect(await stored.text()).toContain('a *** cat')
  })

  it('read embeddings and counts of tokens, so that neither is a way around them', async () => {
    const { target } = scripted(() => whole('unused'))
    const refuse = hookOf({
      onRequest: ({ texts }) =>
        texts.some(({ text }) => text.includes('secret')) ? { refuse: { message: 'No.' } } : undefined,
    })
    const { gateway } = serving(target, { hooks: [refuse] })
    expect((await send(gateway, '/embeddings', { input: ['a secret'] })).status).toBe(400)
    expect(
      (await send(gateway, '/messages/count_tokens', { messages: [{ role: 'user', content: 'a secret' }] }))
        .status,
    ).toBe(400)
    expect(
      (await send(gateway, '/messages/count_tokens', { messages: [{ role: 'user', content: 'x' }] })).status,
    ).toBe(200)
  })

  it('change the arguments of tool calls, and nothing of signed reasoning', async () => {
    const call = {
      id: 'call_1',
      type: 'function' as const,
      function: { name: 'f', arguments: '{"a":"bad"}' },
    }
    const { target } = scripted(() => ({
      kind: 'completion',
      completion: {
        choices: [
          {
            index: 0,
            message: { reasoning_content: 'bad', tool_calls: [call] },
            finish_reason: 'tool_calls',
          },
        ],
      },
    }))
    const { post } = serving(target, { hooks: [censor] })
    expect(await (await post({})).json()).toMatchObject({
      choices: [
        {
          message: {
            reasoning_content: 'bad',
            tool_calls: [{ function: { name: 'f', arguments: '{"a":"***"}' } }],
          },
        },
      ],
    })
  })
})

describe('what hooks did', () => {
  const hooks = [
    hookOf({ name: 'tidy', onRequest: ({ texts }) => ({ edits: [{ path: texts[0]!.path, value: 'Bye' }] }) }),
    hookOf({ name: 'idle', onRequest: () => undefined }),
    hookOf({ name: 'elsewhere', models: ['other'], onRequest: () => undefined }),
  ]

  it('is in the ledger', async () => {
    const { target } = scripted(() => whole('Hi'))
    const closed: unknown[] = []
    const ledger: Ledger = {
      open() {},
      close: ({ hooks: did }) => void closed.push(did?.map(({ name, outcome }) => [name, outcome])),
    }
    await serving(target, { hooks, ledger }).post({})
    await serving(target, { ledger }).post({})
    expect(closed).toEqual([
      [
        ['tidy', 'changed'],
        ['idle', 'passed'],
      ],
      undefined,
    ])
  })

  it('is explained, with what they refuse and the model that they choose', async () => {
    const { target } = scripted(() => whole('Hi'))
    const explain = (more: readonly Hook[]) =>
      serving(target, { route: models({ m: target, dear: target }), hooks: more }).gateway.explain(
        new Request('http://sluice.test/v1/chat/completions', {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello!' }] }),
        }),
      )
    expect(await explain(hooks)).toMatchObject({
      model: 'm',
      hooks: [{ name: 'tidy', outcome: 'changed' }, { name: 'idle' }],
      refusal: undefined,
    })
    const dear = await explain([hookOf({ onRequest: () => ({ model: 'dear' }) })])
    expect(dear).toMatchObject({ model: 'dear', refusal: undefined })
    const refused = await explain([hookOf({ onRequest: () => ({ refuse: { message: 'No.' } }) })])
    expect(refused).toMatchObject({
      hooks: [{ outcome: 'refused' }],
      refusal: { status: 400, message: 'No.' },
    })
  })
})

describe('the option hooks', () => {
  it.each<[string, unknown]>([
    ['no array', {}],
    ['no hook', [1]],
    ['no name', [{ onRequest() {} }]],
    ['a bad name', [{ name: 'A b', onRequest() {} }]],
    ['a name twice', [hookOf({ onEnd() {} }), hookOf({ onEnd() {} })]],
    ['no function', [{ name: 'a' }]],
    ['a wrong function', [{ name: 'a', onRequest: 1 }]],
    ['a wrong policy', [{ name: 'a', onEnd() {}, onFailure: 'ajar' }]],
    ['a wrong hold-back', [{ name: 'a', onEnd() {}, holdBack: 70_000 }]],
    ['a wrong timeout', [{ name: 'a', onEnd() {}, timeoutMs: 0 }]],
    ['wrong models', [{ name: 'a', onEnd() {}, models: 'm' }]],
  ])('is checked: %s', (_, hooks) => {
    const options = {
      authenticate: apiKeys([]),
      route: models({ m: scripted(() => whole('')).target }),
      hooks: hooks as Hook[],
    }
    expect(() => createGateway(options)).toThrow(ConfigurationError)
  })
})

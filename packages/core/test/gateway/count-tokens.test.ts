import { describe, expect, it } from 'vitest'
import type { CountDialect } from '../../src/contracts/dialect.ts'
import type { LedgerClosing, LedgerEntry } from '../../src/contracts/ledger.ts'
import type { Call, CountCodec, NativeCall, Provider, Target } from '../../src/contracts/provider.ts'
import type { NativeBody } from '../../src/conversation/generate-request.ts'
import { TurnsGenerateRequest } from '../../src/conversation/turns-generate-request.ts'
import { GatewayError } from '../../src/errors/errors.ts'
import { UpstreamError } from '../../src/errors/upstream-error.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import { maxConcurrentCounts } from '../../src/http/concurrent-counts.ts'
import { limits } from '../../src/rate-limiting/limits.ts'
import { budget, requests, tokens } from '../../src/rate-limiting/rule.ts'
import { forever, scripted, serving, whole } from '../support/scripted-gateway.ts'

/** Requests that know their body as text, as those of a vendor's own protocol do. */
class LineRequest extends TurnsGenerateRequest {
  native(): NativeBody {
    return { text: JSON.stringify(this.body), headers: {}, edits: [] }
  }
}

const dialect: CountDialect = {
  name: 'lines_count',
  operation: 'countTokens',
  path: '/lines/count',
  outline: () => ({ stream: false }),
  read: ({ model, body }) => {
    if (typeof body.line !== 'string') throw new GatewayError('invalid_type', { param: 'line' })
    const turns = [
      { role: 'user', path: 'line', parts: [{ kind: 'text', text: body.line, path: 'line' }] },
    ] as const
    return { request: new LineRequest({ dialect: 'lines', body, settings: { model, stream: false }, turns }) }
  },
  write: count => `{"count":${count}}`,
  error: ({ status, message, headers }) => ({ status, body: { message }, headers }),
}

const counting = (count: Partial<CountCodec> = {}, more: Partial<Provider> = {}) => {
  const calls: (Call | NativeCall)[] = []
  const upstream = scripted(() => whole('never'), {
    count: {
      encode: call => {
        calls.push(call)
        return { method: 'POST', url: 'count:', headers: {} }
      },
      decode: () => ({ promptTokens: 42 }),
      ...count,
    },
    ...more,
  })
  return { ...upstream, calls }
}

function served(targets: Target | readonly Target[], options: Partial<GatewayOptions> = {}) {
  const made = serving(targets, { dialects: [dialect], ...options })
  const ask = (body: object = { line: 'Hello, world!' }, init: RequestInit = {}) =>
    made.gateway.fetch(
      new Request('http://sluice.test/v1/lines/count', {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', ...body }),
        ...init,
      }),
    )
  return { ...made, ask }
}

const estimated = '"input_tokens";action=mapped;detail="estimated"'
const told = async (response: Response) => [
  response.status,
  await response.text(),
  response.headers.get('x-sluice-adjustments'),
]

describe('a request for the number of tokens', () => {
  it("gets the vendor's count, of the request as the vendor reads it", async () => {
    const upstream = counting()
    const { ask, ends } = served(upstream.target)
    expect(await told(await ask())).toEqual([200, '{"count":42}', null])
    expect(upstream.calls).toMatchObject([
      { model: 'upstream-model', input: { messages: [{ role: 'user', content: 'Hello, world!' }] } },
    ])
    expect(ends()).toMatchObject([
      {
        operation: 'countTokens',
        dialect: 'lines_count',
        outcome: 'completed',
        usage: undefined,
        cost: null,
        attempts: [{ model: 'upstream-model', called: true, error: undefined }],
      },
    ])
  })

  it('is passed on as it came to a vendor that speaks the dialect', async () => {
    const texts: string[] = []
    const upstream = counting(
      {
        encodeNative: ({ text }) => {
          texts.push(text)
          return { method: 'POST', url: 'count:', headers: {} }
        },
      },
      { speaks: ['lines'] },
    )
    expect(await told(await served(upstream.target).ask())).toEqual([200, '{"count":42}', null])
    expect(texts).toEqual(['{"model":"m","line":"Hello, world!"}'])
    expect(upstream.calls).toEqual([])
  })

  const refused = new UpstreamError('No such endpoint.', { kind: 'refused', status: 404 })
  it.each<[string, Partial<CountCodec> | undefined]>([
    ['has no count', undefined],
    ['refuses', { decode: () => Promise.reject(refused) }],
    [
      'cannot encode the request',
      { encode: () => Promise.reject(new GatewayError('unsupported_parameter')) },
    ],
    [
      'has a bug',
      {
        decode: () => {
          throw new TypeError('a bug')
        },
      },
    ],
    ['answers no number', { decode: () => ({ promptTokens: -1 }) }],
    ['answers something else', { decode: () => whole('Hi') as never }],
  ])('is estimated where the vendor %s', async (_, count) => {
    const upstream = count === undefined ? scripted(() => whole('never')) : counting(count)
    const { ask, ends, post } = served(upstream.target, {
      breaker: { failures: 1 },
    })
    const line = 'word '.repeat(400)
    const [status, body, adjustments] = await told(await ask({ line }))
    expect([status, adjustments]).toEqual([200, estimated])
    const { count: guess } = JSON.parse(body as string)
    expect(guess).toBeGreaterThan(400)
    expect(guess).toBeLessThan(600)
    expect(ends()).toMatchObject([{ outcome: 'completed', usage: undefined, cost: null }])
    // The health of the target is that of its answers.
    expect((await post({})).status).toBe(200)
  })

  it('is estimated where the first target is unavailable, which the count does not change', async () => {
    const limited = new UpstreamError('Slow down.', { kind: 'refused', status: 429, retryAfterMs: 60_000 })
    let fails = true
    const upstream = counting({}, { decode: () => (fails ? Promise.reject(limited) : whole('Hi')) })
    const { ask, post } = served(upstream.target, { breaker: {} })
    await post({})
    fails = false
    expect((await told(await ask()))[2]).toBe(estimated)
    expect(upstream.calls).toEqual([])
  })

  it('asks no second target, and none twice', async () => {
    const first = counting({ decode: () => Promise.reject(refused) })
    const second = counting()
    const { ask } = served([first.target, { ...second.target, model: 'other' }])
    expect((await told(await ask()))[2]).toBe(estimated)
    expect([first.calls.length, second.calls.length]).toEqual([1, 0])
  })

  it('counts what is too long for the model, and a model that only generates', async () => {
    const { target } = counting()
    const small = { ...target, capabilities: { contextTokens: 3, operations: ['generate'] } } as const
    expect((await served(small).ask({ line: 'a b c d e f g h i j' })).status).toBe(200)
    const embedder = { ...target, capabilities: { operations: ['embed'] } } as const
    expect((await served(embedder).ask()).status).toBe(400)
  })

  it('is authenticated, authorized, routed and validated as any other', async () => {
    const { target } = counting()
    expect((await served(target, { authenticate: () => undefined }).ask()).status).toBe(401)
    expect((await served(target, { authorize: () => false }).ask()).status).toBe(403)
    expect((await served(target).ask({ model: 'none' })).status).toBe(404)
    expect((await served(target).ask({ line: 7 })).status).toBe(400)
  })

  it('takes nothing of limits and budgets', async () => {
    const { target } = counting()
    const { ask, post } = served(target, {
      limits: limits([requests(1).per('hour'), tokens(20_000).per('hour'), budget(100, 'usd').per('day')]),
      prices: () => 1,
    })
    for (let count = 0; count < 5; count++) {
      const response = await ask()
      expect(response.status).toBe(200)
      expect(response.headers.get('x-ratelimit-limit-requests')).toBeNull()
    }
    expect((await post({ max_tokens: 5 })).status).toBe(200)
    expect((await ask()).status).toBe(200)
  })

  it('counts against rules that name its operation, and against those of its principal, by itself', async () => {
    const { target, calls } = counting()
    const { ask, post, ends } = served(target, {
      authenticate: request => ({
        id: request.headers.get('who') ?? 'ann',
        limits: [{ kind: 'requests', limit: 3, per: 'hour', operations: ['countTokens'] }],
      }),
      limits: [
        requests(2).per('minute').forOperations('countTokens'),
        tokens(20_000).per('hour').forOperations('countTokens'),
        requests(2).per('hour').forOperations('generate'),
      ],
    })
    const responses = [await ask(), await ask(), await ask()]
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 429])
    expect(responses.map(({ headers }) => headers.get('x-ratelimit-remaining-requests'))).toEqual([
      '1',
      '0',
      '0',
    ])
    // What was counted used no tokens.
    expect(responses[1]!.headers.get('x-ratelimit-remaining-tokens')).toBe(
      responses[0]!.headers.get('x-ratelimit-remaining-tokens'),
    )
    expect(Number(responses[2]!.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(calls.length).toBe(2)
    expect(ends().at(-1)).toMatchObject({ operation: 'countTokens', outcome: 'refused', status: 429 })
    expect(
      (await ask(undefined, { headers: { 'content-type': 'application/json', who: 'bob' } })).status,
    ).toBe(200)
    expect([(await post({})).status, (await post({})).status, (await post({})).status]).toEqual([
      200, 200, 429,
    ])
  })

  it('asks a limiter of yours, and tells it the operation', async () => {
    const operations: string[] = []
    const { ask, post } = served(counting().target, {
      limits: {
        admit: (_, { operation }) => {
          operations.push(operation)
          return { settle: usage => void operations.push(usage === undefined ? 'nothing' : 'tokens') }
        },
      },
    })
    await (await ask()).text()
    await (await post({})).text()
    expect(operations).toEqual(['countTokens', 'nothing', 'generate', 'tokens'])
  })

  it('has a record in the ledger without cost, also when it is cut off', async () => {
    const records: (LedgerEntry | LedgerClosing)[] = []
    const ledger = {
      open: async (entry: LedgerEntry) => void records.push(entry),
      close: (closing: LedgerClosing) => void records.push(closing),
    }
    const upstream = counting(
      {},
      {
        transport: async (_request, signal) => forever(signal),
      },
    )
    const { gateway, ask, ends } = served(upstream.target, { ledger, prices: () => 7 })
    const asking = ask()
    await expect.poll(() => upstream.calls.length).toBe(1)
    await gateway.close({ drainMs: 0 })
    expect((await asking).status).toBe(503)
    expect(records).toMatchObject([
      { operation: 'countTokens', dialect: 'lines_count', estimate: { promptTokens: 0, cost: 0 } },
      { outcome: 'gateway_closed', charge: undefined },
    ])
    expect(ends()).toMatchObject([{ outcome: 'gateway_closed', usage: undefined, cost: null }])
  })

  it('is bounded by itself: beyond the bound of its principal it is a 429, and others are counted', async () => {
    let answer = () => {}
    const waiting = new Promise<void>(resolve => {
      answer = resolve
    })
    const upstream = counting({ decode: () => waiting.then(() => ({ promptTokens: 42 })) })
    const { ask, post } = served(upstream.target)
    const asking = Array.from({ length: maxConcurrentCounts.ofPrincipal }, () => ask())
    await expect.poll(() => upstream.calls.length).toBe(maxConcurrentCounts.ofPrincipal)
    const rejected = await ask()
    expect(rejected.status).toBe(429)
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await post({})).status).toBe(200)
    answer()
    expect(new Set((await Promise.all(asking)).map(({ status }) => status))).toEqual(new Set([200]))
    expect((await ask()).status).toBe(200)
  })

  it('is a 500 where the dialect writes no text', async () => {
    const broken = { ...dialect, write: () => 42 as never }
    const { ask, ends } = served(counting().target, { dialects: [broken] })
    expect((await ask()).status).toBe(500)
    expect(ends()).toMatchObject([{ outcome: 'internal_error' }])
  })

  it('is sent with a key of the provider', async () => {
    const upstream = counting({}, { keys: [{ id: 'key 1', weight: 1 }] })
    const { ask } = served(upstream.target)
    expect((await ask()).status).toBe(200)
    expect(upstream.calls).toMatchObject([{ key: 'key 1' }])
  })
})

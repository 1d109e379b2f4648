import { describe, expect, it } from 'vitest'
import type { Lease } from '../../src/contracts/limiter.ts'
import type { Provider } from '../../src/contracts/provider.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import { scripted, serving, stop, stream, text, turn, whole } from '../support/scripted-gateway.ts'

describe('a gateway and functions of the user', () => {
  const never = () => new Promise<never>(() => {})

  it.each<[string, Partial<GatewayOptions>]>([
    ['authenticate', { authenticate: never }],
    ['authorize', { authorize: never }],
    ['route', { route: never }],
    ['limits', { limits: { admit: never } }],
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
    expect(ends().map(({ outcome }) => outcome)).toEqual(['client_disconnected', 'gateway_closed'])
  })

  it('refuses a request with 503 limiter_unavailable where the limiter stalls', async () => {
    const { post, ends } = serving(scripted(() => whole('Hi')).target, {
      limits: { admit: never },
      timeouts: { policyMs: 10 },
    })
    const response = await post({})
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([503, 'true'])
    expect(await response.json()).toMatchObject({ error: { code: 'limiter_unavailable' } })
    const cause = { message: '`limits` timed out after 10 ms (`timeouts.policyMs`).' }
    expect(ends()).toMatchObject([{ outcome: 'refused', status: 503, error: { cause } }])
  })

  it('refuses a request with 503 authentication_unavailable where the authenticator stalls', async () => {
    const { post, ends, events } = serving(scripted(() => whole('Hi')).target, {
      authenticate: never,
      timeouts: { policyMs: 10 },
    })
    const response = await post({})
    expect(response.status).toBe(503)
    expect(await response.json()).toMatchObject({ error: { code: 'authentication_unavailable' } })
    const cause = { message: '`authenticate` timed out after 10 ms (`timeouts.policyMs`).' }
    expect(ends()).toMatchObject([{ outcome: 'refused', status: 503, error: { cause } }])
    expect(events.filter(({ type }) => type === 'internal_error')).toEqual([])
  })

  it.each<[string, Partial<Provider>]>([
    ['encode', { encode: never }],
    ['transport', { transport: never }],
    ['decode', { decode: never }],
    [
      'a chunk',
      { decode: () => ({ kind: 'stream', chunks: { [Symbol.asyncIterator]: () => ({ next: never }) } }) },
    ],
  ])('gives up at a deadline, where %s never comes back', async (what, more) => {
    const { post, ends } = serving(scripted(() => whole('Hi'), more).target, {
      timeouts: { totalMs: 30 },
      stream: { holdMs: 5_000 },
    })
    expect((await post({ stream: true })).status).toBe(504)
    // What was asked may have been answered.
    const usage = what === 'encode' ? undefined : { completion_tokens: 4_096 }
    expect(ends()).toMatchObject([{ outcome: 'upstream_failed', usage }])
  })

  it('settles the lease once, with the usage, whatever ends the answer', async () => {
    const settled: unknown[] = []
    const limit = {
      admit: () => ({
        limits: [{ kind: 'requests' as const, limit: 9, windowMs: 1_000, remaining: 8, resetMs: 111 }],
        settle: (usage: unknown) => void settled.push(usage),
      }),
    }
    const good = serving(scripted(() => whole('Hi')).target, { limits: limit })
    expect((await good.post({})).headers.get('x-ratelimit-limit-requests')).toBe('9')
    await (
      await serving(scripted(() => stream([text('a')], new Error('bug'))).target, { limits: limit }).post({
        stream: true,
      })
    ).text()
    await serving(scripted(() => whole('Hi')).target, { limits: limit }).post({ temperature: 3 })
    expect(settled).toMatchObject([{ total_tokens: 5 }, { completion_tokens: 1 }, undefined])
    expect(settled).toHaveLength(3)
  })

  it('reports the limits of a lease in headers, which the lease may replace', async () => {
    const state = { kind: 'tokens' as const, limit: 9, windowMs: 60_000 }
    const lease = {
      limits: [
        { ...state, remaining: 8.9, resetMs: 1_500.2 },
        { ...state, remaining: Number.NaN, resetMs: Number.POSITIVE_INFINITY, exceeded: true },
      ],
      ietfHeaders: true,
      headers: { 'x-plan': 'free', 'x-ratelimit-reset-tokens': 'never' },
      settle() {},
    }
    const { post } = serving(scripted(() => whole('Hi')).target, { limits: { admit: () => lease } })
    for (const body of [{}, { temperature: 3 }]) {
      const headers = [...(await post(body)).headers]
      expect(headers.filter(([name]) => /plan|ratelimit/.test(name))).toEqual([
        ['ratelimit', '"tokens";r=8;t=2, "tokens-2";r=0;t=0'],
        ['ratelimit-policy', '"tokens";q=9;w=60, "tokens-2";q=9;w=60'],
        ['x-plan', 'free'],
        ['x-ratelimit-limit-tokens', '9'],
        ['x-ratelimit-remaining-tokens', '0'],
        ['x-ratelimit-reset-tokens', 'never'],
      ])
    }
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
    const { post } = serving(scripted(() => whole('Hi')).target, { limits: limit })
    const answering = post({}, { signal: left.signal })
    await turn()
    left.abort()
    await answering
    admit?.({ settle: usage => void settled.push(usage) })
    await turn()
    expect(settled).toEqual([undefined])
  })

  it.each([
    ['throw', Object.defineProperty({}, 'x-room', { enumerable: true, get: thrown }), 500],
    ['are no text', { 'x-room': Symbol('room'), 'x-rest': null, 'x-limit': 9 }, 200],
    ['are not there', undefined, 200],
  ])('answers, and closes the lease, where its headers %s', async (_, headers, status) => {
    let settled = 0
    const lease = { headers, settle: () => void settled++ } as unknown as Lease
    const { post, ends } = serving(scripted(() => stream([text('Hi'), stop])).target, {
      limits: { admit: () => lease },
    })
    const response = await post({ stream: true })
    expect(response.status).toBe(status)
    expect(response.headers.get('x-room') ?? response.headers.get('x-rest')).toBeNull()
    await response.text()
    expect(ends()).toHaveLength(1)
    expect(settled).toBe(1)
  })

  it('tells of a fault at the models, which have no record', async () => {
    const down = new Error('The database is down.')
    const { gateway, events } = serving(scripted(() => whole('Hi.')).target, {
      authenticate: () => Promise.reject(down),
    })
    const response = await gateway.fetch(new Request('http://sluice.test/v1/models'))
    expect(response.status).toBe(500)
    expect(await response.text()).not.toContain('database')
    const requestId = response.headers.get('x-request-id')
    expect(events).toEqual([{ type: 'internal_error', requestId, error: down }])
  })

  it('does not let an observer break an answer', async () => {
    const observe = () => {
      throw new Error('observer')
    }
    expect((await serving(scripted(() => whole('Hi')).target, { observe }).post({})).status).toBe(200)
  })
})

function thrown(): never {
  throw new Error('a header of the user')
}

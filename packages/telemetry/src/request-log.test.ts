import {
  ConfigurationError,
  type EndEvent,
  GatewayError,
  type GatewayEvent,
  UpstreamError,
} from '@sluice/core'
import fc from 'fast-check'
import pino from 'pino'
import { describe, expect, it } from 'vitest'
import { attempt, ended } from './fake-events.ts'
import { type Logger, type RequestLogOptions, requestLog } from './index.ts'

const now = () => Date.UTC(2026, 10, 21, 12, 4, 31, 5)

function lines(event: GatewayEvent, options: RequestLogOptions = {}): string[] {
  const written: string[] = []
  requestLog({ write: line => written.push(line), now, ...options })(event)
  return written
}

const json = (event: GatewayEvent, options?: RequestLogOptions) =>
  lines(event, options).map(line => JSON.parse(line) as Record<string, unknown>)
const pretty = (event: GatewayEvent, options?: RequestLogOptions) => {
  const [line = ''] = lines(event, { format: 'pretty', ...options })
  return line.replace(/^\d\d:\d\d:\d\d /, '')
}

/** Halves of pairs, controls and separators included. */
const anyText = fc
  .array(fc.oneof(fc.nat(0xffff), fc.nat(0x9f), fc.constantFrom(0x2028, 0x202e, 0xfeff)), { maxLength: 30 })
  .map(units => String.fromCharCode(...units))

const refused = (status = 429) =>
  new UpstreamError('acme answered with an error.', {
    kind: 'refused',
    status,
    vendorMessage: 'key sk-secret, prompt Hello',
  })

describe('requestLog as JSON', () => {
  it("writes the caller's own id beside ours", () => {
    const [line] = json(ended({ clientRequestId: 'from-the-caller' }))
    expect(line).toMatchObject({ requestId: 'req_1', clientRequestId: 'from-the-caller' })
  })

  it('tells operation, dialect, the source of the principal and the end user', () => {
    const principal = { id: 'ann', source: 'api_keys' }
    const event = ended({ operation: 'embed', dialect: 'embeddings', principal, user: 'eve\n\u202e' })
    expect(json(event)).toMatchObject([
      {
        operation: 'embed',
        dialect: 'embeddings',
        principal: 'ann',
        source: 'api_keys',
        user: 'eve\n\u202e',
      },
    ])
  })

  it('writes one flat line for a request, with the time as ISO 8601', () => {
    expect(json(ended())).toEqual([
      {
        time: '2026-11-21T12:04:31.005Z',
        level: 'info',
        message: 'request',
        requestId: 'req_1',
        clientRequestId: null,
        outcome: 'completed',
        status: 200,
        operation: 'generate',
        dialect: 'chat',
        principal: 'ann',
        source: null,
        user: null,
        authFailure: null,
        authFailureId: null,
        model: 'big',
        provider: 'acme',
        responseModel: null,
        upstreamModel: 'big-1',
        stream: false,
        attempts: 1,
        failovers: 0,
        promptTokens: 812,
        cachedTokens: 0,
        completionTokens: 120,
        reasoningTokens: 0,
        totalTokens: 932,
        usageEstimated: false,
        costUsd: 0.00123,
        queueMs: 0,
        firstByteMs: 1240,
        totalMs: 1240,
        overheadMs: 0.6,
        cache: null,
        replayed: false,
        hooks: null,
        adjustments: 0,
        wouldHaveRefused: null,
        error: null,
        errorStatus: null,
      },
    ])
  })

  it('has the same names in the line of a stranger', () => {
    const nobody: Partial<EndEvent> = {
      outcome: 'refused',
      status: 401,
      principal: undefined,
      model: undefined,
      attempts: [],
      usage: undefined,
      cost: null,
      error: new GatewayError('invalid_api_key'),
    }
    const [line] = json(ended(nobody))
    expect(Object.keys(line!)).toEqual(Object.keys(json(ended())[0]!))
    expect(line).toMatchObject({
      principal: null,
      model: null,
      provider: null,
      costUsd: null,
      error: 'invalid_api_key',
    })
  })

  it('says why nobody was authenticated, and by which key', () => {
    const nobody: Partial<EndEvent> = {
      outcome: 'refused',
      status: 401,
      principal: undefined,
      model: undefined,
      attempts: [],
      usage: undefined,
      cost: null,
      authFailure: { reason: 'expired', id: 'k1' },
      error: new GatewayError('invalid_api_key'),
    }
    expect(json(ended(nobody))).toMatchObject([{ authFailure: 'expired', authFailureId: 'k1' }])
    expect(pretty(ended(nobody))).toMatch(/invalid_api_key \(expired: k1\)$/)
    expect(pretty(ended({ ...nobody, authFailure: { reason: 'unknown' } }))).toMatch(/\(unknown\)$/)
  })

  it('says which target answered, how many were asked and how often another had to help', () => {
    const attempts = [
      attempt({ provider: 'one', error: refused() }),
      attempt({ provider: 'one', why: 'retry', error: refused() }),
      attempt({ provider: 'two', model: 'b', why: 'fallback' }),
      attempt({ provider: 'three', why: 'hedge', called: false }),
    ]
    expect(json(ended({ attempts }))[0]).toMatchObject({
      provider: 'two',
      upstreamModel: 'b',
      attempts: 3,
      failovers: 1,
    })
  })

  it('tells of changes of targets and stores, of warnings and of faults inside, and of nothing else', () => {
    const error = Object.assign(new Error('connect ECONNREFUSED 10.0.0.1:6379'), { code: 'ECONNREFUSED' })
    const target = { type: 'target', provider: 'acme', model: 'big-1' } as const
    const ids = {
      requestId: 'r',
      clientRequestId: undefined,
      operation: 'generate',
      dialect: 'chat',
    } as const
    const left = { reason: 'upstream_auth', scope: 'all', unavailableMs: 0 } as const
    const back = { reason: undefined, scope: undefined, unavailableMs: 61_000 } as const
    expect([
      ...json({ ...target, ...left, state: 'open', waitMs: 30_000, error: refused(401) }),
      ...json({ ...target, ...back, state: 'closed', waitMs: 0, error: refused(401) }),
      ...json({ type: 'store', store: 'limits', state: 'failing', error }),
      ...json({ type: 'store', store: 'limits', state: 'working', error: undefined }),
      ...json({ type: 'log_bodies_lost', rows: 2, reason: 'full' }),
      ...json({ type: 'warning', code: 'only_local_in_production', message: 'Only local.' }),
      ...json({ type: 'begin', ...ids, at: 0, principal: { id: 'ann' }, model: 'm', stream: true }),
      ...json({ type: 'attempt_failed', requestId: 'r', attempt: attempt({ error: refused() }) }),
    ]).toMatchObject([
      {
        level: 'warn',
        message: 'target',
        provider: 'acme',
        state: 'open',
        waitMs: 30_000,
        reason: 'upstream_auth',
        scope: 'all',
        error: 'refused',
        errorStatus: 401,
      },
      { level: 'info', message: 'target', state: 'closed', unavailableMs: 61_000, reason: null, error: null },
      {
        level: 'error',
        message: 'store',
        store: 'limits',
        state: 'failing',
        error: 'Error',
        errorCode: 'ECONNREFUSED',
      },
      { level: 'info', message: 'store', state: 'working', error: null },
      { level: 'warn', message: 'bodies of requests are lost', rows: 2, reason: 'full' },
      { level: 'warn', message: 'Only local.', warning: 'only_local_in_production' },
    ])
  })

  it('tells of keys that enter cooldown or are available again, by their names', () => {
    const key = { type: 'provider_key', provider: 'acme', model: 'big-1', key: 'key 2' } as const
    const reason = 'upstream_auth'
    expect([
      ...json({
        ...key,
        state: 'cooldown',
        waitMs: 60_000.4,
        reason,
        scope: 'principal',
        error: refused(401),
      }),
      ...json({
        ...key,
        state: 'available',
        waitMs: 0,
        reason: undefined,
        scope: undefined,
        error: undefined,
      }),
    ]).toMatchObject([
      {
        ...{ level: 'warn', message: 'provider key', provider: 'acme', upstreamModel: 'big-1', key: 'key 2' },
        ...{ state: 'cooldown', waitMs: 60_000, reason, scope: 'principal', errorStatus: 401 },
      },
      { level: 'info', message: 'provider key', key: 'key 2', state: 'available', reason: null, error: null },
    ])
  })

  it('says where a fault inside was thrown, and its message only where it is asked to', () => {
    const fault = new TypeError('Hello, my password is\n    at evil (x.ts:1:1)')
    const event: GatewayEvent = { type: 'internal_error', requestId: 'req_1', error: fault }
    const [line] = json(event)
    expect(line).toMatchObject({ level: 'error', error: 'TypeError' })
    expect(line!.errorStack).toMatch(/^at .*request-log\.test\.ts:\d+/)
    expect(JSON.stringify(line)).not.toMatch(/password|evil/)
    expect(json(event, { errorMessages: true })[0]!.errorMessage).toContain('my password is')
    expect(json(ended({ outcome: 'internal_error', status: 500, error: fault }))[0]).toMatchObject({
      level: 'error',
      errorStack: expect.stringContaining('request-log.test.ts'),
    })
  })

  it('says which code is behind a refusal of its own', () => {
    const cause = Object.assign(new Error('password of ann'), { code: 'ECONNREFUSED' })
    const error = new GatewayError('authentication_unavailable', { cause })
    const event = ended({ outcome: 'refused', status: 503, error })
    expect(json(event)[0]).toMatchObject({ error: 'authentication_unavailable', errorCode: 'ECONNREFUSED' })
    expect(lines(event)[0]).not.toContain('password')
    expect(json(event, { errorMessages: true })[0]).toMatchObject({ errorMessage: 'password of ann' })
  })

  it('never tells what a vendor said, nor what a caller sent', () => {
    const event = ended({
      outcome: 'upstream_failed',
      status: 502,
      attempts: [attempt({ error: refused(500) })],
      error: refused(500),
    })
    const bad = ended({
      outcome: 'refused',
      status: 400,
      error: new GatewayError('invalid_value', { message: "Invalid value: 'Hello'", param: 'Hello' }),
    })
    for (const written of [event, bad]) {
      for (const format of ['json', 'pretty'] as const) {
        const [line] = lines(written, { format, errorMessages: true })
        expect(line).not.toMatch(/sk-secret|Hello/)
      }
    }
    expect(json(event)[0]).toMatchObject({
      level: 'warn',
      error: 'refused',
      errorStatus: 500,
      errorMessage: 'acme answered with an error.',
    })
  })

  it('reads back any name as it was, on one line of harmless characters', () => {
    fc.assert(
      fc.property(anyText, model => {
        const [line] = lines(ended({ model }))
        expect(line).not.toMatch(/[\p{C}\p{Zl}\p{Zp}]/u)
        expect(JSON.parse(line!).model).toBe(model)
      }),
    )
  })

  it('tells the beginning of a very long name', () => {
    expect(json(ended({ model: 'x'.repeat(5_000) }))[0]!.model).toBe(`${'x'.repeat(200)}…`)
  })
})

describe('requestLog on a terminal', () => {
  it('writes when, what, where to, who, and what it took', () => {
    expect(lines(ended(), { format: 'pretty' })[0]).toMatch(/^\d\d:\d\d:31 200 /)
    expect(pretty(ended())).toBe('200 big -> acme/big-1 [ann] 1.24 s, 812+120 tokens, $0.0012')
    const streamed = ended({
      stream: true,
      timings: { queue: 0, firstByte: 210.4, total: 999.4 },
      usageEstimated: true,
    })
    expect(pretty(streamed)).toBe(
      '200 big -> acme/big-1 [ann] stream first 210 ms, 999 ms, ~812+120 tokens, $0.0012',
    )
  })

  it('says what was out of the usual', () => {
    const attempts = [attempt({ error: refused() }), attempt({ provider: 'two', why: 'fallback' })]
    expect(pretty(ended({ attempts }))).toContain('2 attempts, 1 failover')
    expect(
      pretty(
        ended({
          attempts: [],
          usage: undefined,
          cost: null,
          cache: 'hit',
          wouldHaveRefused: ['requests(1).per(second)'],
        }),
      ),
    ).toBe('200 big [ann] 1.24 s, from the cache, would reject: requests(1).per(second)')
    expect(pretty(ended({ outcome: 'client_disconnected', status: 499 }))).toMatch(/client disconnected$/)
  })

  it('says why a request failed', () => {
    const nobody = { attempts: [], usage: undefined, cost: null, principal: undefined, model: undefined }
    const timings = { queue: 0, firstByte: undefined, total: 2.2 }
    const missing = new GatewayError('missing_api_key')
    expect(pretty(ended({ ...nobody, timings, outcome: 'refused', status: 401, error: missing }))).toBe(
      '401 - [-] 2 ms missing_api_key',
    )
    const failed = ended({
      outcome: 'upstream_failed',
      status: 502,
      cost: null,
      usage: undefined,
      error: refused(500),
    })
    expect(pretty(failed)).toBe(
      '502 big -> acme/big-1 [ann] 1.24 s refused 500 acme answered with an error. (req_1)',
    )
  })

  it.each([
    [0, '$0.00'],
    [12.345, '$12.35'],
    [0.5, '$0.50'],
    [0.000_000_15, '$0.00000015'],
  ])('tells a cost of %s as %s', (cost, shown) => {
    expect(pretty(ended({ cost }))).toContain(`, ${shown}`)
  })

  it('lets no name break the line or steer the terminal', () => {
    const principal = { id: '\u001b[2Jann\n200 fake\u202e\u2028' }
    expect(pretty(ended({ model: 'a\rb\u009b1m', principal }))).toContain(
      '200 a?b?1m -> acme/big-1 [?[2Jann?200 fake??]',
    )
  })

  it('has colours where it is told to', () => {
    expect(lines(ended(), { format: 'pretty', colours: true })[0]).toContain('\u001b[32m200\u001b[39m')
    expect(lines(ended({ status: 500 }), { format: 'pretty', colours: true })[0]).toContain('\u001b[31m500')
    expect(lines(ended(), { format: 'pretty' })[0]).not.toContain('\u001b')
  })
})

describe('requestLog with a logger', () => {
  it('gives a pino its lines', () => {
    const written: string[] = []
    const logger: Logger = pino({ level: 'trace' }, { write: line => void written.push(line) })
    const log = requestLog({ logger })
    log(ended())
    log(ended({ outcome: 'upstream_failed', status: 502, error: refused(500) }))
    log({ type: 'internal_error', requestId: 'req_2', error: new Error('No.') })
    expect(written.map(line => JSON.parse(line))).toMatchObject([
      { level: 30, msg: 'request', requestId: 'req_1', outcome: 'completed', totalTokens: 932 },
      { level: 40, msg: 'request', outcome: 'upstream_failed', error: 'refused' },
      { level: 50, msg: 'internal error', requestId: 'req_2' },
    ])
  })

  it.each([
    [
      { logger: console as Logger, format: 'json' as const },
      ['logger'],
      'a logger together with write, format or colours',
    ],
    [{ logger: { info() {} } as unknown as Logger }, ['logger'], 'got a logger without warn, error'],
    [{ format: 'xml' as 'json' }, ['format'], "requestLog(): format: got 'xml', expected 'auto'"],
    [{ write: 'stdout' as unknown as () => void }, ['write'], "write: got 'stdout', expected a function"],
  ])('throws for invalid options: %o', (options, path, message) => {
    const make = () => requestLog(options)
    expect(make).toThrow(ConfigurationError)
    expect(make).toThrow(expect.objectContaining({ issues: [expect.objectContaining({ path })] }))
    expect(make).toThrow(message)
  })
})

import { describe, expect, it } from 'vitest'
import { LifeEnded } from '../../errors/abort-reasons.ts'
import { GatewayError } from '../../errors/errors.ts'
import { UpstreamError, type UpstreamErrorDetails } from '../../errors/upstream-error.ts'
import { classifyOutcome } from './classify-outcome.ts'

const upstream = (details: UpstreamErrorDetails) => new UpstreamError('It failed.', details)
const refused = (status?: number, more: Partial<UpstreamErrorDetails> = {}) =>
  upstream({ kind: 'refused', ...(status === undefined ? {} : { status }), ...more })
const cooldown = (ms: number, retryAfter = true, own = false) => ({ kind: 'cooldown', ms, own, retryAfter })
const failed = { kind: 'failure', own: false, answered: true }

describe('classifyOutcome', () => {
  it.each([
    ['unreachable', true, false],
    ['connect_timeout', true, false],
    ['first_byte_timeout', false, false],
    ['idle_timeout', false, false],
    ['truncated', false, false],
    ['garbled', false, true],
  ] as const)('takes %s for a failure, also after it had begun to answer', (kind, own, answered) => {
    expect(classifyOutcome(upstream({ kind }), false)).toEqual({ kind: 'failure', own, answered })
    expect(classifyOutcome(upstream({ kind }), true)).toEqual({ kind: 'failure', own, answered })
  })

  it('takes an answer that never began for a failure, and one that was cut off for none', () => {
    expect(classifyOutcome(upstream({ kind: 'total_timeout' }), false)).toEqual({
      ...failed,
      answered: false,
    })
    expect(classifyOutcome(upstream({ kind: 'total_timeout' }), true)).toEqual({ kind: 'neutral' })
  })

  it.each([408, 500, 501, 502, 503, 504, 520, 529, 599, 302, 200, undefined])(
    'takes the status %s for a failure',
    status => expect(classifyOutcome(refused(status), false)).toEqual(failed),
  )

  it.each([
    [402, 'You requested up to 65536 tokens, but can only afford 30104.'],
    [402, 'This request requires more credits, or fewer max_tokens. You can only afford 8 tokens'],
    [429, 'Request too large for big-1 on tokens per min (TPM): Limit 30000, Requested 41055.'],
    [429, 'The input or output tokens must be reduced in order to run successfully.'],
  ])('takes a %i for one request alone where it says that this is too large: %s', (status, vendorMessage) => {
    const error = refused(status, { vendorMessage, retryAfterMs: 5_000 })
    expect(classifyOutcome(error, false)).toEqual({ kind: 'neutral' })
  })

  it.each([
    [402, 'Insufficient credits. You can only afford to wait.'],
    [402, undefined],
    [429, 'Rate limit reached for requests'],
    [500, 'You can only afford 5 tokens'],
  ])('does not take a %i for that which says %s', (status, vendorMessage) => {
    const error = refused(status, vendorMessage === undefined ? {} : { vendorMessage })
    expect(classifyOutcome(error, false).kind).not.toBe('neutral')
  })

  it.each(['EMFILE', 'ENFILE', 'EADDRNOTAVAIL'])('takes %s for a lack of this machine', code => {
    const cause = Object.assign(new Error('connect'), { code })
    expect(classifyOutcome(upstream({ kind: 'unreachable', cause }), false)).toEqual({ kind: 'neutral' })
  })

  it.each([400, 404, 405, 409, 410, 413, 415, 422, 451, 499])('takes the status %s for nothing', status =>
    expect(classifyOutcome(refused(status), false)).toEqual({ kind: 'neutral' }),
  )

  it.each([
    [undefined, 1_000],
    [0, 1_000],
    [-5, 1_000],
    [Number.NaN, 1_000],
    [1_500, 1_500],
    [60_000, 60_000],
    [3_600_000, 60_000],
    [Number.POSITIVE_INFINITY, 60_000],
  ])('gives a 429 the pause that it asks for, from a second to a minute: %s', (retryAfterMs, ms) => {
    const error = refused(429, retryAfterMs === undefined ? {} : { retryAfterMs })
    expect(classifyOutcome(error, false)).toEqual(
      cooldown(ms, retryAfterMs !== undefined && retryAfterMs >= 0),
    )
  })

  it.each([401, 402])('leaves a target that answers %s alone for a minute', status =>
    expect(classifyOutcome(refused(status, { retryAfterMs: 5 }), false)).toEqual(
      cooldown(60_000, false, true),
    ),
  )

  it('leaves an account without means alone for a minute, whatever its status', () => {
    expect(classifyOutcome(refused(429, { code: 'insufficient_quota' }), false)).toEqual(
      cooldown(60_000, false, true),
    )
  })

  it.each([
    ['a caller who left', new LifeEnded('client_disconnected')],
    ['a gateway that was closed', new LifeEnded('gateway_closed')],
    ['a request that the provider cannot write', new GatewayError('unsupported_parameter')],
    ['a refusal for its rate', new GatewayError('rate_limit_exceeded')],
    ['a bug', new TypeError('x is not a function')],
    ['a thrown text', 'no'],
    ['null', null],
    [
      'a kept connection that both ends used at once',
      upstream({ kind: 'unreachable', staleConnection: true }),
    ],
  ])('says nothing for %s', (_, error) => expect(classifyOutcome(error, false)).toEqual({ kind: 'neutral' }))

  it('takes a 403, which may be for the key of this process, for a failure of its own', () => {
    expect(classifyOutcome(refused(403), false)).toEqual({ kind: 'failure', own: true, answered: true })
  })

  it('takes what a provider says of its upstream in our words for a failure', () => {
    expect(classifyOutcome(new GatewayError('overloaded'), false)).toEqual(failed)
  })

  it('takes an end without an error for a success', () => {
    expect(classifyOutcome(undefined, false)).toEqual({ kind: 'success' })
  })
})

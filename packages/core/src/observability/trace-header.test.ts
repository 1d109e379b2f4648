import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { AttemptRecord } from '../contracts/events.ts'
import type { RequestTrace } from '../contracts/trace.ts'
import { LifeEnded } from '../errors/abort-reasons.ts'
import { GatewayError } from '../errors/errors.ts'
import { UpstreamError } from '../errors/upstream-error.ts'
import { traceHeader } from './trace-header.ts'

const attempt = (more: Partial<AttemptRecord> = {}): AttemptRecord => ({
  provider: 'p',
  model: 'up',
  called: true,
  startMs: 0,
  ms: 12.345_678,
  why: 'first',
  waitedMs: 0,
  status: undefined,
  error: undefined,
  ...more,
})
const trace = (more: Partial<RequestTrace> = {}): RequestTrace => ({
  seed: 7,
  candidates: [{ provider: 'p', model: 'up' }],
  overheadMs: 0.123_456,
  ...more,
})

describe('traceHeader', () => {
  it('tells seed, overhead, attempts and candidates', () => {
    const skipped = { why: 'open', waitMs: 3 } as const
    const candidates = [
      { provider: 'p', model: 'up', skipped },
      { provider: 'q', model: 'up', via: 'small' },
    ]
    expect(JSON.parse(traceHeader(trace({ candidates }), [attempt()]))).toEqual({
      seed: 7,
      overheadMs: 0.123,
      attempts: [{ provider: 'p', model: 'up', called: true, why: 'first', ms: 12.346 }],
      candidates,
    })
  })

  it.each<[string, unknown, string]>([
    ['an upstream', new UpstreamError('canary', { kind: 'refused', status: 503, code: 'canary' }), 'refused'],
    ['a refusal', new GatewayError('invalid_value', { message: 'canary', param: 'canary' }), 'invalid_value'],
    ['a caller who left', new LifeEnded('client_disconnected'), 'cut_off'],
    ['a fault inside', new TypeError('canary'), 'internal'],
    ['what is no error', 'canary', 'internal'],
  ])('tells of the failure of %s in one word', (_, error, word) => {
    const header = traceHeader(trace(), [attempt({ error, status: 503 })])
    expect(JSON.parse(header).attempts[0]).toMatchObject({ error: word, status: 503 })
    expect(header).not.toContain('canary')
  })

  it('is ASCII, whole JSON and at most 4 KiB, and says where it is cut', () => {
    const aText = fc.string({ unit: 'binary', maxLength: 300 })
    const aCandidate = fc.record({ provider: aText, model: aText })
    fc.assert(
      fc.property(
        fc.array(aCandidate, { maxLength: 100 }),
        fc.array(aCandidate, { maxLength: 120 }),
        (candidates, named) => {
          const attempts = named.map(names => attempt(names))
          const header = traceHeader(trace({ candidates }), attempts)
          expect(header).toMatch(/^[\x20-\x7e]{2,4096}$/)
          const told = JSON.parse(header)
          const all = told.candidates.length === candidates.length && told.attempts.length === attempts.length
          expect(told.truncated).toBe(all ? undefined : true)
          expect(candidates.slice(0, told.candidates.length)).toEqual(told.candidates)
        },
      ),
    )
  })
})

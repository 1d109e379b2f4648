import { UpstreamError } from '@sluice/core'
import { describe, expect, it } from 'vitest'
import { attemptOf, endOf } from '../recent/fake-events.ts'
import { targetLog, targetReason } from './target-log.ts'

const refused = (status: number, code?: string) =>
  new UpstreamError('It refused.', { kind: 'refused', status, ...(code === undefined ? {} : { code }) })

describe('targetReason', () => {
  it.each([
    [refused(401), 'credentials_refused'],
    [refused(402), 'quota_exhausted'],
    [refused(403), 'access_denied'],
    [refused(429), 'rate_limited'],
    [refused(429, 'insufficient_quota'), 'quota_exhausted'],
    [refused(503), 'http_503'],
    [new UpstreamError('It ended.', { kind: 'truncated' }), 'truncated'],
    [new Error('secret words'), 'internal_error'],
    [undefined, undefined],
  ])('%s is %s', (error, reason) => {
    expect(targetReason(error)).toBe(reason)
  })
})

describe('targetLog', () => {
  const target = {
    type: 'target',
    provider: 'p',
    model: 'm',
    waitMs: 5,
    reason: 'overloaded',
    scope: 'all',
    unavailableMs: 0,
  } as const

  it('knows why a target is in its state and since when, until it is closed', () => {
    let now = 10
    const log = targetLog(() => now)
    log.observe({ ...target, state: 'cooldown', error: refused(401) })
    expect(log.of('p', 'm')).toMatchObject({ reason: 'credentials_refused', since: 10 })
    now = 20
    log.observe({ ...target, state: 'open', error: refused(500) })
    expect(log.of('p', 'm')).toMatchObject({ reason: 'http_500', since: 20 })
    log.observe({ ...target, state: 'closed', error: undefined })
    expect(log.of('p', 'm')).toMatchObject({ reason: undefined, since: undefined })
    expect(log.of('p', 'other').reason).toBeUndefined()
  })

  it('keeps the times of the last completed answer, both of the same one', () => {
    const log = targetLog(Date.now)
    const attempt = attemptOf({ provider: 'p', model: 'm', called: true, startMs: 10, ms: 50 })
    const timings = { queue: 0, firstByte: 60, total: 100 }
    log.observe(endOf('a', { at: 1_000, stream: true, attempts: [attempt], timings }))
    expect(log.of('p', 'm').last).toEqual({ at: 1_100, firstTokenMs: 50, totalMs: 90 })
    log.observe(endOf('b', { at: 2_000, stream: false, attempts: [attempt], timings }))
    expect(log.of('p', 'm').last).toEqual({ at: 2_100, firstTokenMs: undefined, totalMs: 50 })
    log.observe(endOf('c', { at: 3_000, outcome: 'client_disconnected', attempts: [attempt], timings }))
    expect(log.of('p', 'm').last?.at).toBe(2_100)
  })

  it('is bounded: of very many targets the first is forgotten', () => {
    const log = targetLog(() => 1)
    for (let at = 0; at <= 500; at++)
      log.observe({ ...target, model: `m${at}`, state: 'cooldown', error: refused(429) })
    expect(log.of('p', 'm0').reason).toBeUndefined()
    expect(log.of('p', 'm500').reason).toBe('rate_limited')
  })
})

import { GatewayError, UpstreamError } from '@sluice/core'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { RequestDetail } from '../api.ts'
import { targetLog } from '../targets/target-log.ts'
import { attemptOf, beginOf, discardedOf, endOf } from './fake-events.ts'
import { recentRequests } from './recent-requests.ts'

function setUp(max = 500) {
  const told: RequestDetail[] = []
  return { told, recent: recentRequests(max, 'team', targetLog(Date.now), request => told.push(request)) }
}

describe('recentRequests', () => {
  it('shows a request at once when it begins, its failures as they come, and its end', () => {
    const { recent, told } = setUp()
    recent.observe(beginOf('a'))
    expect(recent.list()).toMatchObject([
      { id: 'a', outcome: 'running', model: 'm', key: 'ann', team: 'search', stream: true, cost: null },
    ])
    const error = new UpstreamError('It failed.', { kind: 'first_byte_timeout', vendorMessage: 'secret' })
    recent.observe({ type: 'attempt_failed', requestId: 'a', attempt: attemptOf({ error, status: 500 }) })
    expect(recent.get('a')).toMatchObject({
      outcome: 'running',
      attempts: [{ provider: 'one', status: 500, error: 'first_byte_timeout' }],
    })
    recent.observe(
      endOf('a', { attempts: [attemptOf({ error }), attemptOf({ provider: 'two', why: 'fallback' })] }),
    )
    expect(recent.list()).toMatchObject([
      { id: 'a', outcome: 'completed', provider: 'two', firstByteMs: 20, totalMs: 40, promptTokens: 3 },
    ])
    expect(recent.get('a')).toMatchObject({ queueMs: 1, overheadMs: 2, leftOut: 0, error: undefined })
    expect(told.map(({ outcome }) => outcome)).toEqual(['running', 'running', 'completed'])
  })

  it('tells operation, dialect and, once it has ended, the end user', () => {
    const { recent } = setUp()
    const embedded = { operation: 'embed', dialect: 'embeddings' } as const
    recent.observe(beginOf('a', embedded))
    expect(recent.list()).toMatchObject([embedded])
    expect(recent.get('a')?.user).toBeUndefined()
    recent.observe(endOf('a', { ...embedded, user: 'eve' }))
    expect(recent.list()).toMatchObject([embedded])
    expect(recent.list()[0]).not.toHaveProperty('user')
    expect(recent.get('a')).toMatchObject({ ...embedded, user: 'eve' })
    recent.observe(endOf('b', { user: 'e'.repeat(256) }))
    expect(recent.get('b')?.user?.length).toBe(203)
  })

  it('keeps no error, but for a word of it', () => {
    const { recent } = setUp()
    const vendor = new UpstreamError('sk-vendor', {
      kind: 'refused',
      vendorMessage: 'sk-vendor',
      status: 400,
    })
    const errors = { vendor, own: new GatewayError('rate_limit_exceeded'), bug: new Error('sk-vendor') }
    for (const [id, error] of Object.entries(errors)) recent.observe(endOf(id, { error, outcome: 'refused' }))
    recent.observe(endOf('left', { error: new Error('x'), outcome: 'client_disconnected' }))
    recent.observe(endOf('closed', { error: new Error('x'), outcome: 'gateway_closed' }))
    expect(['vendor', 'own', 'bug', 'left', 'closed'].map(id => recent.get(id)?.error)).toEqual([
      'refused',
      'rate_limit_exceeded',
      'internal_error',
      'client_disconnected',
      'shutting_down',
    ])
    expect(JSON.stringify(Object.keys(errors).map(id => recent.get(id)))).not.toContain('sk-vendor')
  })

  it('adds calls that nobody got, also when their request has ended', () => {
    const { recent } = setUp()
    recent.observe(beginOf('a'))
    recent.observe(discardedOf('a'))
    recent.observe(endOf('a'))
    recent.observe(discardedOf('a'))
    recent.observe(discardedOf('forgotten'))
    expect(recent.get('a')?.discarded).toMatchObject([
      { provider: 'two', why: 'shadow', completionTokens: 4, cost: null },
      { provider: 'two' },
    ])
    expect(recent.list()).toHaveLength(1)
  })

  it('cuts what is long, and says how much it left out', () => {
    const { recent } = setUp()
    const attempts = Array.from({ length: 60 }, () => attemptOf())
    const candidates = Array.from({ length: 70 }, () => ({ provider: 'p'.repeat(900), model: 'm' }))
    recent.observe(
      endOf('a', {
        attempts,
        trace: { seed: 1, candidates, more: 5, overheadMs: 1 },
        model: 'm'.repeat(5_000),
      }),
    )
    const kept = recent.get('a')!
    expect([kept.attempts.length, kept.candidates.length, kept.leftOut]).toEqual([50, 50, 10 + 20 + 5])
    expect(kept.model).toHaveLength(203)
    expect(JSON.stringify(kept).length).toBeLessThan(30_000)
  })

  it('forgets the one that ended first, and none that runs while one has ended', () => {
    const { recent } = setUp(3)
    recent.observe(beginOf('runs', { at: 1 }))
    for (const [index, id] of ['a', 'b', 'c'].entries()) {
      recent.observe(beginOf(id, { at: 2 + index }))
      recent.observe(endOf(id, { at: 2 + index }))
    }
    expect(recent.list().map(({ id }) => id)).toEqual(['c', 'b', 'runs'])
    recent.observe(endOf('runs', { at: 1 }))
    expect(recent.get('runs')?.outcome).toBe('completed')
  })

  it('never holds more than it may, whatever comes, and always the newest end', () => {
    const step = fc.record({ kind: fc.constantFrom('begin', 'end'), id: fc.integer({ min: 0, max: 30 }) })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), fc.integer({ min: 1, max: 10 }), (steps, max) => {
        const { recent } = setUp(max)
        for (const { kind, id } of steps) {
          recent.observe(kind === 'begin' ? beginOf(`${id}`) : endOf(`${id}`))
          expect(recent.list().length).toBeLessThanOrEqual(max)
          if (kind === 'end' && max > 1) expect(recent.list().length).toBeGreaterThan(0)
        }
      }),
    )
  })
})

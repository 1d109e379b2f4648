import { describe, expect, it } from 'vitest'
import { chatDraft } from '../../test/support/chat-draft.ts'
import { scriptedContext } from '../../test/support/scripted-context.ts'
import { systemClock } from '../clock/clock.ts'
import type { Lease, LimitContext } from '../contracts/limiter.ts'
import { concurrent, requests } from '../rate-limiting/rule.ts'
import { guardPolicies } from './guard-policies.ts'

const never = () => new Promise<never>(() => {})
const ann = { id: 'ann' }
const request = new Request('http://sluice.test/')
const draft = chatDraft()
const context = scriptedContext(ann)
const room: LimitContext = {
  entry: 'm',
  requestId: 'req_1',
  targets: [],
  price: () => null,
  signal: new AbortController().signal,
}

describe('guardPolicies', () => {
  it('leaves what is there at once as it is', () => {
    const { authenticate, authorize } = guardPolicies(
      { authenticate: () => ann, route: () => [], authorize: () => true },
      1_000,
      systemClock,
    )
    expect(authenticate(request, undefined)).toBe(ann)
    expect(authorize(ann, 'm')).toBe(true)
  })

  it('keeps what a route tells of its models', () => {
    const card = { id: 'm', created: 0, owned_by: 'me' }
    const route = Object.assign(() => [], { list: () => [card], targets: () => [] })
    const bounded = guardPolicies({ authenticate: () => ann, route }, 1_000, systemClock).route
    expect(bounded.list?.()).toEqual([card])
    expect(bounded.targets?.()).toEqual([])
    const plain = guardPolicies({ authenticate: () => ann, route: () => [] }, 1_000, systemClock).route
    expect(plain).not.toHaveProperty('list')
  })

  it('times out a function that does not return, and names it', async () => {
    const {
      authenticate,
      route,
      authorize,
      limiter: limit,
    } = guardPolicies(
      { authenticate: never, route: never, authorize: never, limits: { admit: never } },
      10,
      systemClock,
    )
    await expect(authenticate(request, undefined)).rejects.toMatchObject({
      reason: 'authentication_unavailable',
      status: 503,
      cause: { message: '`authenticate` timed out after 10 ms (`timeouts.policyMs`).' },
    })
    await expect(route(draft, context)).rejects.toThrow('`route` timed out')
    await expect(authorize(ann, 'm')).rejects.toThrow('`authorize` timed out')
    await expect(limit?.admit(ann, draft, room)).rejects.toMatchObject({
      reason: 'limiter_unavailable',
      status: 503,
      headers: { 'x-should-retry': 'true' },
      cause: { message: '`limits` timed out after 10 ms (`timeouts.policyMs`).' },
    })
  })

  it('gives back room that comes when nobody waits for it any more, once', async () => {
    const settled: unknown[] = []
    let give: ((lease: Lease) => void) | undefined
    const late = new Promise<Lease>(resolve => {
      give = resolve
    })
    const { limiter: limit } = guardPolicies(
      { authenticate: () => ann, route: () => [], limits: { admit: () => late } },
      10,
      systemClock,
    )
    await expect(limit?.admit(ann, draft, room)).rejects.toMatchObject({ reason: 'limiter_unavailable' })
    give?.({ settle: usage => void settled.push(usage) })
    await late
    await Promise.resolve()
    expect(settled).toEqual([undefined])
  })

  it('waits for room as long as the limiter may, and for its answer', async () => {
    const limit = { admit: never, maxWaitMs: 30 }
    const bounded = guardPolicies(
      { authenticate: () => ann, route: () => [], limits: limit },
      10,
      systemClock,
    )
    await expect(bounded.limiter?.admit(ann, draft, room)).rejects.toMatchObject({
      cause: { message: expect.stringContaining('timed out after 40 ms') },
    })
  })

  it.each([
    ['a rule', requests(1).per('hour')],
    ['rules', [concurrent(9), requests(1).per('hour')]],
    ['a rule of plain data', { kind: 'requests', limit: 1, per: 'hour' } as const],
  ])('makes a limiter of %s', async (_, limit) => {
    const bounded = guardPolicies(
      { authenticate: () => ann, route: () => [], limits: limit },
      1_000,
      systemClock,
    )
    const lease = await bounded.limiter?.admit(ann, draft, room)
    expect(lease?.limits).toMatchObject([{ kind: 'requests', remaining: 0 }])
    expect(() => bounded.limiter?.admit(ann, draft, room)).toThrow(/^Rate limit reached/)
    await lease?.settle(undefined, null)
  })

  it('refuses a rule that it cannot use', () => {
    const make = (limit: unknown) => () =>
      guardPolicies({ authenticate: () => ann, route: () => [], limits: limit as never }, 1_000, systemClock)
    expect(make({ kind: 'requests', limit: 0, per: 'hour' })).toThrow(/expected a whole number from 1/)
    expect(make([requests(1).per('hour'), { kind: 'seats' }])).toThrow(/\[1\]\.kind: got 'seats'/)
  })

  it('hands on what a function rejects with, also by a promise of another library', async () => {
    // biome-ignore lint/suspicious/noThenProperty: it is what is tried
    const thenable = { then: (_: unknown, reject: (error: Error) => void) => reject(new Error('down')) }
    const { authenticate } = guardPolicies(
      { authenticate: () => thenable as unknown as Promise<undefined>, route: () => [] },
      1_000,
      systemClock,
    )
    await expect(authenticate(request, undefined)).rejects.toThrow('down')
    const limits = { admit: () => Promise.reject(new Error('down')) }
    const { limiter } = guardPolicies(
      { authenticate: () => ann, route: () => [], limits },
      1_000,
      systemClock,
    )
    await expect(limiter.admit(ann, draft, room)).rejects.toThrow('down')
  })
})

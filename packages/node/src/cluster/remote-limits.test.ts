import { duplexPair } from 'node:stream'
import type { Counter } from '@sluice/core/store'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Channel } from './channel.ts'
import { RemoteLimitStore } from './remote-limits.ts'
import { StoreHost, StoreSession } from './store-host.ts'

const name = JSON.stringify({ ordinal: 0, sizes: {} })

/** Workers of one primary, in one process. */
function connected(workers = 1) {
  const host = new StoreHost(workers)
  return Array.from({ length: workers }, () => {
    const [one, other] = duplexPair()
    const session = new StoreSession(host)
    const lines: unknown[] = []
    one.on('data', (text: string) => lines.push(...text.trim().split('\n')))
    const primary = new Channel(other, (call, args) => session.handle(call, args))
    const channel = new Channel(one, () => undefined)
    onTestFinished(() => {
      channel.close()
      primary.close()
    })
    return { channel, primary, session, lines, store: new RemoteLimitStore(channel, name) }
  })
}

let ids = 0
const claimOf = (...counters: readonly Counter[]) => ({
  id: String(ids++).padStart(32, '0'),
  ttlMs: 60_000,
  counters,
})
const lease = (limit = 1): Counter => ({ kind: 'lease', key: 'l', limit, dryRun: false })
const rate = (amount: number, floor?: number): Counter => ({
  kind: 'rate',
  key: 'r',
  limit: 10,
  windowMs: 3_600_000,
  amount,
  dryRun: false,
  ...(floor !== undefined && { floor }),
})

describe('RemoteLimitStore', () => {
  it('keeps the order of a turn', async () => {
    const [worker] = connected()
    const { store } = worker!
    const first = claimOf(lease())
    const before = store.admit(first)
    const refused = store.admit(claimOf(lease()))
    expect([(await before).allowed, (await refused).allowed]).toEqual([true, false])
    const tooEarly = store.admit(claimOf(lease()))
    store.settle({ ...first, charged: [0] })
    const inTime = store.admit(claimOf(lease()))
    expect([(await tooEarly).allowed, (await inTime).allowed]).toEqual([false, true])
  })

  it('settles a claim once, and uses its number again', async () => {
    const [worker] = connected()
    const { store } = worker!
    for (let round = 0; round < 300; round++) {
      const claims = [claimOf(lease(2), rate(3, 1)), claimOf(lease(2), rate(3, 1))]
      const decisions = await Promise.all(claims.map(claim => store.admit(claim)))
      expect(decisions.map(({ allowed }) => allowed)).toEqual([true, true])
      for (const claim of claims) {
        for (let count = 0; count < 2; count++) store.settle({ ...claim, charged: [0, 0] })
      }
    }
    expect((await store.admit(claimOf(rate(10, 0)))).allowed).toBe(true)
  })

  it('rejects amounts that are no whole numbers, and can be settled afterwards', async () => {
    const [worker] = connected()
    const { store } = worker!
    const claim = claimOf(rate(10, 0))
    await store.admit(claim)
    for (const amount of [Number.NaN, -1, 0.5, Number.POSITIVE_INFINITY]) {
      expect(() => store.settle({ ...claim, charged: [amount] })).toThrow(TypeError)
    }
    store.settle({ ...claim, charged: [4] })
    expect((await store.admit(claimOf(rate(6)))).allowed).toBe(true)
  })

  it('has no answer to settlements alone', async () => {
    const [worker] = connected()
    const { store, channel, lines } = worker!
    const claim = claimOf(lease())
    await store.admit(claim)
    const before = lines.length
    store.settle({ ...claim, charged: [0] })
    const settled = channel.lines
    await expect.poll(() => channel.lines).toBe(settled + 1)
    await channel.call('ping')
    expect(lines).toHaveLength(before + 1)
  })

  it('returns what the store of the primary decided', async () => {
    const [worker] = connected()
    const { store } = worker!
    const forever: Counter = {
      kind: 'sum',
      key: 's',
      limit: 10,
      window: 'ever',
      amount: 4,
      floor: 1,
      dryRun: false,
    }
    expect(await store.admit(claimOf(forever, rate(1)))).toEqual({
      allowed: true,
      counters: [
        { over: false, remaining: 6, resetMs: Number.POSITIVE_INFINITY, waitMs: 0 },
        { over: false, remaining: 9, resetMs: 360_000, waitMs: 0 },
      ],
    })
    const over = await store.admit(claimOf({ ...forever, amount: 11 }))
    expect(over).toEqual({
      allowed: false,
      counters: [
        {
          over: true,
          remaining: 6,
          resetMs: Number.POSITIVE_INFINITY,
          waitMs: Number.POSITIVE_INFINITY,
        },
      ],
    })
  })

  it('rejects an invalid claim, and decides the others of its turn', async () => {
    const [worker] = connected()
    const { store } = worker!
    const results = await Promise.allSettled([
      store.admit(claimOf(rate(1))),
      store.admit(claimOf(rate(1.5))),
      store.admit(claimOf(rate(2))),
    ])
    expect(results.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled'])
    expect((results[1] as PromiseRejectedResult).reason.message).toContain('got the amount 1.5')
    expect((await store.admit(claimOf(rate(7)))).allowed).toBe(true)
  })

  it('fails all of a turn if the primary ends, and what follows', async () => {
    const [worker] = connected()
    const { store, primary } = worker!
    const held = claimOf(lease(9))
    await store.admit(held)
    const pending = [store.admit(claimOf(lease(9))), store.admit(claimOf(lease(9)))]
    store.settle({ ...held, charged: [0] })
    primary.close()
    for (const { status, ...result } of await Promise.allSettled(pending)) {
      expect(status).toBe('rejected')
      expect(String((result as PromiseRejectedResult).reason)).toContain('The other process has ended.')
    }
    await worker!.channel.closed
    await expect(store.admit(claimOf(lease(9)))).rejects.toThrow('The other process has ended.')
    // Settled already. One that is not is an error, so that the limiter tries again.
    store.settle({ ...held, charged: [0] })
  })

  it('fails calls before a primary that does not read takes all memory', async () => {
    const [one] = duplexPair()
    const channel = new Channel(one, () => undefined)
    onTestFinished(() => channel.close())
    const store = new RemoteLimitStore(channel, name)
    const counters = Array.from({ length: 300 }, (_, at) => ({ ...lease(), key: `${at}` }))
    let error: unknown
    for (let count = 0; count < 2_000 && error === undefined; count++) {
      store.admit(claimOf(...counters)).catch(reason => {
        error = reason
      })
      if (count % 100 === 0) await null
    }
    await expect.poll(() => error).toMatchObject({ message: expect.stringContaining('does not read') })
  })
})

describe('the primary', () => {
  it.each([
    ['no list', 'text'],
    ['an unknown operation', [9]],
    ['a list as an operation', [[1]]],
    ['too few values', [1, 0, 60_000, 2, 0, 1, -1]],
    ['an amount of values that is no number', [1, 0, 60_000, '0']],
    ['a negative number of values', [1, 0, 60_000, -2]],
    ['a fraction of values', [1, 0, 60_000, 0.5]],
    ['a huge number of values', [2, 0, Number.MAX_SAFE_INTEGER]],
    ['a slot that is not the next one', [1, 7, 60_000, 0]],
    ['a slot that is in use', [1, 0, 60_000, 1, [0, lease(3)], 0, -1, 1, 0, 60_000, 0]],
    ['a negative slot', [1, -1, 60_000, 0]],
    ['a name as a slot', [2, '__proto__', 0]],
    ['a settlement without a claim', [2, 0, 1, 5]],
    ['a settlement with no amount', [1, 0, 60_000, 1, [0, lease(3)], 0, -1, 2, 0, 1, null]],
    ['a settlement with too few amounts', [1, 0, 60_000, 1, [0, lease(3)], 0, -1, 2, 0, 0]],
  ])('ends the connection of a worker that sends %s, and releases its claims', async (_, values) => {
    const [hostile, other] = connected(2)
    expect((await other!.store.admit(claimOf(lease(2)))).allowed).toBe(true)
    hostile!.channel.notify('limits', name, values)
    await hostile!.primary.closed
    expect(hostile!.primary.isUnreadable).toBe(true)
    hostile!.session.end()
    const admit = async () => (await other!.store.admit(claimOf(lease(2)))).allowed
    await expect.poll(admit).toBe(true)
    expect((await other!.store.admit(claimOf(lease(2)))).allowed).toBe(false)
  })

  it('rejects a counter that a worker has not sent, and goes on', async () => {
    const [worker] = connected()
    const { channel, store } = worker!
    const [reason] = (await channel.call('limits', name, [1, 0, 60_000, 1, 99, 1, -1])) as [string]
    expect(reason).toContain('unknown')
    for (const first of [null, {}, 'text', [0], [0, null], [0, 7], ['key', { kind: 'rate' }]]) {
      const answer = (await channel.call('limits', name, [1, 0, 60_000, 1, first, 1, -1])) as unknown[]
      expect(answer).toEqual([expect.any(String)])
    }
    expect((await store.admit(claimOf(rate(10)))).allowed).toBe(true)
  })

  it('admits nothing of a worker that has ended', async () => {
    const [ended, other] = connected(2)
    ended!.session.end()
    await expect(ended!.store.admit(claimOf(lease(1)))).rejects.toThrow('The worker has ended.')
    expect((await other!.store.admit(claimOf(lease(1)))).allowed).toBe(true)
  })

  it('does not let a worker settle the claims of another', async () => {
    const [one, other] = connected(2)
    await one!.store.admit(claimOf(lease(1)))
    other!.channel.notify('limits', name, [2, 0, 1, 0])
    await other!.primary.closed
    expect((await one!.store.admit(claimOf(lease(1)))).allowed).toBe(false)
  })
})

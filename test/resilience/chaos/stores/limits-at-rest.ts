import { randomUUID } from 'node:crypto'
import { type LimitStore, limits } from '@sluice/core'
import type { Counter, SumCounter } from '@sluice/core/store'
import { redisLimitStore } from '@sluice/redis'
import { Redis } from 'ioredis'
import { chatDraft } from '../../../../packages/core/test/support/chat-draft.ts'
import { rulesOf, vendor } from '../gateway/terms.ts'

/** What the limits remember when nobody asks any more. Money is in billionths of a dollar. */
export interface LimitsAtRest {
  /** What each caller has spent. */
  readonly spent: ReadonlyMap<string, number>
  /** What all of them have. */
  readonly total: number
  /** Requests that are still counted as being under way. */
  readonly leases: number
  /** Tokens of the rate that are not free again. */
  readonly tokens: number
  /** What is still held of any count, by key: there should be none. */
  readonly holds: readonly string[]
  /** Claims that were never settled: they are remembered for an hour, and hold nothing. */
  readonly unsettled: number
  /** Keys that would stay for ever. */
  readonly endless: readonly string[]
}

/** Reads the counts of these callers through the store's own contract, and what is held from Redis itself. */
export async function limitsAtRest(
  port: number,
  atOnce: number,
  marks: readonly string[],
): Promise<LimitsAtRest> {
  const redis = new Redis(port, '127.0.0.1', { lazyConnect: true })
  redis.on('error', () => {})
  try {
    await redis.connect()
    const store = redisLimitStore(redis)
    const spent = new Map<string, number>()
    for (let at = 0; at < marks.length; at += 200) {
      const part = marks.slice(at, at + 200)
      const sums = await Promise.all(
        part.map(async mark => used(store, sumsOf(await countersOf(mark, atOnce)).own)),
      )
      for (const [index, mark] of part.entries()) spent.set(mark, sums[index] ?? Number.NaN)
    }
    const counters = await countersOf('nobody', atOnce)
    const rate = counters.find(({ kind }) => kind === 'rate')
    const lease = counters.find(({ kind }) => kind === 'lease')
    if (rate === undefined || lease === undefined) throw new Error('The rules make no such counts.')
    const [total, tokens, leases] = [
      await used(store, sumsOf(counters).shared),
      await used(store, rate),
      // One of them is the one that asks.
      (await used(store, lease)) - 1,
    ]
    return { spent, total, tokens, leases, ...(await keysIn(redis)) }
  } finally {
    redis.disconnect()
  }
}

/** How much of a count is used, by a claim that takes nothing and is settled at once. */
async function used(store: LimitStore, counter: Counter): Promise<number> {
  const asked = counter.kind === 'lease' ? counter : { ...counter, amount: 0, floor: 0 }
  const claim = { id: randomUUID().replaceAll('-', ''), ttlMs: 1_000, counters: [asked] }
  const { counters } = await store.admit(claim)
  await store.settle({ ...claim, charged: [0] })
  return counter.limit - (counters[0]?.remaining ?? Number.NaN)
}

/** The counts that a request of this caller has. */
async function countersOf(mark: string, atOnce: number): Promise<readonly Counter[]> {
  let counters: readonly Counter[] = []
  const store: LimitStore = {
    admit(claim) {
      counters = claim.counters
      const states = counters.map(({ limit }) => ({ over: false, remaining: limit, resetMs: 0, waitMs: 0 }))
      return { allowed: true, counters: states }
    },
    settle() {},
    renew() {},
  }
  const lease = await limits(rulesOf(atOnce), { store }).admit(
    { id: mark },
    chatDraft({ model: 'paid', body: { model: 'paid', messages: [] } }),
    {
      entry: 'm',
      requestId: mark,
      targets: [vendor(1)],
      price: () => 0,
      signal: new AbortController().signal,
    },
  )
  await lease.settle(undefined, null)
  return counters
}

function sumsOf(counters: readonly Counter[]): { own: SumCounter; shared: SumCounter } {
  const sums = counters.filter(counter => counter.kind === 'sum')
  const own = sums.find(({ key }) => key.includes('key='))
  const shared = sums.find(({ key }) => !key.includes('key='))
  if (own === undefined || shared === undefined) throw new Error('The rules make no such sums.')
  return { own, shared }
}

async function keysIn(redis: Redis): Promise<Pick<LimitsAtRest, 'holds' | 'unsettled' | 'endless'>> {
  const keys = await redis.keys('*')
  const holds: string[] = []
  const endless: string[] = []
  for (const key of keys) {
    if (/-held:/.test(key) && (await redis.zcard(key)) > 0) holds.push(key)
    if ((await redis.pttl(key)) === -1) endless.push(key)
  }
  return { holds, endless, unsettled: keys.filter(key => key.includes(':claim:')).length }
}

import type { LimitStore } from '@sluice/core'
import type { Counter, LimitDecision } from '@sluice/core/store'
import fc from 'fast-check'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { memoryLimitStore } from '../../packages/core/src/rate-limiting/memory-limit-store.ts'
import { createLimitStore } from '../../packages/redis/src/limit-store.ts'
import { scriptRunner } from '../../packages/redis/src/redis-client.ts'
import { storeKeys } from '../../packages/redis/src/store-keys.ts'
import { runsOf } from '../fuzz/runs.ts'
import { describeWithRedis } from './servers/describe-with-redis.ts'
import { RedisServer } from './servers/redis-server.ts'

type Step =
  | { readonly does: 'admit'; readonly ttlMs: number; readonly counters: readonly Counter[] }
  | { readonly does: 'settle'; readonly claim: number; readonly charged: readonly number[] }
  | { readonly does: 'renew'; readonly claims: readonly number[]; readonly ttlMs: number }
  | { readonly does: 'wait'; readonly ms: number }

const minute = 60_000
const hour = 60 * minute

/** The same counts, of which claims take now this and now that. */
const counters: fc.Arbitrary<Counter>[] = [
  fc.record({ amount: fc.nat(9) }).map(({ amount }) => ({
    ...{ kind: 'rate', key: 'requests', limit: 7, windowMs: minute, dryRun: false, amount },
  })),
  ...[false, true].map(dryRun =>
    taken(12_000).map((taken): Counter => {
      return { kind: 'rate', key: `tokens ${dryRun}`, limit: 9_000, windowMs: 50_000, dryRun, ...taken }
    }),
  ),
  ...(['hour', 'day', 'week', 'month', 'ever'] as const).map(window =>
    taken(1_100_000_000_000).map((taken): Counter => {
      return {
        kind: 'sum',
        key: window,
        limit: 1_000_000_000_000,
        window,
        dryRun: window === 'week',
        ...taken,
      }
    }),
  ),
  ...[false, true].map(dryRun =>
    fc.constant<Counter>({ kind: 'lease', key: `slots ${dryRun}`, limit: 2, dryRun }),
  ),
]

function taken(most: number): fc.Arbitrary<{ amount: number; floor: number }> {
  return fc.tuple(fc.nat(most), fc.nat(100)).map(([amount, part]) => ({
    amount,
    floor: Math.floor((amount * part) / 100),
  }))
}

const ttlMs = fc.constantFrom(1, 500, 30_000, 2 * hour)
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      does: fc.constant('admit' as const),
      ttlMs,
      counters: fc
        .shuffledSubarray(counters, { minLength: 1, maxLength: 4 })
        .chain(chosen => fc.tuple(...chosen)),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('settle' as const),
      claim: fc.nat(20),
      charged: fc.array(fc.oneof(fc.nat(9_000), fc.nat(2_500_000_000_000)), { minLength: 4, maxLength: 4 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      does: fc.constant('renew' as const),
      claims: fc.array(fc.nat(20), { maxLength: 5 }),
      ttlMs,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      does: fc.constant('wait' as const),
      ms: fc.oneof(
        fc.nat(2_000_000).map(us => us / 1_000),
        fc.constantFrom(1, 500, 30_000, minute, hour, 24 * hour, 168 * hour),
        fc.nat(62 * 24 * hour),
      ),
    }),
  },
)

const trace = fc.record({
  from: fc.integer({ min: Date.UTC(2023, 0), max: Date.UTC(2030, 0) }),
  steps: fc.array(step, { minLength: 1, maxLength: 40, size: 'max' }),
})

const slot: Counter = { kind: 'lease', key: 'slot', limit: 1, dryRun: false }
const warmUp: readonly Step[] = [
  { does: 'admit', ttlMs: 1, counters: [slot] },
  { does: 'settle', claim: 0, charged: [0] },
  { does: 'renew', claims: [0], ttlMs: 1 },
]

describeWithRedis('Redis and memory', () => {
  let server: RedisServer
  let client: Redis
  beforeAll(async () => {
    server = await RedisServer.start()
    client = new Redis(server.url)
  })
  afterAll(async () => {
    client.disconnect()
    await server.stop()
  })

  it('decide every trace alike, decision by decision', { timeout: 600_000 }, async () => {
    let runs = 0
    // A script that is not known yet would be sent a second time, out of order.
    await play(createLimitStore(scriptRunner(client), storeKeys('first')), warmUp, { at: 0 }, 0)
    for (const { seed, cases } of runsOf(20_000, 200)) {
      await fc.assert(
        fc.asyncProperty(trace, async ({ from, steps }) => {
          const clock = { at: from }
          const now = () => clock.at
          const inMemory = await play(memoryLimitStore({ now }), steps, clock, from)
          const redis = createLimitStore(scriptRunner(client), storeKeys(`trace-${++runs}`), now)
          expect(await play(redis, steps, clock, from)).toEqual(inMemory)
        }),
        { seed, numRuns: cases },
      )
    }
  })
})

/**
 * Gives each verdict. What a store is asked is sent at once and stays in order: the clock is read when it is asked.
 */
async function play(
  store: LimitStore,
  steps: readonly Step[],
  clock: { at: number },
  from: number,
): Promise<LimitDecision[]> {
  const claims: { id: string; counters: readonly Counter[] }[] = []
  const verdicts: (LimitDecision | Promise<LimitDecision>)[] = []
  const done: (void | Promise<void>)[] = []
  clock.at = from
  for (const step of steps) {
    if (step.does === 'wait') {
      clock.at += step.ms
    } else if (step.does === 'admit') {
      const id = claims.length.toString(16).padStart(32, '0')
      claims.push({ id, counters: step.counters })
      verdicts.push(store.admit({ id, ttlMs: step.ttlMs, counters: step.counters }))
    } else if (step.does === 'settle') {
      const claim = claims[step.claim]
      if (claim === undefined) continue
      const charged = claim.counters.map((_, index) => step.charged[index] ?? 0)
      done.push(store.settle({ ...claim, charged }))
    } else {
      const known = step.claims.flatMap(index => claims[index] ?? [])
      done.push(store.renew(known, step.ttlMs))
    }
  }
  await Promise.all(done)
  return (await Promise.all(verdicts)).map(rounded)
}

/** Times to the microsecond. */
function rounded({ allowed, counters }: LimitDecision): LimitDecision {
  return {
    allowed,
    counters: counters.map(state => ({
      ...state,
      resetMs: Math.round(state.resetMs * 1_000),
      waitMs: Math.round(state.waitMs * 1_000),
    })),
  }
}

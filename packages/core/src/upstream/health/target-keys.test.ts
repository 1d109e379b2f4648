import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ManualClock } from '../../../test/support/manual-clock.ts'
import { failure } from '../../../test/support/scripted-book.ts'
import { scriptedSharedHealth } from '../../../test/support/scripted-shared-health.ts'
import type { ProviderKeyEvent, StoreEvent, TargetEvent } from '../../contracts/events.ts'
import type { HealthCall, HealthRecord, KeyUse } from '../../contracts/target-health.ts'
import { seededRandom } from '../../primitives/seeded-random.ts'
import type { HealthSettings } from './health-options.ts'
import { defaultBreaker, defaultRetry } from './health-options.ts'
import { healthRegistry } from './health-registry.ts'
import { pickByWeight } from './target-keys.ts'

type Event = TargetEvent | ProviderKeyEvent | StoreEvent

/** The health of a target with keys of the same weight. */
function keyed(ids: readonly string[], given: Partial<HealthSettings> = {}) {
  const clock = new ManualClock()
  const events: Event[] = []
  const settings: HealthSettings = {
    breaker: defaultBreaker,
    retry: defaultRetry,
    random: () => 0.5,
    clock,
    shared: undefined,
    changed: event => events.push(event),
    ...given,
  }
  const registry = healthRegistry(settings, { began: () => {}, ended: () => false })
  const provider = { name: 'north', keys: ids.map(id => ({ id, weight: 1 })) }
  const record = registry.of({ provider, model: 'm' })
  return { clock, events, record, registry, provider }
}

const use = (random: () => number = () => 0): KeyUse => ({ random, failed: [], forbidden: new Map() })
const of = (digest: string) => ({ digest })

function begin(record: HealthRecord, now: number, principal: string, keys = use()): HealthCall | undefined {
  const call = record.begin(now, false, of(principal), keys)
  return 'ended' in call ? call : undefined
}

describe('the keys of a target', () => {
  it('are skipped while they are in cooldown, and used again after it', () => {
    const { record, events } = keyed(['a', 'b'])
    const first = begin(record, 0, 'ann')!
    expect(first.key).toBe('a')
    first.ended(failure(429, 5_000), 0)
    expect(first.hasOtherKey).toBe(true)
    const second = begin(record, 1, 'ann')!
    expect(second.key).toBe('b')
    second.ended(failure(429, 3_000), 1)
    expect(second.hasOtherKey).toBe(false)
    expect(record.begin(2, false, of('ann'), use())).toEqual({
      ...{ state: 'cooldown', waitMs: 2_999, reason: 'rate_limited' },
    })
    expect(record.view(2, of('ann'))).toMatchObject({ state: 'cooldown', scope: 'principal', waitMs: 2_999 })
    expect(begin(record, 3_000, 'ann')).toBeUndefined()
    expect(begin(record, 3_001, 'ann')?.key).toBe('b')
    expect(begin(record, 5_000, 'ann')?.key).toBe('a')
    expect(events).toMatchObject([
      { type: 'provider_key', key: 'a', state: 'cooldown', waitMs: 5_000 },
      { type: 'provider_key', key: 'b', state: 'cooldown', waitMs: 3_000 },
      { type: 'target', state: 'cooldown', waitMs: 3_000 },
      { type: 'target', state: 'closed' },
      { type: 'provider_key', key: 'b', state: 'available', waitMs: 0 },
      { type: 'provider_key', key: 'a', state: 'available', waitMs: 0 },
    ])
  })

  it('allow one that was rejected once a second where there is no other target', () => {
    const { record } = keyed(['a', 'b'])
    begin(record, 0, 'ann')!.ended(failure(401), 0)
    begin(record, 0, 'ann')!.ended(failure(429, 30_000), 0)
    const lastResort = (now: number, principal: string) => record.begin(now, true, of(principal), use())
    expect(record.lastResortMs(0, of('ann'))).toBe(1_000)
    expect(lastResort(500, 'ann')).toMatchObject({ state: 'cooldown' })
    const call = lastResort(1_000, 'ann')
    // Not the one that the vendor limits.
    expect(call).toMatchObject({ key: 'a' })
    expect(lastResort(1_500, 'ann')).toMatchObject({ state: 'cooldown' })
    ;(call as HealthCall).answered(1_600, true)
    expect(begin(record, 1_700, 'ann')?.key).toBe('a')
  })

  it('are shared with other processes, but not why one was rejected here', async () => {
    const clock = new ManualClock()
    const shared = scriptedSharedHealth(clock.monotonic)
    const one = keyed(['a', 'b'], { clock, shared })
    const other = keyed(['a', 'b'], { clock, shared })
    for (const principal of ['ann', 'bob']) {
      begin(one.record, 0, principal)!.ended(failure(429, 20_000), 0)
    }
    begin(one.record, 0, 'cem')!.ended(failure(401), 0)
    begin(other.record, 0, 'dee')!.ended(undefined, 0)
    await clock.pass(2_500)
    const now = clock.monotonic()
    expect(other.record.view(now, of('dee')).keys).toMatchObject([
      { id: 'a', reason: 'rate_limited' },
      { id: 'b', waitMs: 0 },
    ])
    expect(begin(other.record, now, 'dee')?.key).toBe('b')
    expect(other.events).toMatchObject([{ type: 'provider_key', key: 'a', scope: 'all', error: undefined }])
    // A model of this name has a health of its own.
    const named = other.registry.of({ provider: { name: 'north' }, model: 'm/a' })
    expect(named.waitMs(now)).toBe(0)
    await clock.pass(20_000)
    expect(begin(other.record, clock.monotonic(), 'dee')?.key).toBe('a')
  })

  it('keep their cooldowns where the models of callers crowd them out', () => {
    const { record, registry, provider } = keyed(['a', 'b'])
    begin(record, 0, 'ann')!.ended(failure(429, 50_000), 0)
    for (let index = 0; index < 3_000; index++) registry.of({ provider, model: `m${index}` })
    expect(begin(registry.of({ provider, model: 'm' }), 1, 'ann')?.key).toBe('b')
  })

  it('have cooldowns per principal, and for all once two have one, whatever happens', () => {
    const ids = ['a', 'b', 'c']
    const principals = ['ann', 'bob', 'cem']
    const step = fc.record({
      principal: fc.constantFrom(...principals),
      waitMs: fc.nat(4_000),
      chance: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
      ms: fc.option(fc.integer({ min: 1_000, max: 10_000 }), { nil: undefined }),
    })
    fc.assert(
      fc.property(fc.array(step, { maxLength: 80 }), steps => {
        const { record, events } = keyed(ids)
        const given: { key: string; principal: string; until: number }[] = []
        let now = 0
        /** When a principal may use a key: its own cooldowns count, and the second longest of all principals. */
        const untilOf = (key: string, principal: string) => {
          const longest = principals.map(each =>
            Math.max(
              0,
              ...given.filter(it => it.key === key && it.principal === each).map(({ until }) => until),
            ),
          )
          const second = longest.toSorted((one, other) => other - one)[1]!
          return Math.max(second, longest[principals.indexOf(principal)]!)
        }
        for (const { principal, waitMs, chance, ms } of steps) {
          now += waitMs
          const available = ids.filter(key => untilOf(key, principal) <= now)
          const call = begin(
            record,
            now,
            principal,
            use(() => chance),
          )
          const view = record.view(now, of(principal))
          const soonest = Math.min(...ids.map(key => untilOf(key, principal))) - now
          expect(view.waitMs).toBe(Math.max(0, soonest))
          expect(view.keys!.map(key => key.waitMs)).toEqual(
            ids.map(key => Math.max(0, untilOf(key, principal) - now)),
          )
          if (call === undefined) expect(available).toEqual([])
          else {
            expect(call.key).toBe(available[Math.floor(chance * available.length)])
            call.ended(ms === undefined ? undefined : failure(429, ms), now)
            if (ms !== undefined) given.push({ key: call.key!, principal, until: now + ms })
            const left = ids.filter(key => untilOf(key, principal) <= now)
            expect(call.hasOtherKey).toBe(ms !== undefined && left.length > 0)
          }
        }
        expect(events.every(event => event.type !== 'target' || event.state !== 'open')).toBe(true)
        for (const id of ids) {
          const states = events.flatMap(event =>
            event.type === 'provider_key' && event.key === id ? [`${event.state} ${event.scope}`] : [],
          )
          for (let index = 1; index < states.length; index++)
            expect(states[index]).not.toBe(states[index - 1])
        }
      }),
      { numRuns: 300 },
    )
  })
})

describe('pickByWeight', () => {
  it('never picks a weight of 0 beside others, and picks by share', () => {
    fc.assert(
      fc.property(
        fc.array(fc.oneof(fc.constant(0), fc.double({ min: 0.01, max: 100, noNaN: true })), {
          minLength: 1,
          maxLength: 8,
        }),
        fc.integer(),
        (weights, seed) => {
          const random = seededRandom(seed >>> 0)
          const entries = weights.map((weight, index) => ({ weight, index }))
          const total = weights.reduce((sum, weight) => sum + weight, 0)
          const counts = weights.map(() => 0)
          const runs = 1_000
          for (let run = 0; run < runs; run++) {
            const { index } = pickByWeight(entries, random)
            counts[index] = counts[index]! + 1
          }
          for (const [index, weight] of weights.entries()) {
            const share = total === 0 ? 1 / weights.length : weight / total
            if (share === 0) expect(counts[index]).toBe(0)
            expect(Math.abs(counts[index]! / runs - share)).toBeLessThan(0.1)
          }
        },
      ),
      { numRuns: 100 },
    )
  })

  it('picks an entry for each random number, whatever the rounding', () => {
    const entries = [{ weight: 0.1 }, { weight: 0.2 }, { weight: 0.7 }, { weight: 0 }]
    expect(pickByWeight(entries, () => 1 - 2 ** -53)).toBe(entries[2])
    expect(pickByWeight(entries, () => 0)).toBe(entries[0])
  })
})

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BreakerOptions } from '../../contracts/call-options.ts'
import { Breaker } from './breaker.ts'

const options: BreakerOptions = {
  failures: 4,
  errorRate: 0.4,
  minCalls: 8,
  windowMs: 1_000,
  openMs: 500,
  maxOpenMs: 3_000,
  cooldownMs: 1_000,
}

interface Call {
  /** Which of the oracle's epochs it began in. */
  readonly epoch: number
  readonly generation: number
}

/** The rules once more, over a list of everything that happened. */
class Oracle {
  epoch = 0
  openings = 0
  state:
    | 'closed'
    | { readonly until: number; readonly probes: Call[]; probe: Call | undefined; probedAt: number } =
    'closed'
  ends: { readonly at: number; readonly failed: boolean }[] = []

  waits(now: number): boolean {
    if (this.state === 'closed') return false
    return now < this.state.until || (this.state.probe !== undefined && now < this.state.probedAt + 30_000)
  }

  ended(call: Call, what: 'success' | 'failure' | 'neutral', now: number): void {
    if (this.state !== 'closed') {
      if (!this.state.probes.includes(call)) return
      if (what === 'neutral') {
        if (call === this.state.probe) this.state.probe = undefined
      } else if (what === 'success') this.#enter('closed')
      else this.#open(now)
    } else if (call.epoch === this.epoch && what !== 'neutral') {
      this.ends.push({ at: now, failed: what === 'failure' })
      if (what === 'failure' && this.#tooMany(now)) this.#open(now)
    }
  }

  #tooMany(now: number): boolean {
    const last = this.ends.slice(-options.failures)
    if (last.length === options.failures && last.every(({ failed }) => failed)) return true
    const tick = (at: number) => Math.floor((at * 10) / options.windowMs)
    const recent = this.ends.filter(({ at }) => tick(at) > tick(now) - 10)
    const failed = recent.filter(end => end.failed).length
    return recent.length >= options.minCalls && failed / recent.length >= options.errorRate
  }

  #open(now: number): void {
    const ms = Math.min(options.openMs * 2 ** this.openings, options.maxOpenMs)
    const openings = this.openings + 1
    this.#enter({ until: now + ms, probes: [], probe: undefined, probedAt: 0 })
    this.openings = openings
  }

  #enter(state: Oracle['state']): void {
    this.epoch++
    this.ends = []
    this.openings = 0
    this.state = state
  }
}

const step = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant('begin' as const) }) },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('success' as const, 'failure' as const, 'failure' as const, 'neutral' as const),
      which: fc.nat(),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(900) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('wait' as const), ms: fc.nat(130_000) }) },
)

describe('Breaker', () => {
  it('does what the rules say, whatever happens in whatever order', () => {
    fc.assert(
      fc.property(fc.array(step, { maxLength: 200 }), steps => {
        const breaker = new Breaker()
        const oracle = new Oracle()
        const running: Call[] = []
        let now = 0
        for (const taken of steps) {
          if (taken.kind === 'wait') now += taken.ms
          else if (taken.kind === 'begin') {
            if (breaker.waitMs(now) === 0) {
              if (breaker.state(now) !== 'closed') breaker.probe(now)
              const call = { epoch: oracle.epoch, generation: breaker.generation }
              running.push(call)
              if (oracle.state !== 'closed') {
                oracle.state.probes.push(call)
                Object.assign(oracle.state, { probe: call, probedAt: now })
              }
            }
          } else if (running.length > 0) {
            const call = running.splice(taken.which % running.length, 1)[0]!
            if (taken.kind === 'success') breaker.succeeded(call.generation, now, options)
            else if (taken.kind === 'neutral') breaker.releaseProbe(call.generation)
            else breaker.failed(call.generation, now, options, () => 0.5)
            oracle.ended(call, taken.kind, now)
          }
          expect(breaker.waitMs(now) > 0).toBe(oracle.waits(now))
          expect(breaker.state(now) === 'closed').toBe(oracle.state === 'closed')
          if (oracle.state !== 'closed' && now < oracle.state.until) {
            expect(breaker.state(now)).toBe('open')
            expect(breaker.waitMs(now)).toBe(oracle.state.until - now)
          }
        }
      }),
      { numRuns: 500 },
    )
  })
})

const call = fc.record({
  principal: fc.constantFrom('ann', 'bob', 'cem'),
  fails: fc.boolean(),
  waitMs: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(700) }),
})

describe('a Breaker that several principals use', () => {
  it('is never open for others by what a single one of them sees', () => {
    fc.assert(
      fc.property(fc.array(call, { maxLength: 200 }), calls => {
        const breaker = new Breaker()
        let now = 0
        for (const { principal, fails, waitMs } of calls) {
          now += waitMs
          const wait = breaker.waitMs(now, principal)
          if (principal !== 'ann') expect(wait).toBe(0)
          if (wait > 0) continue
          let { generation } = breaker
          if (breaker.holds(principal)) {
            breaker.probe(now)
            generation = breaker.generation
          } else if (!breaker.closed) generation = breaker.openGeneration
          if (fails && principal === 'ann') {
            breaker.failed(generation, now, options, () => 0.5, { principal, reason: 'overloaded' })
          } else breaker.succeeded(generation, now, options, principal)
          expect(breaker.closed || breaker.openFor === 'ann').toBe(true)
        }
      }),
      { numRuns: 500 },
    )
  })

  it('is open for all after few failures, whoever saw them, where nobody is answered', () => {
    fc.assert(
      fc.property(fc.array(fc.nat(5), { minLength: 40, maxLength: 40 }), principals => {
        const breaker = new Breaker()
        let calls = 0
        for (const each of principals) {
          const principal = `p${each}`
          if (breaker.waitMs(0, principal) > 0) continue
          calls++
          const generation = breaker.closed ? breaker.generation : breaker.openGeneration
          breaker.failed(generation, 0, options, () => 0.5, { principal, reason: 'overloaded' })
        }
        // Of one principal half of them count, and two have to see it.
        expect(calls).toBeLessThanOrEqual(options.failures + options.failures / 2)
        const isSingle = new Set(principals).size === 1
        if (!isSingle) expect([breaker.closed, breaker.openFor]).toEqual([false, undefined])
      }),
      { numRuns: 500 },
    )
  })

  it('lets others probe sooner than the principal whose probes fail', () => {
    const breaker = new Breaker()
    const fail = (principal: string, now: number) =>
      breaker.failed(breaker.generation, now, options, () => 0.5, { principal, reason: 'overloaded' })
    for (const principal of ['ann', 'ann', 'bob', 'bob']) fail(principal, 0)
    expect(breaker.openFor).toBeUndefined()
    for (const at of [500, 1_500]) {
      expect(breaker.waitMs(at, 'ann')).toBe(0)
      breaker.probe(at)
      fail('ann', at)
    }
    expect([breaker.waitMs(1_500, 'ann'), breaker.waitMs(1_500, 'bob')]).toEqual([2_000, 500])
    expect(breaker.openMs(1_500)).toBe(2_000)
  })
})

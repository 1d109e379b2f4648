import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { BreakerOptions } from '../../health-options.ts'
import { Breaker } from './breaker.ts'

const options: BreakerOptions = {
  failures: 4,
  errorRate: 0.4,
  minCalls: 8,
  windowMs: 1_000,
  openMs: 500,
  maxOpenMs: 3_000,
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
            else if (taken.kind === 'neutral') breaker.letGo(call.generation)
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

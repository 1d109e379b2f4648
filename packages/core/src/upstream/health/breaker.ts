import type { BreakerOptions } from '../../health-options.ts'
import { RecentCount } from './recent-count.ts'

export type BreakerState = 'closed' | 'open' | 'half_open'

/** Beside a probe that has not ended after so long, in milliseconds, another may be made: some answers take minutes. */
export const probeMs = 30_000

/** How soon to ask again where a probe is under way, in milliseconds: nobody knows how long it takes. */
export const probedMs = 1_000

/**
 * Opens when a target fails too often, and lets one call at a time probe it when it was open for long enough. Each
 * opening, closing and probe is a new generation: what a call from before the opening comes to says nothing any more.
 */
export class Breaker {
  readonly #calls = new RecentCount()
  readonly #failures = new RecentCount()
  #generation = 0
  /** That in which it was opened. */
  #opened = 0
  #closed = true
  #inARow = 0
  /** How often it was opened since it was last closed. */
  #openings = 0
  #openUntil = 0
  /** From when on it may be probed where nothing else is left. */
  #lastResortAt = 0
  #probedUntil: number | undefined
  /** Counts openings and closings. */
  #changes = 0

  /** Another number after each opening and closing. */
  get changes(): number {
    return this.#changes
  }

  /** What a call has to be judged by. */
  get generation(): number {
    return this.#generation
  }

  /** How often it was opened since it was last closed. */
  get openings(): number {
    return this.#openings
  }

  state(now: number): BreakerState {
    if (this.#closed) return 'closed'
    return now < this.#openUntil && this.#probedUntil === undefined ? 'open' : 'half_open'
  }

  /** How long it is still open, in milliseconds. */
  openMs(now: number): number {
    return this.#closed ? 0 : Math.max(0, this.#openUntil - now)
  }

  /** How long no call may be made, in milliseconds. `lastResort`: where nothing else is left to be asked. */
  waitMs(now: number, lastResort = false): number {
    if (this.#closed) return 0
    const until = lastResort ? this.#lastResortAt : this.#openUntil
    if (now < until) return until - now
    return this.#probedUntil !== undefined && now < this.#probedUntil ? probedMs : 0
  }

  /** The call that begins now is the probe. Only where it is half open and none has to wait. */
  probe(now: number): void {
    this.#generation++
    this.#probedUntil = now + probeMs
  }

  /** A call answers. Closes at a probe. Gives the generation that its end is judged by. */
  answered(generation: number): number {
    if (!this.#isProbe(generation)) return generation
    this.close()
    return this.#generation
  }

  succeeded(generation: number, now: number, { windowMs }: BreakerOptions): void {
    const current = this.answered(generation)
    if (current !== this.#generation) return
    this.#inARow = 0
    this.#calls.add(now, windowMs)
  }

  failed(generation: number, now: number, options: BreakerOptions, random: () => number): void {
    if (this.#closed) {
      if (generation !== this.#generation) return
      this.#inARow++
      this.#calls.add(now, options.windowMs)
      this.#failures.add(now, options.windowMs)
      if (!this.#tooMany(now, options)) return
    } else if (!this.#isProbe(generation)) return
    const chance = random()
    this.#openFor(openSpan(this.#openings, options, chance), openSpan(0, options, chance), now)
  }

  /** What a call came to says nothing. Tells whether it was the probe: another may be made. */
  letGo(generation: number): boolean {
    if (this.#probedUntil === undefined || generation !== this.#generation) return false
    this.#probedUntil = undefined
    return true
  }

  /** Is in the state that another one told of. */
  adopt(openings: number, ms: number, { openMs }: BreakerOptions, now: number): void {
    if (openings === 0) this.close()
    else {
      this.#openFor(ms, Math.min(ms, openMs), now)
      this.#openings = openings
    }
  }

  #openFor(ms: number, lastResortMs: number, now: number): void {
    this.#opened = ++this.#generation
    this.#changes++
    this.#closed = false
    this.#openings++
    this.#openUntil = now + ms
    this.#lastResortAt = now + lastResortMs
    this.#probedUntil = undefined
  }

  close(): void {
    if (this.#closed) return
    this.#generation++
    this.#changes++
    this.#closed = true
    this.#inARow = 0
    this.#openings = 0
    this.#probedUntil = undefined
    this.#calls.clear()
    this.#failures.clear()
  }

  #isProbe(generation: number): boolean {
    return !this.#closed && generation > this.#opened
  }

  #tooMany(now: number, { failures, minCalls, errorRate, windowMs }: BreakerOptions): boolean {
    if (this.#inARow >= failures) return true
    const calls = this.#calls.within(windowMs, now)
    return calls >= minCalls && this.#failures.within(windowMs, now) >= errorRate * calls
  }
}

/** Twice as long each time, give or take a fifth: gateways that saw the same failure do not probe at the same moment. */
function openSpan(openings: number, { openMs, maxOpenMs }: BreakerOptions, random: number): number {
  return Math.min(openMs * 2 ** openings * (0.8 + 0.4 * random), maxOpenMs)
}

import type { BreakerOptions } from '../../contracts/call-options.ts'
import type { UnavailableReason } from '../../errors/unavailable-reason.ts'
import { RecentCount } from './recent-values.ts'
import { WitnessedFailures } from './witnessed-failures.ts'

export type BreakerState = 'closed' | 'open' | 'half_open'

/** When another probe may start while one is running, in ms: some responses take minutes. */
export const probeMs = 30_000

/** The reported wait while a probe is under way, in milliseconds: its duration is unknown. */
export const probedMs = 1_000

/** How many times `failures` in a row open the breaker of a target that partly works. */
const rowsUntilDead = 4

/** A failure as the breaker counts it. */
export interface CountedFailure {
  /** The digest of the principal whose call failed; `undefined` for a failure that no caller can cause. */
  readonly principal: string | undefined
  readonly reason: UnavailableReason
}

/** An opening in another process. */
export interface AdoptedOpening {
  readonly openings: number
  readonly openMs: number
  /** The digest of the only principal that it is open for; `undefined`: it is open for all. */
  readonly openFor: string | undefined
  /** Some of its calls succeed. */
  readonly partial: boolean
  readonly reason: UnavailableReason
}

/**
 * Opens when a target fails too often, and lets one call at a time probe it when it was open for long enough. Each
 * opening, closing and probe starts a new generation: results of calls from before an opening are ignored.
 *
 * Where all failures are of a single principal, its requests may be the cause: the breaker is open for this principal only,
 * and the calls of others decide. One success of theirs closes it.
 */
export class Breaker {
  readonly #calls = new RecentCount()
  readonly #failures = new WitnessedFailures()
  #generation = 0
  /** The generation in which it was opened. */
  #opened = 0
  #closed = true
  /** The only principal that it is open for; `undefined`: for all. */
  #openFor: string | undefined
  #reason: UnavailableReason = 'overloaded'
  /** It answered some calls shortly before it was opened. */
  #partial = false
  /** How often it was opened since it was last closed. */
  #openings = 0
  #openUntil = 0
  /** The principal whose probe failed last, and until when it is open for others, whom failing probes do not affect. */
  #prober: string | undefined
  #othersUntil = 0
  #probedUntil: number | undefined
  #openedAt = 0
  #succeededAt = Number.NEGATIVE_INFINITY
  /** When a principal was answered while it was open for another one. */
  #contradictedAt = Number.NEGATIVE_INFINITY
  /** Counts openings and closings. */
  #changes = 0

  /** Another number after each opening and closing. */
  get changes(): number {
    return this.#changes
  }

  /** The generation of a call that begins now. */
  get generation(): number {
    return this.#generation
  }

  /** The generation of a call that is no probe although it is open. */
  get openGeneration(): number {
    return this.#opened
  }

  /** How often it was opened since it was last closed. */
  get openings(): number {
    return this.#openings
  }

  get closed(): boolean {
    return this.#closed
  }

  /** The digest of the only principal that it is open for; `undefined`: for all. */
  get openFor(): string | undefined {
    return this.#openFor
  }

  get partial(): boolean {
    return this.#partial
  }

  /** The reason of the last failure that opened it. */
  get reason(): UnavailableReason {
    return this.#reason
  }

  /** Whether it is not closed for a principal; without one, for any. */
  holds(principal: string | undefined): boolean {
    if (this.#closed) return false
    return this.#openFor === undefined || principal === undefined || principal === this.#openFor
  }

  state(now: number): BreakerState {
    if (this.#closed) return 'closed'
    return now < this.#openUntil && this.#probedUntil === undefined ? 'open' : 'half_open'
  }

  /** How long it is still open, in milliseconds. */
  openMs(now: number): number {
    return this.#closed ? 0 : Math.max(0, this.#openUntil - now)
  }

  /** How long a principal has to wait, in milliseconds; without one, any principal. */
  waitMs(now: number, principal?: string): number {
    if (!this.holds(principal)) return 0
    const sooner = principal !== undefined && this.#prober !== undefined && principal !== this.#prober
    const until = sooner ? this.#othersUntil : this.#openUntil
    if (now < until) return until - now
    return this.isProbed(now) ? probedMs : 0
  }

  /** Whether a probe is under way. */
  isProbed(now: number): boolean {
    return this.#probedUntil !== undefined && now < this.#probedUntil
  }

  /** Whether a principal without another target may call it: some calls are answered. */
  answersSome(now: number, principal: string, { failures, windowMs }: BreakerOptions): boolean {
    return (
      this.#partial &&
      now - Math.max(this.#succeededAt, this.#openedAt) < windowMs &&
      this.#failures.rowFor(principal, capOf(failures)) < rowsUntilDead * failures
    )
  }

  /** The call that begins now is the probe. Only where it is half open and none has to wait. */
  probe(now: number): void {
    this.#generation++
    this.#probedUntil = now + probeMs
  }

  /** Records the start of a call that is not a probe, but whose success closes the breaker like one. */
  beganWithoutProbe(): void {
    this.#generation++
  }

  /** A call answers; that of a probe closes the breaker. Returns the generation for which its end counts. */
  answered(generation: number, now: number, principal?: string): number {
    if (this.#contradicts(generation, principal)) this.#contradictedAt = now
    else if (!this.#isProbe(generation)) return generation
    this.close()
    return this.#generation
  }

  succeeded(generation: number, now: number, { windowMs }: BreakerOptions, principal?: string): void {
    const current = this.answered(generation, now, principal)
    if (this.#closed ? current !== this.#generation : current < this.#opened) return
    this.#succeededAt = now
    this.#failures.endRow()
    this.#calls.add(now, windowMs)
  }

  /** `lastResort`: the call was made although the breaker was open, and is no probe. */
  failed(
    generation: number,
    now: number,
    options: BreakerOptions,
    random: () => number,
    { principal, reason }: CountedFailure = { principal: undefined, reason: 'overloaded' },
    lastResort = false,
  ): void {
    if (this.#closed ? generation !== this.#generation : generation < this.#opened) return
    const isProbe = this.#isProbe(generation) && !lastResort
    const isOthers = this.#openFor !== undefined && principal !== this.#openFor
    this.#calls.add(now, options.windowMs)
    this.#failures.add(principal, now, options.windowMs)
    if (this.#closed) {
      const suspect = this.#suspectOf(now, options)
      if (suspect !== undefined) this.#open(suspect.openFor, reason, now, options, random)
    } else if (isOthers && this.#failsAll(now, options)) {
      this.#openings = 0
      this.#open(undefined, reason, now, options, random)
    } else if (isProbe) {
      this.#prober = principal
      this.#open(this.#openFor, reason, now, options, random)
    }
  }

  /** A call was inconclusive. Returns whether it was the probe: another may begin. */
  releaseProbe(generation: number): boolean {
    if (this.#probedUntil === undefined || generation !== this.#generation) return false
    this.#probedUntil = undefined
    return true
  }

  /** Takes the state of another process. */
  adopt(opening: AdoptedOpening, { openMs, failures }: BreakerOptions, now: number): void {
    const { openFor } = opening
    if (opening.openings === 0) {
      if (this.#openFor !== undefined) this.#contradictedAt = now
      this.close()
      return
    }
    this.#openFor = openFor
    if (openFor !== undefined) this.#failures.adopt(openFor, failures, now)
    this.#openUntilNext(opening.reason, opening.openMs, Math.min(opening.openMs, openMs), now)
    this.#openings = opening.openings
    this.#partial = opening.partial
  }

  close(): void {
    if (this.#closed) return
    this.#generation++
    this.#changes++
    this.#closed = true
    this.#openFor = undefined
    this.#openings = 0
    this.#prober = undefined
    this.#probedUntil = undefined
    this.#calls.clear()
    this.#failures.clear()
  }

  #open(
    openFor: string | undefined,
    reason: UnavailableReason,
    now: number,
    options: BreakerOptions,
    random: () => number,
  ): void {
    this.#partial = now - this.#succeededAt < options.windowMs
    this.#openFor = openFor
    const chance = random()
    this.#openUntilNext(reason, openSpan(this.#openings, options, chance), openSpan(0, options, chance), now)
  }

  #openUntilNext(reason: UnavailableReason, ms: number, othersMs: number, now: number): void {
    this.#opened = ++this.#generation
    this.#changes++
    this.#closed = false
    this.#openings++
    this.#openUntil = now + ms
    this.#othersUntil = now + othersMs
    this.#openedAt = now
    this.#reason = reason
    this.#probedUntil = undefined
  }

  #isProbe(generation: number): boolean {
    return !this.#closed && generation > this.#opened
  }

  /** A success that shows that the target works. */
  #contradicts(generation: number, principal: string | undefined): boolean {
    return this.#openFor !== undefined && principal !== this.#openFor && generation >= this.#opened
  }

  /** Returns for which principals to open it, or `undefined` for none. */
  #suspectOf(now: number, options: BreakerOptions): { readonly openFor: string | undefined } | undefined {
    const { failures, minCalls, errorRate, windowMs } = options
    if (this.#failsAll(now, options)) return { openFor: undefined }
    // Others were answered recently while it was open for this principal: its requests are the cause.
    if (now - this.#contradictedAt < windowMs) return undefined
    if (this.#failures.row >= failures) return { openFor: this.#failures.topOfRow }
    const calls = this.#calls.within(windowMs, now)
    if (calls < minCalls || this.#failures.within(windowMs, now) < errorRate * calls) return undefined
    return { openFor: this.#failures.topWithin(windowMs, now)[0] }
  }

  /** Whether it fails for every principal. */
  #failsAll(now: number, { failures, minCalls, errorRate, windowMs }: BreakerOptions): boolean {
    if (this.#failures.rowOfSeveral(capOf(failures), windowMs, now) >= failures) return true
    const failed = this.#failures.within(windowMs, now)
    const [, top] = this.#failures.topWithin(windowMs, now)
    if (failed === top) return false
    // The failures of the principal with the most count as one.
    const left = top === 0 ? 0 : top - 1
    const calls = this.#calls.within(windowMs, now) - left
    return calls >= minCalls && failed - left >= errorRate * calls
  }
}

/** Of `failures` in a row, one principal counts for at most so many. */
function capOf(failures: number): number {
  return Math.ceil(failures / 2)
}

/** Doubles each time, with a jitter of 20 %: gateways with the same failure do not probe at the same time. */
function openSpan(openings: number, { openMs, maxOpenMs }: BreakerOptions, random: number): number {
  return Math.min(openMs * 2 ** openings * (0.8 + 0.4 * random), maxOpenMs)
}

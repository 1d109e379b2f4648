import type { UnavailableReason } from '../../errors/unavailable-reason.ts'
import type { BreakerOptions } from './health-options.ts'
import { RecentCount } from './recent-values.ts'
import { WitnessedFailures } from './witnessed-failures.ts'

export type BreakerState = 'closed' | 'open' | 'half_open'

/** Beside a probe that has not ended after so long, in milliseconds, another may be made: some answers take minutes. */
export const probeMs = 30_000

/** How soon to ask again where a probe is under way, in milliseconds: nobody knows how long it takes. */
export const probedMs = 1_000

/** A target that answers some calls has stopped answering after so many times `failures` in a row. */
const rowsUntilDead = 4

/** A failure as the breaker counts it. */
export interface CountedFailure {
  /** The digest of the principal that saw it; `undefined` where no caller can cause it. */
  readonly principal: string | undefined
  readonly reason: UnavailableReason
}

/** An opening that another process tells of. */
export interface AdoptedOpening {
  readonly openings: number
  readonly openMs: number
  /** The digest of the only principal that it is open for; `undefined`: it is open for all. */
  readonly openFor: string | undefined
  /** It answers some calls. */
  readonly partial: boolean
  readonly reason: UnavailableReason
}

/**
 * Opens when a target fails too often, and lets one call at a time probe it when it was open for long enough. Each
 * opening, closing and probe is a new generation: what a call from before the opening comes to says nothing any more.
 *
 * Where a single principal saw the failures, its requests may be what fails: it is open for this principal only, and the
 * calls of others decide. One success of theirs closes it.
 */
export class Breaker {
  readonly #calls = new RecentCount()
  readonly #failures = new WitnessedFailures()
  #generation = 0
  /** That in which it was opened. */
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
  /** Whose probe failed last, and until when it is open for others: nobody keeps it open for them by failing probes. */
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

  /** What a call has to be judged by. */
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

  /** What the last failure was that opened it. */
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

  /** How long a principal may make no call, in milliseconds; without one, anybody. */
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

  /** Whether it is worth the calls of a principal that has nowhere else to go: some of them are answered. */
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

  /** The call that begins now is no probe, but its success closes it like one. */
  beside(): void {
    this.#generation++
  }

  /** A call answers. Closes at a probe. Gives the generation that its end is judged by. */
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

  /** `lastResort`: it was let through although it was open, and is no probe. */
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

  /** What a call came to says nothing. Tells whether it was the probe: another may be made. */
  letGo(generation: number): boolean {
    if (this.#probedUntil === undefined || generation !== this.#generation) return false
    this.#probedUntil = undefined
    return true
  }

  /** Is in the state that another one told of. */
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

  /** A success that says it is not the target that fails. */
  #contradicts(generation: number, principal: string | undefined): boolean {
    return this.#openFor !== undefined && principal !== this.#openFor && generation >= this.#opened
  }

  /** Whom it has to be opened for; `undefined`: nobody. */
  #suspectOf(now: number, options: BreakerOptions): { readonly openFor: string | undefined } | undefined {
    const { failures, minCalls, errorRate, windowMs } = options
    if (this.#failsAll(now, options)) return { openFor: undefined }
    // Others were answered shortly ago when it was: what goes on failing are its requests.
    if (now - this.#contradictedAt < windowMs) return undefined
    if (this.#failures.row >= failures) return { openFor: this.#failures.topOfRow }
    const calls = this.#calls.within(windowMs, now)
    if (calls < minCalls || this.#failures.within(windowMs, now) < errorRate * calls) return undefined
    return { openFor: this.#failures.topWithin(windowMs, now)[0] }
  }

  /** Whether it fails whoever asks. */
  #failsAll(now: number, { failures, minCalls, errorRate, windowMs }: BreakerOptions): boolean {
    if (this.#failures.rowOfSeveral(capOf(failures), windowMs, now) >= failures) return true
    const failed = this.#failures.within(windowMs, now)
    const [, top] = this.#failures.topWithin(windowMs, now)
    if (failed === top) return false
    // Those of the principal that saw the most count as one.
    const left = top === 0 ? 0 : top - 1
    const calls = this.#calls.within(windowMs, now) - left
    return calls >= minCalls && failed - left >= errorRate * calls
  }
}

/** Of `failures` in a row, one principal counts for at most so many. */
function capOf(failures: number): number {
  return Math.ceil(failures / 2)
}

/** Twice as long each time, give or take a fifth: gateways that saw the same failure do not probe at the same moment. */
function openSpan(openings: number, { openMs, maxOpenMs }: BreakerOptions, random: number): number {
  return Math.min(openMs * 2 ** openings * (0.8 + 0.4 * random), maxOpenMs)
}

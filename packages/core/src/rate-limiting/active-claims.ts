import type { Clock } from '../clock/clock.ts'
import { WakeTimer } from '../clock/wake-timer.ts'
import type { Claim, Counter, Settlement } from '../contracts/limit-store.ts'
import { isPromise } from '../primitives/is-promise.ts'

type HeldClaim = Pick<Claim, 'id' | 'counters'>

/** Renews claims where they are held. It neither throws nor rejects: the next time comes soon. */
export type Renew = (claims: readonly HeldClaim[], ttlMs: number) => unknown

interface Held {
  readonly claim: HeldClaim
  readonly ttlMs: number
  readonly renew: Renew
}

interface Group extends Pick<Held, 'ttlMs' | 'renew'> {
  readonly claims: HeldClaim[]
}

/** How many are renewed by one operation. */
const batchSize = 100

/** Whether a claim holds something until it is settled. */
export function hasReservation(counters: readonly Counter[]): boolean {
  return counters.some(counter => counter.kind !== 'rate' || counter.floor !== undefined)
}

/** Claims that hold something are renewed every third of their time, by one timer that runs only while there are any. */
export class ActiveClaims {
  readonly #held = new Map<string, Held>()
  readonly #clock: Clock
  readonly #timer: WakeTimer

  constructor(clock: Clock) {
    this.#clock = clock
    this.#timer = new WakeTimer({ clock, ring: () => void this.renewAll(), background: true })
  }

  get size(): number {
    return this.#held.size
  }

  /** Renews a claim by `renew` until it is let go. */
  hold({ id, counters, ttlMs }: Claim, renew: Renew): void {
    this.#held.set(id, { claim: { id, counters }, ttlMs, renew })
    this.#timer.wakeAt(this.#clock.monotonic() + ttlMs / 3)
  }

  letGo(id: string): void {
    this.#held.delete(id)
    if (this.#held.size === 0) this.#timer.clear()
  }

  /** Renews all of them now: one operation after the other, so that none has to wait for many. */
  async renewAll(): Promise<void> {
    const groups = this.#groups()
    const now = this.#clock.monotonic()
    for (const { ttlMs } of groups) this.#timer.wakeAt(now + ttlMs / 3)
    for (const { claims, ttlMs, renew } of groups) {
      for (let start = 0; start < claims.length; start += batchSize) {
        const renewing = renew(claims.slice(start, start + batchSize), ttlMs)
        if (isPromise(renewing)) await renewing
      }
    }
  }

  /** Those that are held in the same place for the same time. */
  #groups(): readonly Group[] {
    const groups: Group[] = []
    for (const { claim, ttlMs, renew } of this.#held.values()) {
      const group = groups.find(known => known.ttlMs === ttlMs && known.renew === renew)
      if (group === undefined) groups.push({ claims: [claim], ttlMs, renew })
      else group.claims.push(claim)
    }
    return groups
  }
}

interface Waiting {
  readonly settlement: Settlement
  readonly since: number
}

const maxWaiting = 10_000
/** After an hour a store corrects nothing any more. */
const uselessMs = 3_600_000

/**
 * Settlements that the store has not taken yet. Of more than 10,000 the oldest is dropped, and what it held is given
 * back by the store itself when its time is over: so is one that is an hour old.
 */
export class PendingSettlements {
  readonly #waiting = new Map<string, Waiting>()
  readonly #clock: Clock
  readonly #dropped: (error: Error) => void
  #told = false

  /** `clock` gives monotonic milliseconds. `dropped` is told once, until all others are settled. */
  constructor(clock: Clock, dropped: (error: Error) => void) {
    this.#clock = clock
    this.#dropped = dropped
  }

  get size(): number {
    return this.#waiting.size
  }

  add(settlement: Settlement): void {
    this.#waiting.set(settlement.id, { settlement, since: this.#clock.monotonic() })
    if (this.#waiting.size <= maxWaiting) return
    const [oldest] = this.#waiting.keys()
    if (oldest !== undefined) this.#waiting.delete(oldest)
    this.#tell(`More than ${maxWaiting} settlements wait for the limit store: the oldest are dropped.`)
  }

  /** The store has taken it, or never will. */
  remove(id: string): void {
    this.#waiting.delete(id)
    if (this.#waiting.size === 0) this.#told = false
  }

  /** Those that are tried next. Who fails again stands behind all others then. */
  next(count: number): readonly Settlement[] {
    const now = this.#clock.monotonic()
    const batch: Settlement[] = []
    for (const [id, waiting] of this.#waiting) {
      if (batch.length === count) break
      if (now - waiting.since < uselessMs) {
        batch.push(waiting.settlement)
        continue
      }
      this.#tell('The limit store did not take a settlement within an hour: it is dropped.')
      this.remove(id)
    }
    return batch
  }

  /** It failed again. */
  postpone(id: string): void {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return
    this.#waiting.delete(id)
    this.#waiting.set(id, waiting)
  }

  #tell(message: string): void {
    if (this.#told) return
    this.#told = true
    this.#dropped(new Error(message))
  }
}

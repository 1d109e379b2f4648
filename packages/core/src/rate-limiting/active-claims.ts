import type { Clock } from '../clock/clock.ts'
import { WakeTimer } from '../clock/wake-timer.ts'
import type { Claim, Counter, Settlement } from '../contracts/limit-store.ts'
import { isPromise } from '../primitives/is-promise.ts'
import { LinkedList, ListNode } from '../primitives/linked-list.ts'

type HeldClaim = Pick<Claim, 'id' | 'counters'>

/** Renews claims in their store. Never throws or rejects: the next renewal follows soon. */
export type Renew = (claims: readonly HeldClaim[], ttlMs: number) => unknown

/** A claim that is renewed. */
export type ActiveClaim = ListNode<RenewedClaim>

interface RenewedClaim {
  readonly claim: HeldClaim
  readonly ttlMs: number
  readonly renew: Renew
}

interface Group extends Pick<RenewedClaim, 'ttlMs' | 'renew'> {
  readonly claims: HeldClaim[]
}

/** Maximum claims per renewal. */
const batchSize = 100

/** Whether a claim reserves capacity until it is settled. */
export function hasReservation(counters: readonly Counter[]): boolean {
  return counters.some(counter => counter.kind !== 'rate' || counter.floor !== undefined)
}

/** Renews claims with reservations every third of their time to live. Its only timer runs while there are claims. */
export class ActiveClaims {
  readonly #claims = new LinkedList<RenewedClaim>()
  readonly #clock: Clock
  readonly #timer: WakeTimer

  constructor(clock: Clock) {
    this.#clock = clock
    this.#timer = new WakeTimer({ clock, ring: () => void this.renewAll(), background: true })
  }

  /** Renews a claim with `renew` until it is released. */
  hold(claim: Claim, renew: Renew): ActiveClaim {
    const active = new ListNode({ claim, ttlMs: claim.ttlMs, renew })
    this.#claims.append(active)
    this.#timer.wakeAt(this.#clock.monotonic() + claim.ttlMs / 3)
    return active
  }

  release(claim: ActiveClaim): void {
    this.#claims.remove(claim)
    if (this.#claims.first === undefined) this.#timer.clear()
  }

  /** Renews all claims now, one operation after the other, so that none waits for many. */
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

  /** Groups the claims by their store and time to live. */
  #groups(): readonly Group[] {
    const groups: Group[] = []
    for (let active = this.#claims.first; active !== undefined; active = active.next) {
      const { claim, ttlMs, renew } = active.item
      const group = groups.find(known => known.ttlMs === ttlMs && known.renew === renew)
      if (group === undefined) groups.push({ claims: [claim], ttlMs, renew })
      else group.claims.push(claim)
    }
    return groups
  }
}

interface PendingSettlement {
  readonly settlement: Settlement
  readonly since: number
}

const maxPending = 10_000
/** A store ignores settlements that are over an hour late. */
const correctionMs = 3_600_000

/**
 * Settlements that the store has not accepted yet. Beyond 10,000 the oldest is dropped, and so is one that is an hour old.
 * The store releases their reservations when they expire.
 */
export class PendingSettlements {
  readonly #waiting = new Map<string, PendingSettlement>()
  readonly #clock: Clock
  readonly #dropped: (error: Error) => void
  #reported = false

  /** Calls `dropped` once, and again only after all others were settled. */
  constructor(clock: Clock, dropped: (error: Error) => void) {
    this.#clock = clock
    this.#dropped = dropped
  }

  get size(): number {
    return this.#waiting.size
  }

  add(settlement: Settlement): void {
    this.#waiting.set(settlement.id, { settlement, since: this.#clock.monotonic() })
    if (this.#waiting.size <= maxPending) return
    const [oldest] = this.#waiting.keys()
    if (oldest !== undefined) this.#waiting.delete(oldest)
    this.#report(
      `More than ${maxPending} settlements are waiting for the limit store: the oldest are dropped.`,
    )
  }

  /** Removes a settlement that the store has accepted, or never will. */
  remove(id: string): void {
    this.#waiting.delete(id)
    if (this.#waiting.size === 0) this.#reported = false
  }

  /** Returns the settlements to try next. One that fails again moves to the end. */
  next(count: number): readonly Settlement[] {
    const now = this.#clock.monotonic()
    const batch: Settlement[] = []
    for (const [id, waiting] of this.#waiting) {
      if (batch.length === count) break
      if (now - waiting.since < correctionMs) {
        batch.push(waiting.settlement)
        continue
      }
      this.#report('The limit store did not accept a settlement within an hour: it is dropped.')
      this.remove(id)
    }
    return batch
  }

  /** Moves a settlement that failed again to the end. */
  postpone(id: string): void {
    const waiting = this.#waiting.get(id)
    if (waiting === undefined) return
    this.#waiting.delete(id)
    this.#waiting.set(id, waiting)
  }

  #report(message: string): void {
    if (this.#reported) return
    this.#reported = true
    this.#dropped(new Error(message))
  }
}

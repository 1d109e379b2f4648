import type { CounterState, LeaseCounter } from '../contracts/limit-store.ts'
import type { Moment } from '../stores/store-clock.ts'
import type { HeldPart, OpenClaim } from './count.ts'
import { Count } from './count.ts'

/** Of so many leases the first that ends is looked for, for the wait that is told: no refusal may cost more. */
const lookedAt = 1_000

/** The claims that hold a lease. */
export class LeaseCount extends Count {
  readonly kind = 'lease'
  /** Those whose time will be over. */
  readonly #held = new Set<OpenClaim>()
  /** How many have no end in time. */
  #endless = 0

  load(): void {}

  isIdle(): boolean {
    return this.#held.size + this.#endless === 0
  }

  isOver({ limit }: LeaseCounter): boolean {
    return this.#held.size + this.#endless >= limit
  }

  take(_: LeaseCounter, claim: OpenClaim): number {
    if (claim.endless) this.#endless++
    else this.#held.add(claim)
    return 0
  }

  settle(_: HeldPart, claim: OpenClaim): void {
    if (claim.endless) this.#endless--
    else this.#held.delete(claim)
  }

  expire(_: HeldPart, claim: OpenClaim): void {
    this.#held.delete(claim)
  }

  standing({ limit }: LeaseCounter, over: boolean, { us }: Moment): CounterState {
    let first = Number.POSITIVE_INFINITY
    let looked = 0
    if (over) {
      for (const { expiresAt } of this.#held) {
        first = Math.min(first, expiresAt)
        if (++looked === lookedAt) break
      }
    }
    return {
      over,
      remaining: Math.max(0, limit - this.#held.size - this.#endless),
      resetMs: 0,
      waitMs: over ? Math.max(0, first - us) / 1_000 : 0,
    }
  }
}

import { RecentCount } from './recent-count.ts'

/** Of more principals the one that asked longest ago is forgotten. */
const maxPrincipals = 100

/** What one principal took of a target's retries. */
export interface RetryShare {
  /** Retries that were allowed within the span. */
  readonly recent: RecentCount
  /** Retries that were allowed and are not given back. */
  active: number
  askedAt: number
}

/** Who asked for retries of a target within a span of time, and got how many. */
export class RetryShares {
  readonly #spanMs: number
  /** By principal; who asked last is last. */
  readonly #shares = new Map<string, RetryShare>()

  constructor(spanMs: number) {
    this.#spanMs = spanMs
  }

  /** How many principals asked lately, or still have a retry. */
  get size(): number {
    return this.#shares.size
  }

  /** The share of a principal that asks now. */
  of(principal: string, now: number): RetryShare {
    const share = this.#shares.get(principal) ?? { recent: new RecentCount(), active: 0, askedAt: now }
    share.askedAt = now
    this.#shares.delete(principal)
    for (const [other, { active, askedAt }] of this.#shares) {
      const isOver = active === 0 && now - askedAt >= this.#spanMs
      if (isOver || this.#shares.size >= maxPrincipals) this.#shares.delete(other)
    }
    this.#shares.set(principal, share)
    return share
  }
}

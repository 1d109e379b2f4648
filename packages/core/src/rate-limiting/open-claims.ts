import type { OpenClaim } from './count.ts'

/**
 * Claims in the order in which their time is over: one queue for each length of time, so that no queue ever has to be
 * sorted. Gateways have one length of time.
 */
export class OpenClaims {
  readonly #byId = new Map<string, OpenClaim>()
  readonly #queues = new Map<number, Set<OpenClaim>>()
  /** Nothing is over before this. */
  #nextAt = Number.POSITIVE_INFINITY

  get size(): number {
    return this.#byId.size
  }

  get(id: string): OpenClaim | undefined {
    return this.#byId.get(id)
  }

  add(claim: OpenClaim): void {
    this.#byId.set(claim.id, claim)
    const queue = this.#queues.get(claim.ttlUs)
    if (queue === undefined) this.#queues.set(claim.ttlUs, new Set([claim]))
    else queue.add(claim)
    if (claim.expiresAt < this.#nextAt) this.#nextAt = claim.expiresAt
  }

  remove(claim: OpenClaim): void {
    this.#byId.delete(claim.id)
    const queue = this.#queues.get(claim.ttlUs)
    queue?.delete(claim)
    if (queue?.size === 0) this.#queues.delete(claim.ttlUs)
  }

  /** Takes out the claims whose time is over, in the order in which it was. */
  expired(now: number): readonly OpenClaim[] {
    if (now < this.#nextAt) return none
    const over: OpenClaim[] = []
    this.#nextAt = Number.POSITIVE_INFINITY
    for (const queue of this.#queues.values()) {
      for (const claim of queue) {
        if (claim.expiresAt > now) {
          this.#nextAt = Math.min(this.#nextAt, claim.expiresAt)
          break
        }
        over.push(claim)
      }
    }
    for (const claim of over) this.remove(claim)
    return over.sort((one, other) => one.expiresAt - other.expiresAt)
  }
}

const none: readonly OpenClaim[] = []

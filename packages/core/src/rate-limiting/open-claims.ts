import type { Counter } from '../contracts/limit-store.ts'
import type { Count } from './count.ts'

/** What a claim holds of one count. */
export class HeldPart {
  readonly count: Count
  readonly counter: Counter
  /** Its place among the counters of the claim. */
  readonly index: number
  /** The window of a sum in which it was taken. */
  readonly window: number
  /** What it holds of another count. */
  readonly next: HeldPart | undefined

  constructor(count: Count, counter: Counter, index: number, window: number, next: HeldPart | undefined) {
    this.count = count
    this.counter = counter
    this.index = index
    this.window = window
    this.next = next
  }
}

/** A claim that holds something until it is settled, or its time is over. */
export interface OpenClaim {
  readonly id: string
  /** What it holds, one part after the other. A list of its own would be one more thing for each request. */
  held: HeldPart | undefined
  /** Whether its time is never over. */
  readonly endless: boolean
  ttlUs: number
  expiresAt: number
}

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

import type { Violation } from '../invariant.ts'

const maxViolations = 100

/** What did not hold of one invariant, at most 100 of it. */
export class ViolationList {
  readonly list: Violation[] = []
  readonly #invariant: string
  #requests = 0

  constructor(invariant: string) {
    this.#invariant = invariant
  }

  /** Notes that the client's request with this number was sent. */
  sent(request: number): void {
    this.#requests = Math.max(this.#requests, request + 1)
  }

  add(at: number, message: string): void {
    if (this.list.length >= maxViolations) return
    this.list.push({ invariant: this.#invariant, at, message, requests: this.#requests })
  }
}

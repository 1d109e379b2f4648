import type { Clock } from '../../clock/clock.ts'
import { withTimeout } from '../../clock/with-timeout.ts'
import type { StoreEvent } from '../../contracts/events.ts'

/** Longest wait for one operation, in milliseconds. */
const timeoutMs = 50

/** So many operations may be late at the same time, and for so long one counts: a client keeps what it cannot send. */
const late = { most: 8, ms: 60_000 }

/**
 * Operations of a store of health, each of which comes to an outcome in time. Tells once when it begins to fail, and
 * once when it works again.
 */
export class SharedCalls {
  readonly #tell: (event: StoreEvent) => void
  readonly #clock: Clock
  readonly #waiting = new Set<{ readonly since: number }>()
  #working = true

  /** `tell` must not throw. */
  constructor(tell: (event: StoreEvent) => void, clock: Clock) {
    this.#tell = tell
    this.#clock = clock
  }

  /** Whether the last operation worked. */
  get working(): boolean {
    return this.#working
  }

  /** What the operation comes to, or `undefined` where it fails or is late. Never rejects. */
  async ask<T>(operation: () => Promise<T>): Promise<{ readonly value: T } | undefined> {
    const since = this.#clock.monotonic()
    for (const one of this.#waiting) if (since - one.since >= late.ms) this.#waiting.delete(one)
    if (this.#waiting.size >= late.most) {
      this.#state(false, new Error(`The shared health did not answer ${late.most} operations.`))
      return undefined
    }
    const one = { since }
    this.#waiting.add(one)
    try {
      const run = async () => {
        try {
          return await operation()
        } finally {
          this.#waiting.delete(one)
        }
      }
      const value = await withTimeout(this.#clock, timeoutMs, run(), () => {
        throw new Error(`The shared health did not answer within ${timeoutMs} milliseconds.`)
      })
      this.#state(true, undefined)
      return { value }
    } catch (error) {
      this.#state(false, error)
      return undefined
    }
  }

  #state(working: boolean, error: unknown): void {
    if (working === this.#working) return
    this.#working = working
    this.#tell({ type: 'store', store: 'health', state: working ? 'working' : 'failing', error })
  }
}

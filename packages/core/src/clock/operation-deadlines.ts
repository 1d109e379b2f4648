import type { Clock } from './clock.ts'
import { WakeTimer } from './wake-timer.ts'

/** A pending operation. */
export interface TimedOperation {
  readonly dueAt: number
  /** Called once, unless it is cancelled. Then it is replaced, because a `Set` retains deleted entries for a while. */
  expired: () => void
}

const nothing = () => {}

/**
 * Timeouts of operations that share the same duration, in milliseconds, with a single timer. Results that arrived while the
 * process was busy are handled first.
 */
export class OperationDeadlines {
  readonly #ms: number
  readonly #clock: Clock
  readonly #timer: WakeTimer
  /** In order of their deadlines. */
  #pending = new Set<TimedOperation>()
  /** Operations due by then expire when the timer fires again, as their results would have been handled. */
  #handledUntil = Number.NEGATIVE_INFINITY

  constructor(ms: number, clock: Clock) {
    this.#ms = ms
    this.#clock = clock
    this.#timer = new WakeTimer({ clock, ring: () => this.#ring(), background: false })
  }

  /** Number of pending operations. */
  get size(): number {
    return this.#pending.size
  }

  add(expired: () => void): TimedOperation {
    const operation = { dueAt: this.#clock.monotonic() + this.#ms, expired }
    this.#pending.add(operation)
    // One turn of the event loop early, so that results that have just arrived are handled.
    this.#timer.wakeAt(operation.dueAt - 1)
    return operation
  }

  cancel(operation: TimedOperation): void {
    operation.expired = nothing
    this.#pending.delete(operation)
    if (this.#pending.size === 0) this.#timer.clear()
  }

  /** Expires all pending operations. */
  expireAll(): void {
    const pending = this.#pending
    this.#pending = new Set()
    this.#timer.clear()
    for (const operation of pending) expire(operation)
  }

  #ring(): void {
    const due = [...this.#pending].filter(({ dueAt }) => dueAt <= this.#handledUntil)
    // Removed first, because expiring one may open a circuit breaker, which calls `expireAll`.
    for (const operation of due) this.#pending.delete(operation)
    for (const operation of due) expire(operation)
    const [next] = this.#pending
    if (next === undefined) return
    const now = this.#clock.monotonic()
    if (next.dueAt - 1 > now) {
      this.#timer.wakeAt(next.dueAt - 1)
      return
    }
    this.#handledUntil = now + 1
    this.#timer.wakeAt(now + 1)
  }
}

function expire(operation: TimedOperation): void {
  const { expired } = operation
  operation.expired = nothing
  expired()
}

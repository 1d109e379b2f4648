import type { Clock } from './clock.ts'
import { WakeTimer } from './wake-timer.ts'

/** An operation that is under way. */
export interface TimedOperation {
  readonly dueAt: number
  /** Called once, unless it is taken back before. Then it is forgotten: a set keeps its old tables for a while. */
  expired: () => void
}

const nothing = () => {}

/**
 * Deadlines of operations that all have the same time, in milliseconds: one timer for all of them. What came while
 * this process was busy is heard first.
 */
export class OperationDeadlines {
  readonly #ms: number
  readonly #clock: Clock
  readonly #timer: WakeTimer
  /** In the order of their deadlines. */
  #pending = new Set<TimedOperation>()
  /** Those that were due by then expire when the timer rings again: what had come meanwhile was heard. */
  #handledUntil = Number.NEGATIVE_INFINITY

  constructor(ms: number, clock: Clock) {
    this.#ms = ms
    this.#clock = clock
    this.#timer = new WakeTimer({ clock, ring: () => this.#ring(), background: false })
  }

  /** How many are under way. */
  get size(): number {
    return this.#pending.size
  }

  add(expired: () => void): TimedOperation {
    const operation = { dueAt: this.#clock.monotonic() + this.#ms, expired }
    this.#pending.add(operation)
    // A turn of the event loop before its time, for what came last.
    this.#timer.wakeAt(operation.dueAt - 1)
    return operation
  }

  cancel(operation: TimedOperation): void {
    operation.expired = nothing
    this.#pending.delete(operation)
    if (this.#pending.size === 0) this.#timer.clear()
  }

  /** Nobody waits any longer for what is under way. */
  expireAll(): void {
    const pending = this.#pending
    this.#pending = new Set()
    this.#timer.clear()
    for (const operation of pending) expire(operation)
  }

  #ring(): void {
    const due = [...this.#pending].filter(({ dueAt }) => dueAt <= this.#handledUntil)
    // Out of the way first: one that expires may make the store be given up, and `expireAll` be called.
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

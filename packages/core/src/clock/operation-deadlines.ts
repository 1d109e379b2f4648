import { LinkedList, ListNode } from '../primitives/linked-list.ts'
import type { Clock } from './clock.ts'
import { WakeTimer } from './wake-timer.ts'

interface TimedOperation {
  readonly dueAt: number
  /** Called once, unless the operation is cancelled: then it is replaced, because the engine may retain the node for a while. */
  expired: () => void
}

const nothing = () => {}

/** A pending operation. */
export type PendingOperation = ListNode<TimedOperation>

/**
 * Timeouts of operations that share the same duration, in milliseconds, with a single timer. Results that arrived while the
 * process was busy are handled first.
 */
export class OperationDeadlines {
  readonly #ms: number
  readonly #clock: Clock
  readonly #timer: WakeTimer
  /** In order of their deadlines. */
  #pending = new LinkedList<TimedOperation>()
  /** Operations due by then expire when the timer fires again, as their results would have been handled. */
  #handledUntil = Number.NEGATIVE_INFINITY

  constructor(ms: number, clock: Clock) {
    this.#ms = ms
    this.#clock = clock
    this.#timer = new WakeTimer({ clock, ring: () => this.#ring(), background: false })
  }

  add(expired: () => void): PendingOperation {
    const operation = new ListNode({ dueAt: this.#clock.monotonic() + this.#ms, expired })
    this.#pending.append(operation)
    // One turn of the event loop early, so that results that have just arrived are handled.
    this.#timer.wakeAt(operation.item.dueAt - 1)
    return operation
  }

  /** Cancels an operation that has not expired. */
  cancel(operation: PendingOperation): void {
    operation.item.expired = nothing
    this.#pending.remove(operation)
    if (this.#pending.first === undefined) this.#timer.clear()
  }

  /** Expires all pending operations. */
  expireAll(): void {
    this.#timer.clear()
    this.#expire(() => true)
  }

  #ring(): void {
    this.#expire(({ dueAt }) => dueAt <= this.#handledUntil)
    const next = this.#pending.first?.item
    if (next === undefined) return
    const now = this.#clock.monotonic()
    if (next.dueAt - 1 > now) {
      this.#timer.wakeAt(next.dueAt - 1)
      return
    }
    this.#handledUntil = now + 1
    this.#timer.wakeAt(now + 1)
  }

  /** Expires the operations at the front that are due. */
  #expire(isDue: (operation: TimedOperation) => boolean): void {
    const due: TimedOperation[] = []
    // Removed first, because expiring one may open a circuit breaker, which calls `expireAll`.
    for (
      let first = this.#pending.first;
      first !== undefined && isDue(first.item);
      first = this.#pending.first
    ) {
      this.#pending.remove(first)
      due.push(first.item)
    }
    for (const { expired } of due) expired()
  }
}

import type { Clock, Timer } from '../../clock/clock.ts'

const tickMs = 1_000

/** So much later than due is a tick where this process stood still, in milliseconds. */
const pauseMs = 2_000

/** When this process stood still. */
export interface Pauses {
  /** A call begins. */
  began(now: number): void
  /** A call that began at `since` has ended. Tells whether this process stood still meanwhile. */
  ended(since: number, now: number): boolean
}

/**
 * Knows when this process stood still, as when its machine slept or its event loop was blocked. Upstreams give up
 * calls that are not read, and timers are late: what a call comes to that was under way then says nothing of its
 * target. One timer for all, and none while no call is under way; it holds no process.
 */
export class EventLoopStallMonitor implements Pauses {
  readonly #clock: Clock
  #calls = 0
  #timer: Timer | undefined
  #dueAt = 0
  #endedAt = Number.NEGATIVE_INFINITY
  readonly #tick = () => {
    this.#timer = undefined
    this.#look(this.#clock.monotonic())
    if (this.#calls > 0) this.#arm(this.#clock.monotonic())
  }

  constructor(clock: Clock) {
    this.#clock = clock
  }

  began(now: number): void {
    this.#calls++
    if (this.#timer !== undefined) {
      if (now - this.#dueAt <= pauseMs) return
      // Also a timer that never comes, as on platforms that end it with the request which made it.
      this.#look(now)
      this.#timer.cancel()
    }
    this.#arm(now)
  }

  ended(since: number, now: number): boolean {
    this.#calls--
    if (this.#timer !== undefined) this.#look(now)
    return since < this.#endedAt
  }

  #arm(now: number): void {
    this.#dueAt = now + tickMs
    this.#timer = this.#clock.setTimer(tickMs, this.#tick).unref()
  }

  #look(now: number): void {
    if (now - this.#dueAt > pauseMs) this.#endedAt = now
  }
}

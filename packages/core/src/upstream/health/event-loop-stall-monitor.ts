import type { Clock, Timer } from '../../clock/clock.ts'

const tickMs = 1_000

/** How late a tick has to be to count as a stall, in milliseconds. */
const pauseMs = 2_000

/** The stalls of this process. */
export interface Pauses {
  /** A call begins. */
  began(now: number): void
  /** A call that began at `since` has ended. Returns whether this process stalled meanwhile. */
  ended(since: number, now: number): boolean
}

/**
 * Detects stalls of this process: its machine slept, or its event loop was blocked. Upstreams abort calls that are not read,
 * and timers fire late: the result of a call during a stall says nothing about its target. It has one timer, none while no
 * call is under way, and the timer does not keep the process alive.
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
      // Also a timer that never fires, as on platforms that cancel it with the request that created it.
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

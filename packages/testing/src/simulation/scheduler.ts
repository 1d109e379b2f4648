import type { Clock, Timer } from '@sluice/core'

interface ScheduledEvent {
  readonly at: number
  /** Events of one time run in this order. */
  readonly order: number
  /** `undefined`: it was cancelled. */
  run: (() => void) | undefined
}

/** From this many cancelled events on, the heap is rebuilt once they are the majority. */
const minCancelled = 1_024

/**
 * A virtual clock, and the events that are due on it. Time only advances from event to event. Between two events all promises
 * settle that can, so that the order of everything that runs depends on nothing but the events.
 */
export class Scheduler {
  /** The clock to pass to a gateway, a limiter and a ledger. */
  readonly clock: Clock
  /** Number of events that ran. */
  events = 0
  readonly #startAt: number
  #heap: ScheduledEvent[] = []
  #order = 0
  #cancelled = 0
  #now = 0

  /** @param startAt the date at which the simulation begins, in milliseconds since 1970 */
  constructor(startAt: number) {
    this.#startAt = startAt
    this.clock = {
      now: () => Math.floor(this.#startAt + this.#now),
      monotonic: () => this.#now,
      // A platform fires no timer in less than a millisecond either.
      setTimer: (ms, run) => this.after(Math.max(ms, 1), run),
    }
  }

  /** Milliseconds since the beginning. */
  get now(): number {
    return this.#now
  }

  /** Runs a function in `ms` milliseconds. */
  after(ms: number, run: () => void): Timer {
    const event: ScheduledEvent = { at: this.#now + Math.max(ms, 0), order: this.#order++, run }
    push(this.#heap, event)
    const timer: Timer = {
      cancel: () => this.#cancel(event),
      unref: () => timer,
    }
    return timer
  }

  /** Runs events in order until `done` returns `true`. Rejects if none is left before that, and with what an event throws. */
  runUntil(done: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      const step = () => {
        try {
          if (done()) {
            resolve()
            return
          }
          this.#runNext()
        } catch (error) {
          reject(error)
          return
        }
        // It runs after all promises that wait for no event.
        setImmediate(step)
      }
      setImmediate(step)
    })
  }

  /** Runs the events of the next `ms` milliseconds. */
  async runFor(ms: number): Promise<void> {
    let over = false
    this.after(ms, () => {
      over = true
    })
    await this.runUntil(() => over)
  }

  #runNext(): void {
    const next = this.#next()
    if (next === undefined) {
      throw new Error(
        'The simulation cannot go on: it waits for something that is not on its clock, such as real I/O.',
      )
    }
    this.#now = next.at
    this.events++
    const run = next.run!
    // It can no longer be cancelled.
    next.run = undefined
    run()
  }

  #next(): ScheduledEvent | undefined {
    for (;;) {
      const next = pop(this.#heap)
      if (next === undefined || next.run !== undefined) return next
      this.#cancelled--
    }
  }

  #cancel(event: ScheduledEvent): void {
    if (event.run === undefined) return
    event.run = undefined
    this.#cancelled++
    if (this.#cancelled < minCancelled || this.#cancelled * 2 < this.#heap.length) return
    const left = this.#heap.filter(({ run }) => run !== undefined)
    this.#heap = []
    this.#cancelled = 0
    for (const each of left) push(this.#heap, each)
  }
}

function isBefore(one: ScheduledEvent, other: ScheduledEvent): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order)
}

function push(heap: ScheduledEvent[], event: ScheduledEvent): void {
  let at = heap.length
  heap.push(event)
  while (at > 0) {
    const parent = (at - 1) >> 1
    if (!isBefore(event, heap[parent]!)) break
    heap[at] = heap[parent]!
    at = parent
  }
  heap[at] = event
}

function pop(heap: ScheduledEvent[]): ScheduledEvent | undefined {
  const first = heap[0]
  const last = heap.pop()
  if (last === undefined || heap.length === 0) return first
  let at = 0
  for (;;) {
    let child = 2 * at + 1
    if (child >= heap.length) break
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child++
    if (!isBefore(heap[child]!, last)) break
    heap[at] = heap[child]!
    at = child
  }
  heap[at] = last
  return first
}

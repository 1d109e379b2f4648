import type { Clock, Timer } from '@sluice/core'

/** From this many cancelled events on, the heap is rebuilt once they are the majority. */
const minCancelled = 1_024

/** How many events run per turn of the event loop, which costs as much as an event. */
const eventsPerTurn = 256

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
  readonly #cancelled = { count: 0 }
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
    const event = new ScheduledEvent(this.#now + Math.max(ms, 0), this.#order++, run, this.#cancelled)
    push(this.#heap, event)
    return event
  }

  /** Runs events in order until `done` returns `true`. Rejects if none is left before that, and with what an event throws. */
  runUntil(done: () => boolean): Promise<void> {
    return new Promise((resolve, reject) => {
      let over = false
      const step = () => {
        if (over) return
        try {
          over = done()
          if (over) resolve()
          else {
            this.#runNext()
            setImmediate(step)
          }
        } catch (error) {
          over = true
          reject(error)
        }
      }
      // All promises that wait for no event settle after each immediate, those of one turn included.
      for (let count = 0; count < eventsPerTurn; count++) setImmediate(step)
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
    next.take()()
  }

  #next(): ScheduledEvent | undefined {
    const cancelled = this.#cancelled
    if (cancelled.count >= minCancelled && cancelled.count * 2 >= this.#heap.length) this.#rebuild()
    for (;;) {
      const next = pop(this.#heap)
      if (next === undefined || !next.isCancelled) return next
      cancelled.count--
    }
  }

  #rebuild(): void {
    const left = this.#heap.filter(({ isCancelled }) => !isCancelled)
    this.#heap = []
    this.#cancelled.count = 0
    for (const each of left) push(this.#heap, each)
  }
}

/** An event, and the timer that cancels it. */
class ScheduledEvent implements Timer {
  readonly at: number
  /** Events of one time run in this order. */
  readonly order: number
  #run: (() => void) | undefined
  readonly #cancelled: { count: number }

  /** @param cancelled counts the events in the heap that were cancelled */
  constructor(at: number, order: number, run: () => void, cancelled: { count: number }) {
    this.at = at
    this.order = order
    this.#run = run
    this.#cancelled = cancelled
  }

  get isCancelled(): boolean {
    return this.#run === undefined
  }

  /** Returns what is to run now, which can no longer be cancelled. */
  take(): () => void {
    const run = this.#run!
    this.#run = undefined
    return run
  }

  cancel(): void {
    if (this.#run === undefined) return
    this.#run = undefined
    this.#cancelled.count++
  }

  unref(): this {
    return this
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

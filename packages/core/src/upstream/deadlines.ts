import type { Timeouts } from '../config.ts'
import { graceMs, stallMs } from '../deadline.ts'
import { UpstreamError } from '../upstream-error.ts'

/** The pauses that are watched. */
type Pauses = Pick<Timeouts, 'firstByteMs' | 'idleMs'>

/**
 * Watches one upstream call with a single timer: its request, its first byte, then the pauses between reads,
 * and the total over all attempts. It is re-armed when it fires, not when something happens, so that a read costs
 * one assignment. A pause counts only while a read is waiting: a slow client is not the upstream's fault.
 */
export class Deadlines {
  readonly #timeouts: Pauses
  readonly #totalAt: number
  readonly #clock: () => number
  readonly #expire: (error: UpstreamError) => void
  #timer: ReturnType<typeof setTimeout> | undefined
  #phase: 'request' | 'first_byte' | 'idle' = 'first_byte'
  #since: number | undefined
  #dueAt = 0
  #stalled = false

  constructor(
    timeouts: Pauses,
    totalAt: number,
    clock: () => number,
    expire: (error: UpstreamError) => void,
  ) {
    this.#timeouts = timeouts
    this.#totalAt = totalAt
    this.#clock = clock
    this.#expire = expire
  }

  /** The attempt begins; it may wait for its turn first. */
  begin(): void {
    this.#arm(this.#clock())
  }

  /** The request is being written: what has to be asked elsewhere for it may take as long as a first byte. */
  writing(): void {
    this.#phase = 'request'
    this.#since = this.#clock()
  }

  /** The call begins. */
  start(): void {
    this.#phase = 'first_byte'
    this.#since = this.#clock()
  }

  /** The head of the answer is here. */
  answered(): void {
    this.#phase = 'idle'
    this.#since = undefined
  }

  /** A read of the answer begins to wait. */
  waiting(): void {
    const now = this.#clock()
    this.#since = now
    if (this.#timer === undefined || now + this.#timeouts.idleMs >= this.#dueAt) return
    // The timer would come too late for this pause.
    this.stop()
    this.#arm(now)
  }

  /** The read has something. */
  received(): void {
    this.#since = undefined
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #arm(now: number): void {
    const pause = this.#phase === 'idle' ? this.#timeouts.idleMs : this.#timeouts.firstByteMs
    const pauseAt = (this.#since ?? now) + pause
    this.#wake(now, Math.max(1, Math.min(pauseAt, this.#totalAt) - now))
  }

  #wake(now: number, ms: number): void {
    this.#dueAt = now + ms
    this.#timer = setTimeout(() => this.#check(), ms)
  }

  #check(): void {
    const now = this.#clock()
    if (now - this.#dueAt > stallMs && !this.#stalled) {
      // This process itself stood still. What came meanwhile is read first.
      this.#stalled = true
      this.#wake(now, graceMs)
      return
    }
    this.#stalled = false
    const idle = this.#phase === 'idle'
    const pause = idle ? this.#timeouts.idleMs : this.#timeouts.firstByteMs
    if (now >= this.#totalAt) {
      this.#expire(
        new UpstreamError('The answer was not whole when its time was over (timeouts.totalMs).', {
          kind: 'total_timeout',
        }),
      )
    } else if (this.#since !== undefined && now - this.#since >= pause) {
      const kind = idle ? 'idle_timeout' : 'first_byte_timeout'
      const what =
        this.#phase === 'request' ? 'The request was not written in' : 'The upstream sent nothing for'
      const option = idle ? 'idleMs' : 'firstByteMs'
      this.#expire(new UpstreamError(`${what} ${pause} ms (timeouts.${option}).`, { kind }))
    } else {
      this.#arm(now)
    }
  }
}

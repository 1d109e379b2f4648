import type { Clock, Timer } from '../clock/clock.ts'
import type { Timeouts } from '../contracts/call-options.ts'
import { UpstreamError } from '../errors/upstream-error.ts'

/** The deadlines of one call. */
type CallTimeouts = Pick<Timeouts, 'firstByteMs' | 'responseMs' | 'idleMs'>

/**
 * Watches one upstream call with a single timer: its request, its first byte or the end of a non-streamed response, the
 * idle time between reads, and the total over all attempts. The timer is re-armed when it fires and not by each read, so
 * that a read costs one assignment. Idle time counts only while a read waits: a slow client is not the upstream's fault.
 */
export class Deadlines {
  readonly #timeouts: CallTimeouts
  readonly #totalAt: number
  readonly #clock: Clock
  readonly #expire: (error: UpstreamError) => void
  #timer: Timer | undefined
  #phase: 'request' | 'first_byte' | 'response' | 'idle' = 'first_byte'
  /** When a non-streamed response has to be complete. */
  #responseAt = Number.POSITIVE_INFINITY
  #since: number | undefined
  #dueAt = 0

  constructor(timeouts: CallTimeouts, totalAt: number, clock: Clock, expire: (error: UpstreamError) => void) {
    this.#timeouts = timeouts
    this.#totalAt = totalAt
    this.#clock = clock
    this.#expire = expire
  }

  /** The attempt begins; it may wait for its slot first. */
  begin(): void {
    this.#arm(this.#clock.monotonic())
  }

  /** The request is being encoded: the provider's own requests, such as for a token, have the time of a first byte. */
  writing(): void {
    this.#phase = 'request'
    this.#since = this.#clock.monotonic()
  }

  /** The call begins. */
  start(streamed: boolean): void {
    const now = this.#clock.monotonic()
    if (streamed) {
      this.#phase = 'first_byte'
      this.#since = now
      return
    }
    // Vendors may send nothing before the response is complete: idle time does not count.
    this.#phase = 'response'
    this.#since = undefined
    this.#responseAt = now + this.#timeouts.responseMs
    this.#wakeBefore(this.#responseAt, now)
  }

  /** The head of the response has arrived. */
  answered(): void {
    if (this.#phase !== 'response') this.#phase = 'idle'
    this.#since = undefined
  }

  /** A read begins to wait. */
  waiting(): void {
    if (this.#phase === 'response') return
    const now = this.#clock.monotonic()
    this.#since = now
    this.#wakeBefore(now + this.#timeouts.idleMs, now)
  }

  /** The read has data. */
  received(): void {
    if (this.#phase === 'response') this.#phase = 'idle'
    this.#since = undefined
  }

  stop(): void {
    this.#timer?.cancel()
    this.#timer = undefined
  }

  #pauseMs(): number {
    const { firstByteMs, idleMs } = this.#timeouts
    return this.#phase === 'idle' || this.#phase === 'response' ? idleMs : firstByteMs
  }

  #arm(now: number): void {
    const pauseAt = (this.#since ?? now) + this.#pauseMs()
    // A whole number, as runtimes have a list for each duration: of fractions they would make and drop lists.
    const ms = Math.max(1, Math.round(Math.min(pauseAt, this.#responseAt, this.#totalAt) - now))
    this.#dueAt = now + ms
    this.#timer = this.#clock.setTimer(ms, () => this.#check())
  }

  /** Arms the timer again where it would fire too late. */
  #wakeBefore(at: number, now: number): void {
    if (this.#timer === undefined || at >= this.#dueAt) return
    this.stop()
    this.#arm(now)
  }

  #check(): void {
    const now = this.#clock.monotonic()
    const idle = this.#phase === 'idle'
    const pause = this.#pauseMs()
    if (now >= this.#totalAt) {
      this.#expire(
        new UpstreamError('The response was not complete within its total timeout (timeouts.totalMs).', {
          kind: 'total_timeout',
        }),
      )
    } else if (now >= this.#responseAt) {
      const { responseMs } = this.#timeouts
      this.#expire(
        new UpstreamError(`The answer was not complete after ${responseMs} ms (timeouts.responseMs).`, {
          kind: 'response_timeout',
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

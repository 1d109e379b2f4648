import type { Timeouts } from '../config.ts'
import { UpstreamError } from '../errors.ts'

/**
 * Watches one upstream call with a single timer: first byte, then the pauses between reads, and the total
 * over all attempts. It is re-armed when it fires, not when something happens, so that a read costs one
 * assignment. A pause counts only while a read is waiting: a slow client is not the upstream's fault.
 */
export class Deadlines {
  readonly #timeouts: Timeouts
  readonly #totalAt: number
  readonly #clock: () => number
  readonly #expire: (error: UpstreamError) => void
  #timer: ReturnType<typeof setTimeout> | undefined
  #phase: 'first_byte' | 'idle' = 'first_byte'
  #since: number | undefined

  constructor(
    timeouts: Timeouts,
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
    this.#arm()
  }

  /** The call begins. */
  start(): void {
    this.#since = this.#clock()
  }

  /** The head of the answer is here. */
  answered(): void {
    this.#phase = 'idle'
    this.#since = undefined
  }

  /** A read of the answer begins to wait. */
  waiting(): void {
    this.#since = this.#clock()
  }

  /** The read has something. */
  received(): void {
    this.#since = undefined
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
  }

  #arm(): void {
    const now = this.#clock()
    const pause = this.#phase === 'first_byte' ? this.#timeouts.firstByteMs : this.#timeouts.idleMs
    const pauseAt = (this.#since ?? now) + pause
    const wait = Math.min(pauseAt, this.#totalAt) - now
    this.#timer = setTimeout(() => this.#check(), Math.max(1, Math.min(wait, 2_147_483_647)))
  }

  #check(): void {
    const now = this.#clock()
    const idle = this.#phase === 'idle'
    const pause = idle ? this.#timeouts.idleMs : this.#timeouts.firstByteMs
    if (now >= this.#totalAt) {
      this.#expire(
        new UpstreamError(`The upstream did not finish before the total deadline.`, {
          kind: 'total_timeout',
        }),
      )
    } else if (this.#since !== undefined && now - this.#since >= pause) {
      const kind = idle ? 'idle_timeout' : 'first_byte_timeout'
      this.#expire(new UpstreamError(`The upstream sent nothing for ${pause} ms.`, { kind }))
    } else {
      this.#arm()
    }
  }
}

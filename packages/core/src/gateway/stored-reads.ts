import type { Clock } from '../clock/clock.ts'
import { WakeTimer } from '../clock/wake-timer.ts'
import { LifeEnded } from '../errors/abort-reasons.ts'
import { GatewayError } from '../errors/errors.ts'
import { spreadRetryAfterHeaders } from '../errors/retry-headers.ts'
import type { EndListener, Lifetime } from '../http/lifetime.ts'
import { Lru } from '../primitives/lru.ts'

/** How many bytes of one principal are read at once, by what its last reads had. */
const maxBytesAtOnce = 8_388_608
const maxAtOnce = 64
/** How many reads of one principal wait, before further ones are rejected. */
const maxWaiting = 200
/** What a principal is taken to read until it has read something, in bytes. */
const firstBytes = 4_194_304
/** Reads up to this size need no pause, in bytes: others get their turn between them. */
const freeBytes = 1_048_576
/** After a longer one its principal pauses for as long as this rate takes for the rest of it, in bytes per second. */
const bytesPerSecond = 8_388_608
/** How many principals are known. */
const maxPrincipals = 10_000

interface Reader {
  active: number
  /** The size of the next read, by those before: the largest, or half of that after a small one, and so on. */
  expectedBytes: number
  /** In monotonic milliseconds. */
  pausesUntil: number
  readonly timer: WakeTimer
  readonly waiting: Set<() => void>
}

/** A read that has begun. */
export interface StoredRead {
  /** Ends it. `bytes`: how much was read and made of it. */
  end(bytes: number): void
}

/**
 * Paces what each principal reads of stored responses. No limit counts such a read, and a long one keeps the process busy for tenths of
 * a second: without pauses one principal could do so all the time.
 */
export class StoredReads {
  readonly #readers = new Lru<Reader>(maxPrincipals)
  readonly #clock: Clock
  readonly #random: () => number

  /** `random` spreads the retries of rejected clients. */
  constructor(clock: Clock, random: () => number) {
    this.#clock = clock
    this.#random = random
  }

  /**
   * Begins a read of an owner, when it is its turn. Rejects with `GatewayError` 429 if too many of it wait, and with `LifeEnded` when
   * the request is aborted.
   */
  begin(owner: string, lifetime: Lifetime): StoredRead | Promise<StoredRead> {
    const reader = this.#readerOf(owner)
    const { waiting } = reader
    if (waiting.size === 0 && this.#isFree(reader)) return this.#start(reader)
    if (waiting.size >= maxWaiting) {
      return Promise.reject(
        new GatewayError('rate_limit_exceeded', {
          message: `You are reading ${maxWaiting} stored responses at once, or more. Please try again when others are read.`,
          headers: spreadRetryAfterHeaders(this.#random),
        }),
      )
    }
    return new Promise((resolve, reject) => {
      const start = () => {
        lifetime.offEnd(leave)
        resolve(this.#start(reader))
      }
      const leave: EndListener = reason => {
        waiting.delete(start)
        reject(new LifeEnded(reason))
      }
      waiting.add(start)
      lifetime.onEnd(leave)
      this.#proceed(reader)
    })
  }

  #readerOf(owner: string): Reader {
    const known = this.#readers.get(owner)
    if (known !== undefined) return known
    const reader: Reader = {
      active: 0,
      expectedBytes: firstBytes,
      pausesUntil: Number.NEGATIVE_INFINITY,
      timer: new WakeTimer({ clock: this.#clock, ring: () => this.#proceed(reader), background: false }),
      waiting: new Set(),
    }
    this.#readers.set(owner, reader)
    return reader
  }

  #isFree({ active, expectedBytes, pausesUntil }: Reader): boolean {
    if (this.#clock.monotonic() < pausesUntil) return false
    return active === 0 || (active < maxAtOnce && (active + 1) * expectedBytes <= maxBytesAtOnce)
  }

  #start(reader: Reader): StoredRead {
    reader.active++
    let isActive = true
    return {
      end: bytes => {
        if (!isActive) return
        isActive = false
        reader.active--
        reader.expectedBytes = Math.max(bytes, reader.expectedBytes / 2)
        const now = this.#clock.monotonic()
        const pauseMs = (Math.max(0, bytes - freeBytes) / bytesPerSecond) * 1_000
        reader.pausesUntil = Math.max(now, reader.pausesUntil) + pauseMs
        this.#proceed(reader)
      },
    }
  }

  /** Begins what waits and may. */
  #proceed(reader: Reader): void {
    const { waiting, pausesUntil, timer } = reader
    for (const start of waiting) {
      if (!this.#isFree(reader)) break
      waiting.delete(start)
      start()
    }
    if (waiting.size > 0 && pausesUntil > this.#clock.monotonic()) timer.wakeAt(pausesUntil)
  }
}

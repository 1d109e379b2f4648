import type { Clock, Timer } from '../clock/clock.ts'
/** Hears when a read begins to wait, and when a read has something. */
export interface ReadWatch {
  waiting(): void
  received(): void
}

/** What a body comes by. */
export interface BodySource {
  /** Goes on, after `push` has said that it is enough for now. */
  resume(): void
  /** Ends it: nobody reads on. */
  close(): void
}

type Read = IteratorResult<Uint8Array, undefined>

/**
 * The most that one read gives. A chunk of the protocol is many times as large as the least that a vendor may send for
 * it, and what is made of one read waits for a client that does not read.
 */
export const maxReadBytes = 16 * 1024
/** So much is held for a reader that is slower than the source. */
const maxBufferedBytes = 65_536
const tailBytes = maxBufferedBytes
const tailMs = 1_000

/**
 * The bytes of an answer as they come, what came together in one read. It can be read once. What came before it broke
 * is delivered first; of one that was cut off nothing is.
 */
export class ReceivedBody implements AsyncIterableIterator<Uint8Array, undefined> {
  readonly #source: BodySource
  readonly #clock: Clock
  #watch: ReadWatch | undefined
  #parts: Uint8Array[] = none
  #bufferedBytes = 0
  #paused = false
  #begun = false
  #ended = false
  #failure: { readonly error: unknown } | undefined
  /** How much of the rest may still come after its reader has left. */
  #tail: number | undefined
  #tailTimer: Timer | undefined
  /** The read that waits, and what is called when there is something for it. */
  #waiting: Promise<Read> | undefined
  #arrived: (() => void) | undefined

  constructor(source: BodySource, clock: Clock) {
    this.#source = source
    this.#clock = clock
  }

  watchedBy(watch: ReadWatch): void {
    this.#watch = watch
  }

  /** Takes what came. False: it is enough for now, until `resume`. */
  push(bytes: Uint8Array): boolean {
    if (this.#failure !== undefined) return true
    if (this.#tail !== undefined) {
      this.#tail -= bytes.byteLength
      if (this.#tail <= 0) this.#source.close()
      return true
    }
    if (this.#parts === none) this.#parts = [bytes]
    else this.#parts.push(bytes)
    this.#bufferedBytes += bytes.byteLength
    this.#wake()
    this.#paused = this.#bufferedBytes >= maxBufferedBytes
    return !this.#paused
  }

  /** All of it came. */
  end(): void {
    this.#ended = true
    this.#tailTimer?.cancel()
    this.#wake()
  }

  /** It broke off: what came before is still read. */
  fail(error: unknown): void {
    if (this.#failure !== undefined) return
    this.#failure = { error }
    this.#tailTimer?.cancel()
    this.#wake()
  }

  /** Whoever asked does not want it any more, for a reason with which each read fails from now on. */
  cut(reason: unknown): void {
    this.#drop()
    this.#failure = undefined
    this.fail(reason)
  }

  /** All of it, where all has come and nothing was read yet; it counts as read then. */
  takeAll(): Uint8Array | undefined {
    if (!this.#ended || this.#begun || this.#failure !== undefined) return undefined
    this.#begun = true
    const takeAll = joined(this.#parts)
    this.#drop()
    return takeAll
  }

  next(): Promise<Read> {
    this.#begun = true
    // Who reads on before the last read is done waits for its turn.
    if (this.#waiting !== undefined) {
      const again = (): Promise<Read> => this.next()
      return this.#waiting.then(again, again)
    }
    if (this.#parts.length > 0) {
      this.#watch?.received()
      return Promise.resolve(this.#read())
    }
    if (this.#failure !== undefined) return Promise.reject(this.#failure.error)
    if (this.#ended || this.#tail !== undefined) return Promise.resolve(this.#read())
    this.#watch?.waiting()
    // It is read a turn after something arrived: by then all of it is here that came together.
    const arrival = new Promise<void>(resolve => {
      this.#arrived = resolve
    })
    this.#waiting = arrival.then(() => {
      this.#waiting = undefined
      return this.#read()
    })
    return this.#waiting
  }

  return(): Promise<Read> {
    this.leave()
    return Promise.resolve({ done: true, value: undefined })
  }

  /**
   * Nobody reads on. A reader that has seen an answer's own end mark leaves before the end of the HTTP message: what is
   * left is read away, if it is little and comes soon, so that the connection can be used again.
   */
  leave(): void {
    const over = this.#ended || this.#failure !== undefined || this.#tail !== undefined
    const tail = tailBytes - this.#bufferedBytes
    this.#drop()
    if (over) return
    this.#tail = tail
    this.#wake()
    this.#tailTimer = this.#clock.setTimer(tailMs, () => this.#source.close())
    // One that is paused holds as much already.
    if (tail <= 0) this.#source.close()
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  #wake(): void {
    if (this.#arrived === undefined) return
    this.#watch?.received()
    this.#arrived()
    this.#arrived = undefined
  }

  /** What a read comes to, where it does not have to wait. */
  #read(): Read {
    if (this.#parts.length > 0) return { done: false, value: this.#take() }
    if (this.#failure !== undefined) throw this.#failure.error
    return { done: true, value: undefined }
  }

  #take(): Uint8Array {
    const parts = this.#parts
    const first = parts[0]!
    let bytes = first
    if (first.byteLength > maxReadBytes) {
      bytes = first.subarray(0, maxReadBytes)
      parts[0] = first.subarray(maxReadBytes)
    } else if (this.#bufferedBytes <= maxReadBytes) {
      bytes = joined(parts)
      this.#parts = none
    } else {
      let count = 1
      for (let size = first.byteLength; ; count++) {
        size += parts[count]!.byteLength
        if (size > maxReadBytes) break
      }
      bytes = joined(parts.splice(0, count))
    }
    this.#bufferedBytes -= bytes.byteLength
    // Last: it may bring more at once.
    if (this.#paused && this.#bufferedBytes < maxBufferedBytes) {
      this.#paused = false
      this.#source.resume()
    }
    return bytes
  }

  #drop(): void {
    this.#parts = none
    this.#bufferedBytes = 0
  }
}

/** Of all bodies that hold nothing. */
const none: Uint8Array[] = []

function joined(parts: readonly Uint8Array[]): Uint8Array {
  if (parts.length === 1) return parts[0]!
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.byteLength, 0))
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.byteLength
  }
  return whole
}

import type { Clock, Timer } from '../clock/clock.ts'
/** Notified when a read starts to wait, and when it has data. */
export interface ReadWatch {
  waiting(): void
  received(): void
}

/** The source of a body. */
export interface BodySource {
  /** Resumes after `push` has returned `false`. */
  resume(): void
  /** Closes it, because nothing more is read. */
  close(): void
}

type Read = IteratorResult<Uint8Array, undefined>

/**
 * Maximum bytes of one read. An encoded chunk can be many times larger than its upstream bytes, and what one read produces is
 * buffered for a slow client.
 */
export const maxReadBytes = 16 * 1024
/** Maximum bytes buffered for a slow reader before the source is paused. */
const maxBufferedBytes = 65_536
const tailBytes = maxBufferedBytes
const tailMs = 1_000

/**
 * The body of a response. It can be read once; a read returns what has arrived together. Bytes that arrived before a failure
 * are still delivered, but none after `cut`.
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
  /** Bytes that may still be drained after the reader has stopped. */
  #tail: number | undefined
  #tailTimer: Timer | undefined
  /** The pending read, and the function that resolves it. */
  #waiting: Promise<Read> | undefined
  #arrived: (() => void) | undefined

  constructor(source: BodySource, clock: Clock) {
    this.#source = source
    this.#clock = clock
  }

  watchedBy(watch: ReadWatch): void {
    this.#watch = watch
  }

  /** Adds bytes. Returns `false` if the source should pause until `resume`. */
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

  /** Marks the body as complete. */
  end(): void {
    this.#ended = true
    this.#tailTimer?.cancel()
    this.#wake()
  }

  /** Fails the body. Bytes that arrived before can still be read. */
  fail(error: unknown): void {
    if (this.#failure !== undefined) return
    this.#failure = { error }
    this.#tailTimer?.cancel()
    this.#wake()
  }

  /** Cancels the body: every further read rejects with the reason. */
  cut(reason: unknown): void {
    this.#drop()
    this.#failure = undefined
    this.fail(reason)
  }

  /** Takes the complete body, or returns `undefined` if it is not complete, or was read already. */
  takeAll(): Uint8Array | undefined {
    if (!this.#ended || this.#begun || this.#failure !== undefined) return undefined
    this.#begun = true
    const takeAll = joined(this.#parts)
    this.#drop()
    return takeAll
  }

  next(): Promise<Read> {
    this.#begun = true
    // Concurrent reads run one after the other.
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
    // Resolved one turn later, when everything that arrived together has been added.
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
   * Stops reading. A decoder that has received the end marker stops before the end of the HTTP message. The rest is drained if
   * it is small and arrives soon, so that the connection can be reused.
   */
  leave(): void {
    const over = this.#ended || this.#failure !== undefined || this.#tail !== undefined
    const tail = tailBytes - this.#bufferedBytes
    this.#drop()
    if (over) return
    this.#tail = tail
    this.#wake()
    this.#tailTimer = this.#clock.setTimer(tailMs, () => this.#source.close())
    // A paused source has already filled the buffer.
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

  /** Returns the result of a read that does not have to wait. */
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
    // Last, because it may push more synchronously.
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

/** Shared by all empty bodies. */
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

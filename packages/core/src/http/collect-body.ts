import type { Clock, Timer } from '../clock/clock.ts'
import type { HostBody } from '../contracts/host.ts'
import type { EndReason } from '../errors/abort-reasons.ts'
import { LifeEnded } from '../errors/abort-reasons.ts'
import { memberOf } from '../primitives/own-members.ts'
import type { Lifetime } from './lifetime.ts'
import type { RequestLimits } from './request-limits.ts'
import type { Upload } from './uploads.ts'

type StreamBody = Extract<HostBody, { kind: 'stream' }>

type UseBody<T> = (bytes: Uint8Array, pieces: readonly Uint8Array[]) => T

/** Limits of a body that is being received. */
export interface BodyBounds {
  readonly limits: RequestLimits
  /** Counts the body. Ended when the body is complete, or no longer received. */
  readonly upload: Upload
  /** Returns the error for a body above `maxBytes`, of which `bytes` were read. */
  readonly tooLarge: (bytes: number) => Error
  /** Returns the error for a body that is too slow: `bytes` in `ms` milliseconds. */
  readonly tooSlow: (bytes: number, ms: number) => Error
  /** Aborts receiving when the request is aborted. */
  readonly lifetime: Pick<Lifetime, 'onEnd' | 'offEnd'>
  readonly clock: Clock
}

/**
 * Collects a stream and returns the result of `use`. It gets the bytes, which are reused for other bodies afterwards, and the same
 * bytes in pieces, which it may retain. A body of a single chunk is not copied; small chunks are copied together, so that they
 * are not retained. On an error it cancels the stream without waiting for it.
 *
 * Rejects with an error of `bounds`, with what the stream, the upload or `use` threw, or with `LifeEnded`.
 */
export function collectBody<T>(
  stream: AsyncIterable<Uint8Array>,
  bounds: BodyBounds,
  use: UseBody<T>,
): Promise<T> {
  const { limits, upload, lifetime, clock } = bounds
  const pieces = new Pieces()
  let iterator: AsyncIterator<Uint8Array> | undefined
  return new Promise((resolve, reject) => {
    let ended = false
    let timer: Timer | undefined
    const end = (): void => {
      ended = true
      timer?.cancel()
      lifetime.offEnd(abort)
      upload.end()
    }
    const refuse = (error: unknown): void => {
      if (ended) return
      end()
      // A stream that never settles would keep the bytes alive.
      pieces.clear()
      reject(error)
      void stop(iterator)
    }
    const abort = (reason: EndReason): void => refuse(new LifeEnded(reason))
    const startedAt = clock.monotonic()
    /** Runs for a body that takes long: counts it as an upload, or rejects it as too slow. */
    const watch = (): void => {
      const ms = clock.monotonic() - startedAt
      const dueMs = allowedMs(pieces.length, limits)
      const counts = ms >= limits.uploadGraceMs
      try {
        if (ms >= dueMs) throw bounds.tooSlow(pieces.length, ms)
        if (counts) upload.count()
        const nextMs = counts ? dueMs : Math.min(dueMs, limits.uploadGraceMs)
        timer = clock.setTimer(nextMs - ms, watch)
      } catch (error) {
        refuse(error)
      }
    }
    const pump = async (): Promise<void> => {
      const source = stream[Symbol.asyncIterator]()
      iterator = source
      watch()
      lifetime.onEnd(abort)
      while (!ended) {
        const { done, value } = await source.next()
        if (ended) return
        if (done === true) break
        if (!ArrayBuffer.isView(value)) throw notBytes()
        const length = pieces.length + value.length
        if (length > limits.maxBytes) return refuse(bounds.tooLarge(length))
        upload.reserve(length)
        pieces.add(value)
      }
      if (ended) return
      end()
      resolve(pieces.use(use))
    }
    pump().catch(error => {
      if (ended) reject(error)
      else refuse(error)
    })
  })
}

/** Returns how long a body may have taken after `bytes` bytes, in milliseconds. */
function allowedMs(bytes: number, { deadlineMs, minBytesPerSecond, minRateGraceMs }: RequestLimits): number {
  return Math.min(deadlineMs, minRateGraceMs + (1000 * bytes) / minBytesPerSecond)
}

/** Returns a body that is buffered completely, or `undefined`. */
export function bufferedBody(body: StreamBody): Uint8Array | undefined {
  const buffered = memberOf(body, 'buffered')?.call(body)
  if (buffered !== undefined && !ArrayBuffer.isView(buffered)) throw notBytes()
  return buffered
}

function notBytes(): TypeError {
  return new TypeError('The body must consist of bytes, got text.')
}

/** Iterates over a Web stream. Its `return` cancels a pending read, for which an async generator would wait. */
export function iterate(stream: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const reader = stream.getReader()
      return {
        next: () => reader.read() as Promise<IteratorResult<Uint8Array, undefined>>,
        return: async () => {
          await reader.cancel()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

async function stop(iterator: AsyncIterator<Uint8Array> | undefined): Promise<void> {
  try {
    await iterator?.return?.()
  } catch {
    // The error that ended the body has already been reported.
  }
}

const nothing = new Uint8Array()

/** Reused to join the chunks of a body. Allocating a large array per request would cause a major GC every few requests. */
let spare: Uint8Array = nothing
const maxSpareBytes = 4_194_304

/** Chunks below this size are copied together, which bounds the overhead of many small ones. */
const smallPiece = 4_096
const minSlabBytes = 1_024
const maxSlabBytes = 65_536

/** The received chunks of a body. Uses about as much memory as bytes, whatever the size of the chunks. */
class Pieces {
  length = 0
  #list: Uint8Array[] = []
  /** The buffer of small chunks. */
  #slab: Uint8Array = nothing
  /** The range of the slab that is in use, but not in the list yet. */
  #from = 0
  #to = 0

  add(piece: Uint8Array): void {
    this.length += piece.length
    if (piece.length >= smallPiece || this.#list.length === 0) {
      this.#close()
      // A view would retain its complete buffer.
      this.#list.push(piece.buffer.byteLength > 2 * piece.length ? new Uint8Array(piece) : piece)
      return
    }
    if (this.#to + piece.length > this.#slab.length) {
      this.#close()
      this.#slab = new Uint8Array(Math.min(Math.max(this.length, minSlabBytes), maxSlabBytes))
      this.#from = this.#to = 0
    }
    this.#slab.set(piece, this.#to)
    this.#to += piece.length
  }

  /** Calls a function with all bytes, which it must not retain, and with the pieces, which it may. */
  use<T>(use: UseBody<T>): T {
    this.#close()
    const pieces = this.#list
    const [first = nothing, second] = pieces
    if (second === undefined) return use(first, pieces)
    const buffer = spare.length >= this.length ? spare : new Uint8Array(this.length)
    let at = 0
    for (const piece of pieces) {
      buffer.set(piece, at)
      at += piece.length
    }
    this.clear()
    if (buffer.length <= maxSpareBytes) spare = buffer
    return use(buffer.subarray(0, at), pieces)
  }

  clear(): void {
    this.#list = []
    this.#slab = nothing
    this.#from = this.#to = 0
  }

  #close(): void {
    if (this.#to === this.#from) return
    this.#list.push(this.#slab.subarray(this.#from, this.#to))
    this.#from = this.#to
  }
}

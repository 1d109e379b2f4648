import type { Clock, Timer } from '../clock/clock.ts'
import type { HostBody } from '../contracts/host.ts'
import type { EndReason } from '../errors/abort-reasons.ts'
import { LifeEnded } from '../errors/abort-reasons.ts'
import { memberOf } from '../primitives/own-members.ts'
import type { Lifetime } from './lifetime.ts'
import type { RequestLimits } from './request-limits.ts'
import type { Upload } from './uploads.ts'

type StreamBody = Extract<HostBody, { kind: 'stream' }>

/** Bounds of a body while it arrives. */
export interface BodyBounds {
  readonly limits: RequestLimits
  /** Where it is counted. Ended when the last byte has arrived, or none is waited for any more. */
  readonly upload: Upload
  /** Makes the error for more than `maxBytes`, given how many bytes were read until then. */
  readonly tooLarge: (bytes: number) => Error
  /** Makes the error for a body that arrives too slowly, given how many bytes have arrived in how many milliseconds. */
  readonly tooSlow: (bytes: number, ms: number) => Error
  /** Ends the reading when it ends. */
  readonly lifetime: Pick<Lifetime, 'onEnd' | 'offEnd'>
  readonly clock: Clock
}

/**
 * Returns what `use` makes of all of a stream as one array, which is another body's afterwards. A body that comes in one
 * piece is not copied; one that comes in many tiny pieces does not keep them alive. When it refuses, it tells the stream
 * to stop and does not wait for that.
 *
 * Rejects with what `bounds` makes, with what the stream, the upload or `use` threw, or with `LifeEnded`.
 */
export function collectBody<T>(
  stream: AsyncIterable<Uint8Array>,
  bounds: BodyBounds,
  use: (bytes: Uint8Array) => T,
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
      lifetime.offEnd(leave)
      upload.end()
    }
    const refuse = (error: unknown): void => {
      if (ended) return
      end()
      // A stream that never answers keeps this alive.
      pieces.clear()
      reject(error)
      void stop(iterator)
    }
    const leave = (reason: EndReason): void => refuse(new LifeEnded(reason))
    const startedAt = clock.monotonic()
    /** Looks after a body that takes its time: when it counts as an upload, and when it is too late. */
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
      lifetime.onEnd(leave)
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

/** How long a body may take of which so many bytes have arrived. */
function allowedMs(bytes: number, { deadlineMs, minBytesPerSecond, minRateGraceMs }: RequestLimits): number {
  return Math.min(deadlineMs, minRateGraceMs + (1000 * bytes) / minBytesPerSecond)
}

/** All of a body that has come as a whole; `undefined` where it has to be waited for. */
export function bufferedBody(body: StreamBody): Uint8Array | undefined {
  const whole = memberOf(body, 'buffered')?.call(body)
  if (whole !== undefined && !ArrayBuffer.isView(whole)) throw notBytes()
  return whole
}

function notBytes(): TypeError {
  return new TypeError('The body has to come as bytes, not as text.')
}

/** A Web stream as an iterable whose `return` ends a read under way: that of an async generator would wait. */
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
    // The stream failed while it stopped; what was refused stays refused.
  }
}

const nothing = new Uint8Array()

/**
 * Used for each body that has to be put together, one after the other. Fresh memory for each large one would have the
 * engine look for garbage in all of its memory every few requests.
 */
let spare: Uint8Array = nothing
const largestSpare = 4_194_304

/** Smaller pieces are copied together, so that many of them cost little more than their bytes. */
const smallPiece = 4_096
const smallestSlab = 1_024
const largestSlab = 65_536

/** What has arrived of a body: about as much memory as bytes, however they are cut. */
class Pieces {
  length = 0
  #list: Uint8Array[] = []
  /** Where small pieces are copied to. */
  #slab: Uint8Array = nothing
  /** What of the slab is in use, and not in the list. */
  #from = 0
  #to = 0

  add(piece: Uint8Array): void {
    this.length += piece.length
    if (piece.length >= smallPiece || this.#list.length === 0) {
      this.#close()
      // What it is a part of would be kept with it.
      this.#list.push(piece.buffer.byteLength > 2 * piece.length ? new Uint8Array(piece) : piece)
      return
    }
    if (this.#to + piece.length > this.#slab.length) {
      this.#close()
      this.#slab = new Uint8Array(Math.min(Math.max(this.length, smallestSlab), largestSlab))
      this.#from = this.#to = 0
    }
    this.#slab.set(piece, this.#to)
    this.#to += piece.length
  }

  /** Calls a function with all bytes, which it must not keep. */
  use<T>(use: (bytes: Uint8Array) => T): T {
    this.#close()
    const [first = nothing, second] = this.#list
    if (second === undefined) return use(first)
    const room = spare.length >= this.length ? spare : new Uint8Array(this.length)
    let at = 0
    for (const piece of this.#list) {
      room.set(piece, at)
      at += piece.length
    }
    this.clear()
    if (room.length <= largestSpare) spare = room
    return use(room.subarray(0, at))
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

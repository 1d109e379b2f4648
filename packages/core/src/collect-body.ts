import { deadline } from './deadline.ts'
import type { HostBody } from './host.ts'
import { memberOf } from './protocol/own-members.ts'

type StreamBody = Extract<HostBody, { kind: 'stream' }>

/** Bounds of a body while it arrives. */
export interface BodyBounds {
  readonly maxBytes: number
  readonly deadlineMs: number
  /** Makes the error for more than `maxBytes`, given how many bytes were read until then. */
  readonly tooLarge: (bytes: number) => Error
  /** Makes the error for a body that takes longer than `deadlineMs`. */
  readonly tooSlow: () => Error
  /** How many bytes were announced; `undefined` or 0 where none were. */
  readonly announced?: number | undefined
  /** Ends the reading with its reason, for a stream that does not itself fail when the caller leaves. */
  readonly signal?: AbortSignal | undefined
}

/**
 * What `use` makes of all of a stream as one array, which is another body's afterwards. A body that comes in one piece is
 * not copied; one that comes in many tiny pieces does not keep them alive. When it refuses, it tells the stream to stop
 * and does not wait for that.
 *
 * Rejects with what `bounds` makes, with what the stream or `use` threw, or with the signal's reason.
 */
export function collectBody<T>(
  stream: AsyncIterable<Uint8Array>,
  bounds: BodyBounds,
  use: (bytes: Uint8Array) => T,
): Promise<T> {
  const iterator = stream[Symbol.asyncIterator]()
  return new Promise((resolve, reject) => {
    let ended = false
    const end = (): void => {
      ended = true
      takeBack()
      bounds.signal?.removeEventListener('abort', leave)
    }
    const refuse = (error: unknown): void => {
      end()
      reject(error)
      void stop(iterator)
    }
    const leave = (): void => refuse(bounds.signal?.reason)
    const takeBack = deadline(bounds.deadlineMs, () => refuse(bounds.tooSlow()))
    if (bounds.signal?.aborted) return leave()
    bounds.signal?.addEventListener('abort', leave)
    const pump = async (): Promise<void> => {
      const pieces = new Pieces(bounds.announced ?? 0)
      for (;;) {
        const { done, value } = await iterator.next()
        if (ended) return
        if (done === true) break
        if (!ArrayBuffer.isView(value)) throw notBytes()
        pieces.add(value)
        if (pieces.length > bounds.maxBytes) return refuse(bounds.tooLarge(pieces.length))
      }
      end()
      try {
        resolve(use(pieces.whole()))
      } finally {
        pieces.giveBack()
      }
    }
    pump().catch(error => {
      if (ended) reject(error)
      else refuse(error)
    })
  })
}

/** All of a body that has come as a whole; `undefined` where it has to be waited for. */
export function arrivedBody(body: StreamBody): Uint8Array | undefined {
  const whole = memberOf(body, 'arrived')?.call(body)
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

async function stop(iterator: AsyncIterator<Uint8Array>): Promise<void> {
  try {
    await iterator.return?.()
  } catch {
    // The stream failed while it stopped; what was refused stays refused.
  }
}

/**
 * Room that was given back. Fresh memory for each large body would have the engine look for garbage in all of its memory
 * every few requests.
 */
const spare: Uint8Array[] = []
const mostSpare = 2
const largestSpare = 4_194_304

function roomOf(bytes: number): Uint8Array {
  const fit = spare.findIndex(({ length }) => length >= bytes)
  return fit === -1 ? new Uint8Array(bytes) : spare.splice(fit, 1)[0]!
}

function giveBackRoom(room: Uint8Array): void {
  if (room.length > largestSpare) return
  if (spare.length === mostSpare) spare.shift()
  spare.push(room)
}

const leastRoom = 65_536
/** Room is made for so many times what has come: what was announced may never come. */
const trust = 8

class Pieces {
  length = 0
  readonly #announced: number
  #first: Uint8Array | undefined
  #buffer: Uint8Array | undefined

  constructor(announced: number) {
    this.#announced = announced
  }

  add(piece: Uint8Array): void {
    const before = this.length
    this.length += piece.length
    if (before === 0) {
      this.#first = piece
      return
    }
    let buffer = this.#buffer
    if (buffer === undefined || buffer.length < this.length) {
      const grown = roomOf(Math.max(this.#roomFor(this.length), leastRoom))
      grown.set((buffer ?? this.#first!).subarray(0, before))
      if (buffer !== undefined) giveBackRoom(buffer)
      this.#buffer = buffer = grown
      this.#first = undefined
    }
    buffer.set(piece, before)
  }

  #roomFor(length: number): number {
    return this.#announced >= length ? Math.min(this.#announced, trust * length) : 2 * length
  }

  /** Nobody needs them any more. */
  giveBack(): void {
    if (this.#buffer !== undefined) giveBackRoom(this.#buffer)
    this.#buffer = undefined
  }

  whole(): Uint8Array {
    return this.#buffer?.subarray(0, this.length) ?? this.#first ?? new Uint8Array()
  }
}

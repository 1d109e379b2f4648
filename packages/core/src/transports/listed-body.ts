import type { EncodedNativeRequest } from '../contracts/provider.ts'
import type { UpstreamRequest } from '../contracts/transport.ts'

type ListedBody = readonly Uint8Array[]

/** Whether a body is a list of its bytes. */
export function isListed(body: unknown): body is ListedBody {
  return Array.isArray(body) && body.every(piece => ArrayBuffer.isView(piece))
}

/** Returns the number of bytes of a body. */
export function listedBytes(body: ListedBody): number {
  return body.reduce((sum, { byteLength }) => sum + byteLength, 0)
}

/**
 * A body that is read once, and gives its pieces away. Undici keeps the body of a request until its response has ended; of
 * this one it keeps nothing once it is sent.
 */
export class SentBody implements IterableIterator<Uint8Array, undefined> {
  readonly byteLength: number
  readonly #pieces: Uint8Array[]

  constructor(pieces: Uint8Array[]) {
    this.byteLength = listedBytes(pieces)
    this.#pieces = pieces
  }

  [Symbol.iterator](): this {
    return this
  }

  next(): IteratorResult<Uint8Array, undefined> {
    const value = this.#pieces.shift()
    return value === undefined ? { done: true, value } : { done: false, value }
  }
}

/** Returns the request that a transport of the application gets: its body is one text, or one array of bytes. */
export function withOneBody(request: EncodedNativeRequest): UpstreamRequest {
  const { body } = request
  if (!isListed(body)) return request as UpstreamRequest
  const bytes = new Uint8Array(listedBytes(body))
  let at = 0
  for (const piece of body) {
    bytes.set(piece, at)
    at += piece.byteLength
  }
  return { ...request, body: bytes }
}

import type { IncomingMessage } from 'node:http'
import type { HostBody } from '@sluice/core/adapter'
import { readChunks } from './read-chunks.ts'
import { smallBodyBytes } from './unread-body.ts'

type StreamBody = Extract<HostBody, { kind: 'stream' }>

const nothing = new Uint8Array()

/** Whether all of a body waits to be read, in one piece. */
function isBodyBuffered(incoming: IncomingMessage): boolean {
  // One that flows comes in the pieces in which it came.
  if (incoming.readableFlowing === true) return false
  if (incoming.complete) return true
  // Node runs what waits for bytes before it says that they were the last.
  const { 'content-length': length, expect } = incoming.headers
  return (
    length !== undefined &&
    Number(length) === incoming.readableLength &&
    incoming.readableLength <= smallBodyBytes &&
    expect === undefined &&
    incoming.httpVersionMajor === 1
  )
}

/** The body of a node request, in the form that `gateway.fetch` reads: at once if it is buffered, else in pieces. */
export class IncomingBody implements StreamBody {
  readonly kind = 'stream'
  /** The native request that was created from the node request: it then has the body, and may be one half of a clone. */
  native: Request | undefined = undefined
  readonly #incoming: IncomingMessage
  readonly #given: StreamBody | undefined
  readonly #started: (() => void) | undefined

  constructor(incoming: IncomingMessage, given: StreamBody | undefined, started: (() => void) | undefined) {
    this.#incoming = incoming
    this.#given = given
    this.#started = started
  }

  get stream(): AsyncIterable<Uint8Array> {
    return this
  }

  buffered(): Uint8Array | undefined {
    const incoming = this.#incoming
    if (this.native !== undefined || this.#given !== undefined || !isBodyBuffered(incoming)) return undefined
    const bytes: Uint8Array = incoming.read() ?? nothing
    // To its end, which Node may not have told it of yet.
    incoming.resume()
    return bytes
  }

  [Symbol.asyncIterator](): AsyncIterator<Uint8Array> {
    const native = this.native?.body
    return native ? native[Symbol.asyncIterator]() : this.pieces()
  }

  /** Returns the unread part of the body of the node request. */
  pieces(): AsyncIterator<Uint8Array> {
    return this.#given?.stream[Symbol.asyncIterator]() ?? readChunks(this.#incoming, this.#started)
  }
}

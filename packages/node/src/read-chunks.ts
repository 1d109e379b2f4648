import type { IncomingMessage } from 'node:http'

/**
 * Returns the bytes of a node request, read on demand. Unlike its own iterator, ending it early keeps the connection open,
 * so that a response can still be sent; and a body that has arrived needs no listener.
 *
 * `next` rejects when the client disconnects before the body is complete. `started` is called once, before the
 * first wait for bytes that have not arrived.
 */
export function readChunks(
  incoming: IncomingMessage,
  started?: () => void,
): AsyncIterableIterator<Uint8Array> {
  return new ChunkIterator(incoming, started)
}

const done: IteratorReturnResult<undefined> = { done: true, value: undefined }

class ChunkIterator implements AsyncIterableIterator<Uint8Array> {
  readonly #incoming: IncomingMessage
  #started: (() => void) | undefined
  #over = false
  #waiting: { resolve(result: IteratorResult<Uint8Array>): void; reject(error: unknown): void } | undefined

  constructor(incoming: IncomingMessage, started: (() => void) | undefined) {
    this.#incoming = incoming
    this.#started = started
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  next(): Promise<IteratorResult<Uint8Array>> {
    if (this.#over) return Promise.resolve(done)
    const incoming = this.#incoming
    const value: Uint8Array | null = incoming.read()
    if (value !== null) return Promise.resolve({ done: false, value })
    if (incoming.readableEnded || (incoming.complete && incoming.readableLength === 0)) return this.return()
    if (incoming.destroyed) return Promise.reject(disconnectError())
    this.#started?.()
    this.#started = undefined
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject }
      incoming
        .on('readable', this.#look)
        .on('end', this.#look)
        .on('error', this.#look)
        .on('close', this.#look)
    })
  }

  return(): Promise<IteratorResult<Uint8Array>> {
    this.#over = true
    this.#detach()?.resolve(done)
    return Promise.resolve(done)
  }

  readonly #look = (): void => {
    const waiting = this.#detach()
    if (waiting === undefined) return
    this.next().then(waiting.resolve, waiting.reject)
  }

  #detach() {
    const waiting = this.#waiting
    if (waiting === undefined) return
    this.#waiting = undefined
    const look = this.#look
    this.#incoming.off('readable', look).off('end', look).off('error', look).off('close', look)
    return waiting
  }
}

function disconnectError(): Error {
  return new Error('The client disconnected before its request was complete.')
}

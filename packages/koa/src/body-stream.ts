import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { closeIterator, cutOffAfter, defaultWriteStallMs } from '@sluice/node/adapter'

/**
 * A streamed response as the body that Koa pipes. It reads ahead only as far as its client reads, cancels its
 * source when the client disconnects, and cuts the connection when the source breaks: a stream that broke
 * must not look like one that ended.
 */
export class BodyStream extends Readable {
  readonly #iterator: AsyncIterator<string | Uint8Array>
  readonly #res: ServerResponse
  readonly #stallMs: number
  #stalled: (() => void) | undefined

  constructor(body: AsyncIterable<string | Uint8Array>, res: ServerResponse, stallMs = defaultWriteStallMs) {
    super()
    this.#iterator = body[Symbol.asyncIterator]()
    this.#res = res
    this.#stallMs = stallMs
  }

  override _read(): void {
    this.#stalled?.()
    // Not before Koa pipes: a host that fails meanwhile can still say so, and Koa then drops this body.
    if (!this.#res.headersSent) this.#res.flushHeaders()
    this.#iterator.next().then(
      step => this.#take(step),
      error => this.destroy(error),
    )
  }

  override _destroy(error: Error | null, done: (error?: Error | null) => void): void {
    this.#stalled?.()
    closeIterator(this.#iterator)
    const clientDisconnected = this.#res.destroyed
    if (error !== null) this.#res.destroy()
    done(clientDisconnected ? null : error)
  }

  #take(step: IteratorResult<string | Uint8Array>): void {
    if (this.destroyed) return
    if (step.done === true) {
      cutOffAfter(this.#res, this.#stallMs)
      this.push(null)
    } else if (step.value.length === 0) {
      this._read()
    } else if (!this.push(step.value)) {
      this.#stalled = cutOffAfter(this.#res, this.#stallMs)
    }
  }
}

import type { Clock } from '../clock/clock.ts'
/** What is watched of a connection: a socket of Node's, with TLS or without. */
export interface WatchedSocket {
  readonly bytesRead: number
  readonly writableLength: number
  on(event: 'error', listener: (error: Error) => void): unknown
  destroy(): unknown
}

const closedByPeer = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']
/** A request that was sent longer ago, in milliseconds, did not cross the connection's end: the upstream had it. */
const crossingMs = 1_000

/**
 * The connection that one client of a pool keeps, for one request after the other. It knows when the upstream
 * closed it just as the next request was sent: it had answered before, and not a byte has come in the
 * second since.
 */
export class KeptConnection {
  readonly #lost: (error: Error) => void
  readonly #clock: Clock
  #socket: WatchedSocket | undefined
  /** The connection that was open when the request under way was handed over. */
  #reused: WatchedSocket | undefined
  #readBefore = 0
  #handedAt = 0

  /** `lost` is told of the error with which the request fails then.  */
  constructor(lost: (error: Error) => void, clock: Clock) {
    this.#lost = lost
    this.#clock = clock
  }

  opened(socket: WatchedSocket): void {
    this.#socket = socket
    socket.on('error', error => {
      const unanswered = socket === this.#reused && socket.bytesRead === this.#readBefore
      if (!unanswered || this.#clock.monotonic() - this.#handedAt > crossingMs) return
      if (closedByPeer.includes(String((error as { code?: unknown }).code))) this.#lost(error)
    })
  }

  /** A request is handed over. */
  next(): void {
    const socket = this.#socket
    // An answer came before its request was sent to the end: the rest would stand before the next request.
    if (socket !== undefined && socket.writableLength > 0) socket.destroy()
    this.#handedAt = this.#clock.monotonic()
    this.#readBefore = socket?.bytesRead ?? 0
    this.#reused = this.#readBefore > 0 ? socket : undefined
  }
}

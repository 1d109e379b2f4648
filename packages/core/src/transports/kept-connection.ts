/** What is watched of a connection: a socket of Node's, with TLS or without. */
export interface WatchedSocket {
  readonly bytesRead: number
  readonly writableLength: number
  on(event: 'error', listener: (error: Error) => void): unknown
  destroy(): unknown
}

const closedByPeer = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']

/**
 * The connection that one client of a pool keeps, for one request after the other. It knows when the upstream
 * closed it just as the next request was sent: it had answered before, and not a byte has come since.
 */
export class KeptConnection {
  readonly #lost: (error: Error) => void
  #socket: WatchedSocket | undefined
  /** The connection that was open when the request under way was handed over. */
  #reused: WatchedSocket | undefined
  #readBefore = 0

  /** `lost` is told of the error with which the request fails then. */
  constructor(lost: (error: Error) => void) {
    this.#lost = lost
  }

  opened(socket: WatchedSocket): void {
    this.#socket = socket
    socket.on('error', error => {
      const unanswered = socket === this.#reused && socket.bytesRead === this.#readBefore
      if (unanswered && closedByPeer.includes(String((error as { code?: unknown }).code))) this.#lost(error)
    })
  }

  /** A request is handed over. */
  next(): void {
    const socket = this.#socket
    // An answer came before its request was sent to the end: the rest would stand before the next request.
    if (socket !== undefined && socket.writableLength > 0) socket.destroy()
    this.#readBefore = socket?.bytesRead ?? 0
    this.#reused = this.#readBefore > 0 ? socket : undefined
  }
}

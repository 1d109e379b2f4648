import type { Clock } from '../clock/clock.ts'
/** The part of a Node socket, with or without TLS, that is used. */
export interface WatchedSocket {
  readonly bytesRead: number
  readonly writableLength: number
  on(event: 'error', listener: (error: Error) => void): unknown
  destroy(): unknown
}

const closedByPeer = ['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']
/** If the request was sent longer ago, in milliseconds, the upstream must have received it. */
const crossingMs = 1_000

/**
 * The keep-alive connection of a client in a pool. It detects that the upstream closed the connection while the next request
 * was being sent: the connection was used before, and no byte was received within the second since.
 */
export class KeepAliveConnection {
  readonly #lost: (error: Error) => void
  readonly #clock: Clock
  #socket: WatchedSocket | undefined
  /** The connection that was open when the current request was sent. */
  #reused: WatchedSocket | undefined
  #readBefore = 0
  #handedAt = 0

  /** `lost` is called with the error that the request then fails with. */
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

  /** Records that a request is sent. */
  next(): void {
    const socket = this.#socket
    // A response arrived before its request was sent completely: the rest would precede the next request.
    if (socket !== undefined && socket.writableLength > 0) socket.destroy()
    this.#handedAt = this.#clock.monotonic()
    this.#readBefore = socket?.bytesRead ?? 0
    this.#reused = this.#readBefore > 0 ? socket : undefined
  }
}

import { STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { bytesOf } from './bytes.ts'
import { type HeadersToSend, headerRecord, headText, mergeHeaders } from './headers.ts'
import type { Framing } from './http-message.ts'
import type { RecordedRequest } from './recorded-request.ts'
import type { Pace } from './script.ts'
import { sleep } from './sleep.ts'
import { ConnectionGone, closed, flushed, piecesOf, writeBytes, writePaced } from './socket-writer.ts'

/**
 * One answer on a connection: knows which part of it has been written and how its body is framed.
 * Every write throws `ConnectionGone` once the peer has disconnected.
 */
export class Exchange {
  readonly request: RecordedRequest
  readonly signal: AbortSignal
  /** Whether the connection can serve another request after this one. */
  keepAlive: boolean
  #socket: Socket
  #framing: Framing | 'none' = 'none'
  #answers = 0
  #onOwnClose: () => void

  constructor(
    socket: Socket,
    request: RecordedRequest,
    keepAlive: boolean,
    signal: AbortSignal,
    onOwnClose: () => void,
  ) {
    this.#socket = socket
    this.request = request
    this.keepAlive = keepAlive
    this.signal = signal
    this.#onOwnClose = onOwnClose
  }

  /** Whether a head was sent whose body has not ended. */
  get open(): boolean {
    return this.#framing !== 'none'
  }

  async start(
    status: number,
    defaults: readonly [string, string][],
    headers: HeadersToSend,
    framing: Framing,
  ) {
    if (this.open) throw new Error('script: got a second head within an answer; put end() before it')
    const framed: [string, string][] = [...defaults, ...framingHeader(framing)]
    if (framing === 'until-close' || !this.keepAlive) framed.push(['connection', 'close'])
    const pairs = mergeHeaders(framed, headers)
    if (/\bclose\b/i.test(headerRecord(pairs).connection ?? '')) this.keepAlive = false
    this.#framing = framing
    this.#answers++
    const reason = STATUS_CODES[status] ?? 'Unknown'
    await writeBytes(this.#socket, Buffer.from(headText(`HTTP/1.1 ${status} ${reason}`, pairs), 'latin1'))
  }

  /** Writes body bytes as the head announced them. */
  async write(bytes: Uint8Array, pace: Pace = {}): Promise<void> {
    await this.writePieces(piecesOf(bytes, pace), pace)
  }

  async writePieces(pieces: readonly Uint8Array[], pace: Pace): Promise<void> {
    if (this.request.method === 'HEAD') return
    const frame = this.#framing === 'chunked' ? chunkOf : undefined
    await writePaced(this.#socket, pieces, pace, this.signal, frame)
  }

  async raw(bytes: Uint8Array, pace: Pace): Promise<void> {
    await writePaced(this.#socket, piecesOf(bytes, pace), pace, this.signal)
  }

  /** Ends the answer. One without a head of its own, or that lasts until the close, ends its connection. */
  async end(): Promise<void> {
    if (this.#framing === 'chunked' && this.request.method !== 'HEAD') {
      await writeBytes(this.#socket, bytesOf('0\r\n\r\n'))
    }
    if (this.#framing === 'until-close' || this.#answers === 0) this.keepAlive = false
    this.#framing = 'none'
    if (!this.keepAlive) this.close()
  }

  async cut(midChunk: boolean, partial: Uint8Array): Promise<void> {
    if (this.#framing === 'chunked' && midChunk) {
      await writeBytes(
        this.#socket,
        Buffer.concat([bytesOf(`${(partial.length + 1).toString(16)}\r\n`), partial]),
      )
    } else if (this.#framing === 'chunked' && partial.length > 0) {
      await writeBytes(this.#socket, chunkOf(partial))
    } else {
      await writeBytes(this.#socket, partial)
    }
    this.close()
  }

  async reset(after: number): Promise<void> {
    await flushed(this.#socket)
    await sleep(after, this.signal)
    // A peer in the same process reads in this turn, however late the timer was.
    await turn()
    if (!this.#socket.writable) throw new ConnectionGone('the connection was closed before its reset')
    this.#onOwnClose()
    this.#socket.resetAndDestroy()
  }

  /** Sends FIN after all that was written. */
  close(): void {
    this.keepAlive = false
    this.#onOwnClose()
    this.#socket.end()
  }

  /** Resolves when the peer has disconnected or the upstream closes. */
  async gone(): Promise<void> {
    await closed(this.#socket)
  }
}

function framingHeader(framing: Framing): [string, string][] {
  if (framing === 'until-close') return []
  return [framing === 'chunked' ? ['transfer-encoding', 'chunked'] : ['content-length', String(framing)]]
}

function chunkOf(piece: Uint8Array): Uint8Array {
  return Buffer.concat([bytesOf(`${piece.length.toString(16)}\r\n`), piece, bytesOf('\r\n')])
}

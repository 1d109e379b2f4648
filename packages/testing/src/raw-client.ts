import { connect } from 'node:net'
import { ByteReader } from './byte-reader.ts'
import { bytesOf } from './bytes.ts'
import { type RawResponse, readResponse } from './raw-response.ts'
import type { Pace } from './script.ts'
import { closed, piecesOf, writePaced } from './socket-writer.ts'
import { watcher } from './watcher.ts'

/** Options of `connectRawClient`. */
export interface RawClientOptions {
  readonly port: number
  /** Default: 127.0.0.1. */
  readonly host?: string
  /** Reads nothing from the socket until `resume()`. Default: false. */
  readonly paused?: boolean
}

/** How a connection ended: `end` is FIN of the server, `reset` its reset, `own` a close by this client. */
export type ConnectionEnd = 'end' | 'reset' | 'own'

/** An HTTP/1.1 client on a raw socket. It can still send after the server has sent FIN. */
export interface RawClient {
  /** All received bytes. */
  readonly received: Uint8Array
  /** How the connection ended. `undefined` while it is open. */
  readonly ended: ConnectionEnd | undefined
  /** Writes bytes as they are. Requests are pipelined if you do not wait for the responses. */
  send(bytes: string | Uint8Array, pace?: Pace): Promise<void>
  /**
   * Reads the next response. Resolves when the response is complete or the connection has ended, with `undefined` if that was
   * before the end of the head. Rejects with an `Error` for bytes that are not HTTP/1.1. Calls can overlap.
   * @param method of the request, as a response to HEAD has no body
   */
  response(method?: string): Promise<RawResponse | undefined>
  /** Resolves when this many bytes, or this text, were received. Rejects after `timeout` milliseconds, 5000 by default. */
  waitFor(what: number | string, timeout?: number): Promise<void>
  /** Resolves when the connection has ended. Rejects after `timeout` milliseconds, 5000 by default. */
  waitForEnd(timeout?: number): Promise<ConnectionEnd>
  /** Stops reading. The server's writes fill the buffers of the kernel, and then wait. */
  pause(): void
  /** Reads again. */
  resume(): void
  /** Sends FIN, and still reads. */
  halfClose(): void
  /** Closes the connection with a TCP reset. */
  reset(): void
  /** Closes the connection. No socket and no timer remains. */
  close(): Promise<void>
}

/** Connects an HTTP/1.1 client on a raw socket. Rejects with `code: 'ECONNREFUSED'` if nobody listens. */
export async function connectRawClient(options: RawClientOptions): Promise<RawClient> {
  const socket = connect({
    port: options.port,
    host: options.host ?? '127.0.0.1',
    noDelay: true,
    allowHalfOpen: true,
  })
  if (options.paused) socket.pause()
  await new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve).once('error', reject)
  })
  const reader = new ByteReader()
  const stop = new AbortController()
  const watch = watcher()
  const chunks: Buffer[] = []
  let size = 0
  let ended: ConnectionEnd | undefined
  let reading: Promise<unknown> = Promise.resolve()

  const finish = (how: ConnectionEnd) => {
    ended ??= how
    reader.end(how === 'end')
    watch.changed()
  }
  socket.on('error', () => finish('reset'))
  socket.once('end', () => finish('end'))
  socket.once('close', () => finish('own'))
  socket.on('data', (chunk: Buffer) => {
    chunks.push(chunk)
    size += chunk.length
    reader.push(chunk)
    watch.changed()
  })
  const received = () => Buffer.concat(chunks)

  return {
    get received() {
      return received()
    },
    get ended() {
      return ended
    },
    async send(bytes, pace = {}) {
      await writePaced(socket, piecesOf(bytesOf(bytes), pace), pace, stop.signal)
    },
    response(method) {
      const next = reading.then(() => readResponse(reader, method))
      reading = next.catch(() => {})
      return next
    },
    waitFor(what, timeout = 5000) {
      const there = () => (typeof what === 'number' ? size >= what : received().includes(what))
      const wanted = typeof what === 'number' ? `${what} bytes` : JSON.stringify(what)
      return watch.met(there, () => `client: got ${size} bytes, expected ${wanted}`, timeout)
    },
    waitForEnd(timeout = 5000) {
      return watch.until(
        () => ended,
        () => 'client: the server did not end the connection',
        timeout,
      )
    },
    pause() {
      socket.pause()
    },
    resume() {
      socket.resume()
    },
    halfClose() {
      socket.end()
    },
    reset() {
      ended ??= 'own'
      socket.resetAndDestroy()
    },
    async close() {
      ended ??= 'own'
      stop.abort()
      watch.close()
      socket.destroy()
      await closed(socket)
    },
  }
}

import { connect } from 'node:net'
import { ByteReader } from './byte-reader.ts'
import { bytesOf } from './bytes.ts'
import { type RawResponse, readResponse } from './raw-response.ts'
import type { Pace } from './script.ts'
import { closed, piecesOf, writePaced } from './socket-writer.ts'
import { watcher } from './watcher.ts'

/** Where a raw client connects, and how. */
export interface RawClientOptions {
  readonly port: number
  /** Default 127.0.0.1. */
  readonly host?: string
  /** Reads nothing until `resume()`, not even into a buffer of the process. */
  readonly paused?: boolean
}

/** How a connection ended: the other side's FIN, its reset, or this side's doing. */
export type ConnectionEnd = 'end' | 'reset' | 'own'

/** A client on a raw socket. Its own half of the connection stays open when the server ends its half. */
export interface RawClient {
  /** All bytes received so far. */
  readonly received: Uint8Array
  /** How the connection ended; undefined while it is open. */
  readonly ended: ConnectionEnd | undefined
  /** Writes bytes as they stand; requests written one after the other without waiting are pipelined. */
  send(bytes: string | Uint8Array, pace?: Pace): Promise<void>
  /**
   * The next response in the order of the connection, when it is whole or the connection has ended; undefined where
   * it ended before a head came. Calls may overlap.
   * @param method the request's: an answer to HEAD has no body
   * @throws Error on bytes that are no HTTP/1.1
   */
  response(method?: string): Promise<RawResponse | undefined>
  /**
   * Resolves when at least `bytes` bytes, or this text, were received.
   * Rejects after `timeout` milliseconds (default 5000).
   */
  waitFor(what: number | string, timeout?: number): Promise<void>
  /** Resolves when the server has ended or reset the connection. Rejects after `timeout` milliseconds (default 5000). */
  waitForEnd(timeout?: number): Promise<ConnectionEnd>
  /** Stops reading: the server's writes fill the kernel's buffers and then wait. */
  pause(): void
  resume(): void
  /** Sends FIN and goes on reading. */
  halfClose(): void
  /** Closes with a TCP reset. */
  reset(): void
  /** Closes and leaves nothing open. */
  close(): Promise<void>
}

/**
 * Connects a raw client.
 * @throws Error with `code: 'ECONNREFUSED'` where nobody listens
 */
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

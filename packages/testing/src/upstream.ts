import { createServer, type Socket } from 'node:net'
import { listen } from './listen.ts'
import type { RecordedRequest } from './recorded-request.ts'
import type { Script } from './script.ts'
import { answer } from './steps.ts'
import { serveConnection } from './upstream-connection.ts'
import { watcher } from './watcher.ts'

/** An HTTP/1.1 server on 127.0.0.1 that does what its scripts say. */
export interface Upstream {
  readonly port: number
  /** `http://127.0.0.1:port` */
  readonly url: string
  /** `http://127.0.0.1:port/v1` */
  readonly baseURL: string
  /** The received requests, in order: each after its body, or after its head if the script is `steps.early`. */
  readonly requests: readonly RecordedRequest[]
  readonly connections: {
    /** Connections that are open. */
    readonly open: number
    /** Connections accepted since the start. */
    readonly total: number
  }
  /**
   * Bytes written to all sockets since the start, with heads and framing. For a client that does not read, it stops at what the
   * buffers of the kernel hold, plus at most 64 KiB.
   */
  readonly bytesWritten: number
  /** Replaces the scripts. Each is for one request, in order, and the last for all further ones. */
  respondWith(...scripts: [Script, ...Script[]]): void
  /**
   * Resolves with the request number `n`, 1 by default. Rejects after `timeout` milliseconds, 5000 by default.
   */
  waitForRequest(n?: number, timeout?: number): Promise<RecordedRequest>
  /**
   * Resolves when the client has closed the connection of request number `n`, by FIN or reset, with the milliseconds since this
   * call. Rejects after `timeout` milliseconds, 5000 by default.
   * @param n the latest request by default, or the first if there is none yet
   */
  waitForClose(n?: number, timeout?: number): Promise<number>
  /** Resolves when no connection is open. Rejects after `timeout` milliseconds, 5000 by default. */
  waitForIdle(timeout?: number): Promise<void>
  /**
   * Closes all connections and the port. No socket and no timer remains. Rejects with what a script threw, and for a
   * request that was not HTTP/1.1.
   */
  close(): Promise<void>
}

/**
 * Starts an HTTP/1.1 server on 127.0.0.1 that does what its scripts say. Each script is for one request, in order, and the last
 * for all further ones. Without a script it does `steps.answer()`.
 *
 * A client that sends FIN counts as disconnected, also before it has a response.
 * @example
 * const upstream = await startUpstream(steps.reply({ error: { message: 'busy' } }, { status: 503 }), steps.answer())
 */
export async function startUpstream(...scripts: Script[]): Promise<Upstream> {
  let queue: readonly Script[] = scripts.length > 0 ? scripts : [answer()]
  const requests: RecordedRequest[] = []
  const sockets = new Set<Socket>()
  const running = new Set<Promise<void>>()
  const leftAt = new Map<number, number>()
  const failures: unknown[] = []
  const stop = new AbortController()
  const watch = watcher()
  let total = 0
  let writtenBefore = 0

  const server = createServer({ noDelay: true }, socket => {
    const connection = total++
    sockets.add(socket)
    let own = false
    const left = () => {
      if (!own && !stop.signal.aborted && !leftAt.has(connection)) leftAt.set(connection, performance.now())
      watch.changed()
    }
    socket.on('error', () => {})
    socket.once('end', left)
    socket.once('close', () => {
      sockets.delete(socket)
      writtenBefore += socket.bytesWritten
      left()
    })
    const served = serveConnection(socket, connection, {
      signal: stop.signal,
      nextScript: () => {
        const script = queue[0]!
        if (queue.length > 1) queue = queue.slice(1)
        return script
      },
      record: request => {
        const recorded = { index: requests.length, ...request }
        requests.push(recorded)
        watch.changed()
        return recorded
      },
      closing: () => {
        own = true
      },
    })
      .catch(error => void failures.push(error))
      .finally(() => running.delete(served))
    running.add(served)
  })
  const port = await listen(server)
  const url = `http://127.0.0.1:${port}`

  return {
    port,
    url,
    baseURL: `${url}/v1`,
    requests,
    connections: {
      get open() {
        return sockets.size
      },
      get total() {
        return total
      },
    },
    get bytesWritten() {
      return [...sockets].reduce((sum, socket) => sum + socket.bytesWritten, writtenBefore)
    },
    respondWith(...next) {
      queue = next
    },
    waitForRequest(n = 1, timeout = 5000) {
      const problem = () => `upstream: got ${requests.length} requests, expected ${n}`
      return watch.until(() => requests[n - 1], problem, timeout)
    },
    waitForClose(n = Math.max(requests.length, 1), timeout = 5000) {
      const called = performance.now()
      const sinceCall = () => {
        const at = leftAt.get(requests[n - 1]?.connection ?? -1)
        return at === undefined ? undefined : Math.max(0, at - called)
      }
      const problem = () => `upstream: the peer did not close the connection of request ${n}`
      return watch.until(sinceCall, problem, timeout)
    },
    waitForIdle(timeout = 5000) {
      const problem = () => `upstream: ${sockets.size} connections are open, expected none`
      return watch.met(() => sockets.size === 0, problem, timeout)
    },
    async close() {
      stop.abort()
      watch.close()
      for (const socket of sockets) socket.destroy()
      if (server.listening) await new Promise<void>(resolve => server.close(() => resolve()))
      await Promise.all(running)
      if (failures.length > 0) throw failures[0]
    },
  }
}

import { createServer, type Socket } from 'node:net'
import { listen } from './listen.ts'
import type { RecordedRequest } from './recorded-request.ts'
import type { Script } from './script.ts'
import { answer } from './steps.ts'
import { serveConnection } from './upstream-connection.ts'
import { watcher } from './watcher.ts'

/** A scripted HTTP/1.1 server on a raw socket of 127.0.0.1. */
export interface Upstream {
  readonly port: number
  /** `http://127.0.0.1:port` */
  readonly url: string
  /** `http://127.0.0.1:port/v1` */
  readonly baseURL: string
  /** What came so far, in order: each request when its body was whole, or its head where the script is early. */
  readonly requests: readonly RecordedRequest[]
  readonly connections: {
    /** Connections open now. */
    readonly open: number
    /** Connections accepted since the start. */
    readonly total: number
  }
  /**
   * Bytes given to all sockets since the start, heads and framing included. A peer that does not read stops it: the
   * sum then stands still at what the kernel's buffers hold, plus 64 KiB at most.
   */
  readonly bytesWritten: number
  /** Replaces the scripts: one request each, in order, the last for every further one. */
  respondWith(...scripts: [Script, ...Script[]]): void
  /**
   * Resolves with the `n`th request (default 1, the first), at once where it has come.
   * Rejects after `timeout` milliseconds (default 5000).
   */
  waitForRequest(n?: number, timeout?: number): Promise<RecordedRequest>
  /**
   * Resolves when the peer has closed the connection of the `n`th request (default: the latest when called, else
   * the first), by FIN or reset, with the milliseconds since this call; 0 where it was closed already.
   * Rejects after `timeout` milliseconds (default 5000).
   */
  waitForClose(n?: number, timeout?: number): Promise<number>
  /**
   * Resolves when no connection is open. Rejects after `timeout` milliseconds (default 5000).
   */
  waitForIdle(timeout?: number): Promise<void>
  /**
   * Closes all connections and the port; no socket or timer is left. Throws what a script threw, so that a faulty
   * script or a request that is no HTTP/1.1 fails the test.
   */
  close(): Promise<void>
}

/**
 * Starts an upstream that does what its scripts say: the first script for the first request, the last one for every
 * further request. Without a script it answers each request well, streamed where `stream` is true.
 *
 * A peer that sends FIN counts as gone, also where its request is not answered yet.
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

import { connect, createServer, type Socket } from 'node:net'
import { type ProxyFault, relay } from './fault-relay.ts'
import { listen } from './listen.ts'
import { watcher } from './watcher.ts'

/** `up` is from the client to the server behind the proxy, `down` is back. */
export type Direction = 'up' | 'down'

/** A TCP proxy that injects faults while it runs. */
export interface FaultProxy {
  readonly port: number
  /** `http://127.0.0.1:port` */
  readonly url: string
  readonly connections: {
    /** Client connections that are open. */
    readonly open: number
    /** Client connections accepted since the start. */
    readonly total: number
  }
  /** Bytes forwarded since the start. */
  readonly bytes: { readonly up: number; readonly down: number }
  /**
   * Replaces the fault, for all connections and from the next bytes on. `{}` removes it.
   * @param direction both by default
   */
  set(fault: ProxyFault, direction?: Direction): void
  /** Resets new connections as soon as they are accepted, or stops to. */
  refuse(refused: boolean): void
  /** Resets both sides of each open connection. */
  reset(): void
  /** Sends FIN on each open connection: `down` to the client, `up` to the server. The other direction stays open. */
  halfClose(direction: Direction): void
  /** Resolves when no client connection is open. Rejects after `timeout` milliseconds, 5000 by default. */
  waitForIdle(timeout?: number): Promise<void>
  /** Closes all connections and the port. No socket and no timer remains. */
  close(): Promise<void>
}

/**
 * Starts a TCP proxy on 127.0.0.1 that can inject faults. `target` is the address of the server behind it, not a `Target` of a
 * gateway. The proxy forwards bytes, FIN and resets in both directions. If the server refuses a connection, the client gets a
 * reset.
 * @example
 * const proxy = await startFaultProxy({ target: { port: upstream.port } })
 * proxy.set({ freeze: true }, 'down')
 */
export async function startFaultProxy(options: {
  readonly target: { readonly port: number; readonly host?: string }
}): Promise<FaultProxy> {
  const { port: targetPort, host: targetHost = '127.0.0.1' } = options.target
  const faults: Record<Direction, ProxyFault> = { up: {}, down: {} }
  const bytes = { up: 0, down: 0 }
  const pairs = new Set<{ readonly client: Socket; readonly target: Socket }>()
  const stop = new AbortController()
  const watch = watcher()
  let refused = false
  let total = 0

  const server = createServer({ allowHalfOpen: true, noDelay: true }, client => {
    total++
    client.on('error', () => {})
    if (refused) {
      client.resetAndDestroy()
      return
    }
    const target = connect({ port: targetPort, host: targetHost, allowHalfOpen: true, noDelay: true })
    target.on('error', () => {})
    const pair = { client, target }
    pairs.add(pair)
    client.once('close', () => {
      pairs.delete(pair)
      watch.changed()
    })
    const link = (from: Socket, to: Socket, direction: Direction) =>
      relay(from, to, {
        fault: () => faults[direction],
        passed: count => {
          bytes[direction] += count
        },
        watch,
        signal: stop.signal,
      })
    link(client, target, 'up')
    link(target, client, 'down')
  })
  const port = await listen(server)

  return {
    port,
    url: `http://127.0.0.1:${port}`,
    connections: {
      get open() {
        return pairs.size
      },
      get total() {
        return total
      },
    },
    bytes,
    set(fault, direction) {
      for (const way of direction ? [direction] : (['up', 'down'] as const)) faults[way] = fault
      watch.changed()
    },
    refuse(value) {
      refused = value
    },
    reset() {
      for (const { client, target } of pairs) {
        client.resetAndDestroy()
        target.resetAndDestroy()
      }
    },
    halfClose(direction) {
      for (const { client, target } of pairs) (direction === 'down' ? client : target).end()
    },
    waitForIdle(timeout = 5000) {
      const problem = () => `proxy: ${pairs.size} connections are open, expected none`
      return watch.met(() => pairs.size === 0, problem, timeout)
    },
    async close() {
      stop.abort()
      watch.close()
      for (const { client, target } of pairs) {
        client.destroy()
        target.destroy()
      }
      if (server.listening) await new Promise<void>(resolve => server.close(() => resolve()))
    },
  }
}

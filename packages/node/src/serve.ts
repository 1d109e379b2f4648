import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import type { Gateway } from '@sluice/core'
import { configurationError } from '@sluice/core/adapter'
import { checkMilliseconds } from './check-milliseconds.ts'
import { Connections } from './connections.ts'
import { createDispatch } from './dispatch.ts'
import { expectGateway } from './expect-gateway.ts'
import { ListenError } from './listen-error.ts'
import { type ListenerOptions, listen } from './listener.ts'
import { rejectBadHttp } from './reject-bad-http.ts'
import { onStopSignal } from './stop-signal.ts'

/** Where a server listens, and when it stops. */
export interface ServeOptions extends ListenerOptions {
  /** Port to listen on; 0 for any free one. Default 8787. */
  readonly port?: number | undefined
  /** Address to listen on. Default `127.0.0.1`: this machine only. */
  readonly host?: string | undefined
  /** Whether SIGTERM and SIGINT stop the server. Default `true`. */
  readonly signals?: boolean | undefined
  /** How long running requests may take to finish after a signal, in milliseconds. Default 30,000. */
  readonly drainMs?: number | undefined
  /**
   * How long the server goes on accepting requests after a signal, in milliseconds, while `ready` is `false` already: time for a load
   * balancer to notice. `drainMs` begins after it. Default 0.
   */
  readonly shutdownDelayMs?: number | undefined
}

/** A running HTTP server of a gateway: the result of `serve`. */
export interface Serving {
  readonly server: Server
  readonly port: number
  /** `http://127.0.0.1:8787`, without a trailing slash. */
  readonly url: string
  /** Whether it accepts requests: `false` once it begins to stop. For a readiness probe. */
  readonly ready: boolean
  /**
   * Stops the server. It accepts no new connections, rejects requests on open ones with 503, lets running requests finish
   * for `drainMs` milliseconds (default 30,000), and then aborts them. Responses that begin meanwhile have `connection:
   * close`; idle connections are closed after 200 ms, because a request may be on its way.
   *
   * Resolves when the last connection is closed, at most a second after `drainMs`. Of several calls the shortest `drainMs` counts.
   * With `delayMs` (default 0) it goes on for that long first, and is not `ready` meanwhile. A call without it ends the delay.
   * Rejects with `ConfigurationError` for an invalid `drainMs` or `delayMs`, and the server continues.
   */
  close(options?: { readonly drainMs?: number; readonly delayMs?: number }): Promise<void>
}

const defaultDrainMs = 30_000
const lastBytesMs = 1_000
/** For so long a connection has to be idle before it is ended: a request may be on its way on it. */
const quietMs = 200
const quietCheckMs = 25
/** For so long nobody may have come before the listener is closed, unless they come for `acceptMs`. */
const noneCameMs = 10
const acceptMs = 500
/**
 * After a turn of the event loop that was so short, hardly anybody can have come since it accepted connections. A process
 * that has much to do has no such turns, and takes the second one after `acceptMs`.
 */
const shortTurnMs = [0.05, 0.5] as const

/**
 * Serves a gateway over HTTP. SIGTERM or SIGINT stops it; a second one ends the process at once.
 *
 * Malformed HTTP gets an error response with the error body of the chat completions API too, and its connection is closed.
 *
 * Rejects with `ListenError` if it cannot listen on the address, and with `ConfigurationError` for an invalid gateway or
 * option.
 */
export async function serve(gateway: Gateway<IncomingMessage>, options: ServeOptions = {}): Promise<Serving> {
  expectGateway('serve()', gateway, ['fetch', 'close'])
  const { port = 8787, host = '127.0.0.1', signals = true } = options
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw configurationError('serve()', ['port'], port, expectedPort(port))
  }
  checkMilliseconds('serve()', 'writeStallMs', options.writeStallMs)
  checkMilliseconds('serve()', 'drainMs', options.drainMs, Number.POSITIVE_INFINITY)
  checkMilliseconds('serve()', 'shutdownDelayMs', options.shutdownDelayMs)
  let closing: Promise<void> | undefined
  /** The time before it stops in which it is not ready; `undefined`: there is none. */
  let delayed: Promise<void> | undefined
  let endDelay: (() => void) | undefined
  /** Whether new responses close their connections. */
  let isStopping = false
  /** Requests that have to wait until no new connection is taken. */
  let held: (() => void)[] | undefined
  /** When answers have to end. Monotonic milliseconds. */
  let until = Number.POSITIVE_INFINITY
  // One without a Host is refused all the same, but in the protocol's shape.
  const server = createServer({ requireHostHeader: false })
  const connections = new Connections(server)
  rejectBadHttp(server, connections)
  const dispatch = createDispatch(gateway)
  const answer = (incoming: IncomingMessage, response: ServerResponse, onBodyWait?: () => void) => {
    if (held !== undefined) return void held.push(() => answer(incoming, response, onBodyWait))
    // It came too late: this side of its connection has ended.
    if (!incoming.socket.writable) return void incoming.resume()
    if (isStopping) response.setHeader('connection', 'close')
    listen(dispatch, incoming, response, options, onBodyWait)
  }
  server.on('request', (incoming, response) => answer(incoming, response))
  // A client that sent `Expect: 100-continue` gets its 100 when the body is first read.
  server.on('checkContinue', (incoming, response) => {
    answer(incoming, response, () => response.writeContinue())
  })
  await listening(server, port, host)
  const address = server.address() as AddressInfo

  const delay = (ms: number): Promise<void> =>
    new Promise(resolve => {
      const timer = setTimeout(resolve, ms)
      endDelay = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  const stop = async (drained: Promise<void>): Promise<void> => {
    isStopping = true
    const closingAt = performance.now()
    connections.announce()
    held = []
    await acceptWaiting(server)
    const closed = closeListener(server)
    const waiting = held
    held = undefined
    for (const next of waiting) next()
    try {
      await drained
    } finally {
      // What has arrived by now is read in one of these turns, and answered.
      await turn()
      await turn()
      const endIdle = () => {
        const now = performance.now()
        const quiet = now >= until || now - closingAt >= quietMs
        if (quiet) connections.endIdle(now >= until ? now : now - quietMs)
      }
      endIdle()
      const ending = setInterval(endIdle, quietCheckMs)
      // The last bytes of the last answers may still be on their way.
      const cutting = setInterval(() => connections.cut(performance.now() >= until), lastBytesMs)
      await closed
      clearInterval(ending)
      clearInterval(cutting)
    }
  }
  const close = (drain: { readonly drainMs?: number; readonly delayMs?: number } = {}): Promise<void> => {
    const { drainMs = defaultDrainMs, delayMs = 0 } = drain
    try {
      checkMilliseconds('close()', 'drainMs', drainMs, Number.POSITIVE_INFINITY)
      checkMilliseconds('close()', 'delayMs', delayMs)
    } catch (error) {
      return Promise.reject(error)
    }
    until = Math.min(until, performance.now() + delayMs + drainMs)
    if (delayMs === 0) endDelay?.()
    else if (closing === undefined) delayed ??= delay(delayMs)
    const drained = (async () => gateway.close(drain))()
    // The first call of `close` rejects with it.
    drained.catch(() => {})
    closing ??= delayed === undefined ? stop(drained) : delayed.then(() => stop(drained))
    return closing
  }
  if (signals) {
    const { drainMs = defaultDrainMs, shutdownDelayMs = 0 } = options
    const forget = onStopSignal(() => close({ drainMs, delayMs: shutdownDelayMs }))
    server.once('close', forget)
  }
  return {
    server,
    port: address.port,
    url: urlOf(address),
    get ready() {
      return closing === undefined
    },
    close,
  }
}

/** Returns what is expected of a port. One from the environment is a string, for which it says how to convert it. */
function expectedPort(port: unknown): string {
  const expected = 'a whole number from 0 to 65535'
  return typeof port === 'string' ? `${expected}, such as Number(process.env.PORT)` : expected
}

function listening(server: Server, port: number, host: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const failed = (error: NodeJS.ErrnoException) => reject(new ListenError(host, port, error))
    server.once('error', failed)
    server.listen(port, host, () => {
      server.off('error', failed)
      resolve()
    })
  })
}

/**
 * Accepts the connections that wait for it, of which Node takes one in each turn: a listener that closes resets them, and
 * their requests. Ends when nobody has come for a while, after a turn that was short, so that hardly any can have come since.
 */
async function acceptWaiting(server: Server): Promise<void> {
  const from = performance.now()
  let acceptedAt = from
  const note = () => {
    acceptedAt = performance.now()
  }
  server.on('connection', note)
  let late = false
  for (let at = from, short = false; !(short && (late || at - acceptedAt >= noneCameMs)); ) {
    await turn()
    const now = performance.now()
    late = now - from >= acceptMs
    short = acceptedAt < at && now - at < shortTurnMs[late ? 1 : 0]
    if (now - from >= 2 * acceptMs) break
    at = now
  }
  server.off('connection', note)
}

/**
 * Takes no new connection; resolves when the last one is closed. The idle ones, which Node would destroy at once, stay:
 * a request may be on its way on them, and would be lost by a reset.
 */
function closeListener(server: Server): Promise<void> {
  const own = Object.getOwnPropertyDescriptor(server, 'closeIdleConnections')
  server.closeIdleConnections = () => {}
  const closed = new Promise<void>(resolve => server.close(() => resolve()))
  if (own === undefined) Reflect.deleteProperty(server, 'closeIdleConnections')
  else Object.defineProperty(server, 'closeIdleConnections', own)
  return closed
}

function urlOf({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import type { Gateway } from '@sluice/core'
import { configurationError } from '@sluice/core/adapter'
import { checkMilliseconds } from './check-milliseconds.ts'
import { type ServeWorkersOptions, type ServingWorkers, serveWorkers } from './cluster/serve-workers.ts'
import { Connections } from './connections.ts'
import { createDispatch } from './dispatch.ts'
import { expectGateway } from './expect-gateway.ts'
import { ListenError } from './listen-error.ts'
import { listen } from './listener.ts'
import { rejectBadHttp } from './reject-bad-http.ts'
import type { ServeOptions, Serving } from './serving.ts'
import { onStopSignal } from './stop-signal.ts'

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
export function serve(
  gateway: Gateway<IncomingMessage>,
  options?: ServeOptions & { readonly workers?: undefined },
): Promise<Serving>
/**
 * Serves a gateway over HTTP with several processes on one port, by `node:cluster`: one per `workers`. `workers: 1` is this process
 * alone.
 *
 * The script runs in each of them. The first process is the primary: it starts the same script again for each worker, listens on
 * no port of its own, and its gateway answers no request. What the script does before and after `serve` it does in each process;
 * `role` of the result says in which.
 *
 * Stores in memory, `maxConcurrent` of providers and the health of targets are those of the primary: limits are exact over
 * all workers. While the primary does not respond, each limit does as its `onStoreFailure` says.
 *
 * A worker that ends is started again, after 100 ms and up to 30 s if it goes on. If the primary ends, its workers let their requests
 * finish, and end. SIGTERM or SIGINT to the primary stops all.
 *
 * In the primary it resolves when all workers accept requests, and rejects with `WorkerStartError` if none can start. Rejects with
 * `ListenError` and `ConfigurationError` as without workers.
 */
export function serve(
  gateway: Gateway<IncomingMessage>,
  options: ServeWorkersOptions,
): Promise<ServingWorkers>
export async function serve(
  gateway: Gateway<IncomingMessage>,
  options: ServeOptions & { readonly workers?: ServeWorkersOptions['workers'] | undefined } = {},
): Promise<Serving | ServingWorkers> {
  expectGateway('serve()', gateway, ['fetch', 'close'])
  const { port = 8787, host = '127.0.0.1', workers } = options
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw configurationError('serve()', ['port'], port, expectedPort(port))
  }
  checkMilliseconds('serve()', 'writeStallMs', options.writeStallMs)
  checkMilliseconds('serve()', 'drainMs', options.drainMs, Number.POSITIVE_INFINITY)
  checkMilliseconds('serve()', 'shutdownDelayMs', options.shutdownDelayMs)
  if (workers === undefined) return serveHere(gateway, { ...options, port, host })
  return serveWorkers(gateway, { ...options, port, host, workers }, serveHere)
}

/** Serves a gateway in this process. The options are valid. */
async function serveHere(
  gateway: Gateway<IncomingMessage>,
  options: ServeOptions & { readonly port: number; readonly host: string },
): Promise<Serving> {
  const { port, host, signals = true } = options
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
  /** Takes no more connections. `closed` of the result resolves when the last one is closed. */
  const stopListening = async () => {
    isStopping = true
    const closingAt = performance.now()
    connections.announce()
    held = []
    await acceptWaiting(server)
    const closed = closeListener(server)
    const waiting = held
    held = undefined
    for (const next of waiting) next()
    const endIdle = () => {
      const now = performance.now()
      const quiet = now >= until || now - closingAt >= quietMs
      if (quiet) connections.endIdle(now >= until ? now : now - quietMs)
    }
    return { closed, endIdle }
  }
  /** Answers the requests of open connections, each the last one of its connection, and then closes the gateway. */
  const retire = async (drain: { readonly drainMs?: number }): Promise<void> => {
    const { closed, endIdle } = await stopListening()
    const ending = setInterval(() => {
      endIdle()
      if (performance.now() >= until) connections.cut(true)
      else connections.cutEnded(lastBytesMs)
    }, quietCheckMs)
    await closed
    clearInterval(ending)
    await gateway.close(drain)
  }
  const stop = async (drained: Promise<void>): Promise<void> => {
    const { closed, endIdle } = await stopListening()
    try {
      await drained
    } finally {
      // What has arrived by now is read in one of these turns, and answered.
      await turn()
      await turn()
      endIdle()
      const ending = setInterval(endIdle, quietCheckMs)
      // The last bytes of the last answers may still be on their way.
      const cutting = setInterval(() => connections.cut(performance.now() >= until), lastBytesMs)
      await closed
      clearInterval(ending)
      clearInterval(cutting)
    }
  }
  const close: Serving['close'] = ({ answersOpen = false, ...drain } = {}) => {
    const { drainMs = answersOpen ? Number.POSITIVE_INFINITY : defaultDrainMs, delayMs = 0 } = drain
    try {
      checkMilliseconds('close()', 'drainMs', drainMs, Number.POSITIVE_INFINITY)
      checkMilliseconds('close()', 'delayMs', delayMs)
    } catch (error) {
      return Promise.reject(error)
    }
    until = Math.min(until, performance.now() + delayMs + drainMs)
    if (delayMs === 0) endDelay?.()
    else if (closing === undefined) delayed ??= delay(delayMs)
    if (answersOpen && delayed === undefined) {
      closing ??= retire({ drainMs })
      return closing
    }
    const drained = (async () => gateway.close({ ...drain, drainMs }))()
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

import { Agent, type buildConnector, Client, type Dispatcher, type errors, Pool } from 'undici'
import { systemClock } from '../clock/clock.ts'
import type { EncodedNativeRequest } from '../contracts/provider.ts'
import type { Transport, TransportResponse } from '../contracts/transport.ts'
import { UpstreamError } from '../errors/upstream-error.ts'
import { beginsBy, type Exchange } from './exchange.ts'
import { KeepAliveConnection } from './keep-alive-connection.ts'
import { isListed, listedBytes, SentBody } from './listed-body.ts'
import { type BodySource, ReceivedBody } from './received-body.ts'
import { ResponseHeaders } from './response-headers.ts'

/**
 * Returns the default transport on Node: keep-alive connections of undici, one pool per origin. The timeouts of undici are off,
 * because the gateway has its own. It does not follow redirects.
 */
export function defaultTransport({ connectMs }: { readonly connectMs: number }): Transport {
  const stale = new WeakSet<object>()
  const makeClient = (origin: URL, options: object) =>
    new WatchedClient(origin, options as PooledOptions, error => stale.add(error))
  const pools = new Map<string, Pool>()
  const agent = new Agent({
    headersTimeout: 0,
    bodyTimeout: 0,
    factory: (origin, options) => {
      const connect = String(origin).startsWith('http:')
        ? { timeout: connectMs, ...longWrites }
        : { timeout: connectMs }
      const pool = new Pool(origin, { ...options, connect, factory: makeClient })
      if (pools.size >= maxKnownPools) pools.clear()
      pools.set(String(origin), pool)
      return pool
    },
  })
  /** Returns the open pool of an origin, which skips the lookup of the agent. */
  const dispatcherOf = (origin: string): Pool | Agent => {
    const pool = pools.get(origin)
    if (pool === undefined || (!pool.closed && !pool.destroyed)) return pool ?? agent
    pools.delete(origin)
    return agent
  }
  // Nearly all requests of a process go to the same URL as the previous one.
  let last = { url: '', origin: '', path: '/' }
  const begin = (request: EncodedNativeRequest, streamed: boolean): UndiciExchange => {
    const { method, url } = request
    const body = streamed ? sentBody(request.body) : (request.body ?? null)
    const length = body instanceof SentBody ? body.byteLength : isListed(body) ? listedBytes(body) : undefined
    const headers = length === undefined ? request.headers : withLength(request.headers, length)
    if (url !== last.url) last = { url, ...splitUrl(url) }
    const { origin, path } = last
    const exchange = new UndiciExchange(stale)
    dispatcherOf(origin).dispatch({ origin, path, method, headers, body: body as UndiciBody }, exchange)
    return exchange
  }
  const transport: Transport = (request, signal) => {
    if (signal.aborted) return Promise.reject(signal.reason)
    const exchange = begin(request, false)
    const leave = () => exchange.cut(signal.reason)
    signal.addEventListener('abort', leave, { once: true })
    exchange.onEnd = () => signal.removeEventListener('abort', leave)
    return exchange.response
  }
  transport.close = () => agent.destroy()
  beginsBy(transport, begin)
  return transport
}

/**
 * Options of a socket without TLS that takes a long body at once. Undici waits for the socket to drain after each piece that
 * reaches its mark, of 64 kB. It sets one mark for reads and writes, which is unset here.
 */
const longWrites = {
  highWaterMark: undefined,
  readableHighWaterMark: 65_536,
  writableHighWaterMark: 4_194_304,
}

/** Returns the headers of a body in pieces, which undici sends in HTTP chunks unless their length is given. */
function withLength(
  headers: EncodedNativeRequest['headers'],
  length: number,
): EncodedNativeRequest['headers'] {
  for (const name in headers) if (name.toLowerCase() === 'content-length') return headers
  return { ...headers, 'content-length': `${length}` }
}

/** Returns a body that is released as it is sent; `null` for none. */
function sentBody(body: EncodedNativeRequest['body']): SentBody | null {
  if (body === undefined || body === null || body.length === 0) return null
  if (typeof body === 'string') return new SentBody([Buffer.from(body)])
  return new SentBody(isListed(body) ? [...body] : [body])
}

/** Undici sends any iterable of bytes, too. */
type UndiciBody = NonNullable<Dispatcher.DispatchOptions['body']> | null

/** Maximum number of cached pools. */
const maxKnownPools = 1_000

function splitUrl(url: string): { readonly origin: string; readonly path: string } {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  return start === -1 ? { origin: url, path: '/' } : { origin: url.slice(0, start), path: url.slice(start) }
}

/** A pool creates the connector of its clients. */
type PooledOptions = Client.Options & { readonly connect: buildConnector.connector }

class WatchedClient extends Client {
  readonly #connection: KeepAliveConnection

  constructor(origin: URL, options: PooledOptions, lost: (error: Error) => void) {
    const connection = new KeepAliveConnection(lost, systemClock)
    const connect: buildConnector.connector = (to, done) =>
      options.connect(to, (...result) => {
        if (result[0] === null) connection.opened(result[1])
        done(...result)
      })
    super(origin, { ...options, connect })
    this.#connection = connection
    this.on('disconnect', (url, _targets, error) => {
      if (error.code === 'UND_ERR_INFO' && error.message === 'aborted') this.#retire(url, error)
    })
  }

  /**
   * Removes a client from its pool. An aborted request closes its connection. Undici would then reconnect, find the request
   * aborted, and keep that connection (nodejs/undici#5845).
   */
  #retire(url: URL, error: errors.UndiciError): void {
    this.emit('connectionError', url, [this], error)
    this.destroy().catch(() => {})
  }

  override dispatch(options: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): boolean {
    this.#connection.next()
    return super.dispatch(options, handler)
  }
}

/**
 * A request and its response, as a handler of undici. It uses the older handler interface: the newer one of version 7 converts
 * headers to an object, which takes 4 of the 25 us of an exchange.
 */
class UndiciExchange implements Exchange, BodySource {
  sent = false
  /** Called when the exchange has ended. */
  onEnd: (() => void) | undefined
  readonly #stale: WeakSet<object>
  #response: Promise<TransportResponse> | undefined
  #resolve: ((response: TransportResponse) => void) | undefined
  #reject: ((error: unknown) => void) | undefined
  #cut: { readonly reason: unknown } | undefined
  #abort: ((reason: Error) => void) | undefined
  #resume: (() => void) | undefined
  #body: ReceivedBody | undefined

  constructor(stale: WeakSet<object>) {
    this.#stale = stale
    this.#response = new Promise((resolve, reject) => {
      this.#resolve = resolve
      this.#reject = reject
    })
  }

  get response(): Promise<TransportResponse> {
    return this.#response!
  }

  cut(reason: unknown): void {
    if (this.#cut !== undefined) return
    this.#cut = { reason }
    if (this.#body === undefined) this.#reject?.(reason)
    else this.#body.cut(reason)
    this.close()
  }

  leave(): void {
    this.#body?.leave()
  }

  close(): void {
    this.#abort?.(new Error('The response is no longer needed.'))
  }

  resume(): void {
    this.#resume?.()
  }

  onConnect(abort: (reason?: Error) => void): void {
    this.#abort = abort
    if (this.#cut === undefined) this.sent = true
    else this.close()
  }

  onHeaders(status: number, headers: readonly Buffer[], resume: () => void): boolean {
    // Informational responses, such as 103, are ignored.
    if (status < 200) return true
    this.#resume = resume
    this.#body = new ReceivedBody(this, systemClock)
    this.#resolve?.({ status, headers: new ResponseHeaders(headers), body: this.#body })
    // The headers are cuts of all that was read with them, which must not stay as long as a stream does.
    this.#response = undefined
    this.#resolve = undefined
    this.#reject = undefined
    return true
  }

  onData(bytes: Buffer): boolean {
    return this.#body!.push(bytes)
  }

  onComplete(): void {
    this.#body!.end()
    this.onEnd?.()
  }

  onError(error: Error): void {
    this.onEnd?.()
    // The error of `cut` was reported already.
    if (this.#cut !== undefined) return
    if (this.#body === undefined) this.#reject?.(connectionError(error, this.#stale.has(error)))
    else this.#body.fail(brokenOff(error))
  }
}

function brokenOff(cause: unknown): UpstreamError {
  return new UpstreamError('The upstream closed the connection during its response.', {
    kind: 'truncated',
    cause,
  })
}

function connectionError(cause: unknown, staleConnection: boolean): UpstreamError {
  const { code, name } = (cause ?? {}) as { code?: unknown; name?: unknown }
  if (code === 'UND_ERR_CONNECT_TIMEOUT') {
    return new UpstreamError('The upstream did not accept a connection in time (timeouts.connectMs).', {
      kind: 'connect_timeout',
      cause,
    })
  }
  const word = typeof code === 'string' && /^[A-Z][A-Z\d_]{2,60}$/.test(code) ? code : ''
  const what = staleConnection ? 'closed a connection that was kept open' : whatFailed(word, name)
  const why = word === '' ? '' : ` (${word})`
  return new UpstreamError(`The upstream ${what}${why}.`, { kind: 'unreachable', staleConnection, cause })
}

function whatFailed(code: string, name: unknown): string {
  // It has a code for some errors only.
  if (name === 'HTTPParserError') return 'sent an invalid HTTP response'
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET') return 'closed the connection before it responded'
  return 'could not be reached'
}

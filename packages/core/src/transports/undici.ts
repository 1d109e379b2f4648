import { Agent, type buildConnector, Client, type Dispatcher, type errors, Pool } from 'undici'
import type { Transport, TransportResponse } from '../transport.ts'
import { UpstreamError } from '../upstream-error.ts'
import { KeptConnection } from './kept-connection.ts'

/**
 * What a gateway uses on Node where nothing is set: pools of keep-alive connections, one pool an origin.
 * Undici's own deadlines are off, for the gateway keeps its own; redirects are not followed.
 */
export function defaultTransport({ connectMs }: { readonly connectMs: number }): Transport {
  const stale = new WeakSet<object>()
  const makeClient = (origin: URL, options: object) =>
    new WatchedClient(origin, options as PooledOptions, error => stale.add(error))
  const agent = new Agent({
    connect: { timeout: connectMs },
    headersTimeout: 0,
    bodyTimeout: 0,
    factory: (origin, options) => new Pool(origin, { ...options, factory: makeClient }),
  })
  const transport: Transport = async (request, signal) => {
    const { origin, path } = splitUrl(request.url)
    let response: Dispatcher.ResponseData
    try {
      response = await agent.request({
        origin,
        path,
        method: request.method,
        headers: request.headers,
        body: request.body ?? null,
        signal,
      })
    } catch (cause) {
      if (signal.aborted) throw signal.reason
      throw connectionError(cause, stale.has(cause as object))
    }
    return {
      status: response.statusCode,
      headers: new HeadView(response.headers),
      body: new BodyView(response.body, signal),
    }
  }
  transport.close = () => agent.destroy()
  return transport
}

function splitUrl(url: string): { origin: string; path: string } {
  const start = url.indexOf('/', url.indexOf('://') + 3)
  return start === -1 ? { origin: url, path: '/' } : { origin: url.slice(0, start), path: url.slice(start) }
}

/** A pool makes the connector for all of its clients. */
type PooledOptions = Client.Options & { readonly connect: buildConnector.connector }

class WatchedClient extends Client {
  readonly #connection: KeptConnection

  constructor(origin: URL, options: PooledOptions, lost: (error: Error) => void) {
    const connection = new KeptConnection(lost, () => performance.now())
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
   * A request that is aborted takes its connection with it. Undici would connect anew for it, find that it is
   * aborted, and keep that connection (nodejs/undici#5845): the client is taken out of its pool instead.
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
  // It has a code for some faults only.
  if (name === 'HTTPParserError') return 'answered with what is no HTTP'
  if (code === 'UND_ERR_SOCKET' || code === 'ECONNRESET') return 'closed the connection before it answered'
  return 'could not be reached'
}

class HeadView {
  readonly #headers: Record<string, string | string[] | undefined>

  constructor(headers: Record<string, string | string[] | undefined>) {
    this.#headers = headers
  }

  get(name: string): string | null {
    const value = this.#headers[name.toLowerCase()]
    if (value === undefined) return null
    return typeof value === 'string' ? value : value.join(', ')
  }
}

/** The bytes of an answer; a connection that breaks is an `UpstreamError`. */
class BodyView implements AsyncIterable<Uint8Array> {
  readonly #body: Dispatcher.ResponseData['body']
  readonly #signal: AbortSignal

  constructor(body: Dispatcher.ResponseData['body'], signal: AbortSignal) {
    this.#body = body
    this.#signal = signal
  }

  [Symbol.asyncIterator](): ReturnType<TransportResponse['body'][typeof Symbol.asyncIterator]> {
    const body = this.#body
    const signal = this.#signal
    const chunks: AsyncIterator<Uint8Array> = body[Symbol.asyncIterator]()
    const broken = (cause: unknown): never => {
      if (signal.aborted) throw signal.reason
      throw new UpstreamError('The upstream closed the connection in mid answer.', {
        kind: 'truncated',
        cause,
      })
    }
    return {
      next: () => chunks.next().then(undefined, broken),
      return: async () => {
        // The body may still fail after it was left; nobody is there to hear it.
        body.on('error', () => {})
        if (signal.aborted) body.destroy()
        else void finish(chunks, body)
        return { done: true, value: undefined }
      },
    }
  }
}

const tailBytes = 65_536
const tailMs = 1_000

/**
 * A reader that has seen an answer's own end mark leaves before the end of the HTTP message. What is left is
 * read away, if it is little and comes soon, so that the connection can be used again.
 */
async function finish(
  chunks: AsyncIterator<Uint8Array>,
  body: Dispatcher.ResponseData['body'],
): Promise<void> {
  const timer = setTimeout(() => body.destroy(), tailMs)
  try {
    for (let left = tailBytes; left > 0; ) {
      const { done, value } = await chunks.next()
      if (done === true) return
      left -= value.byteLength
    }
    body.destroy()
  } catch {
    // It broke, or was aborted: there is no connection to keep.
  } finally {
    clearTimeout(timer)
  }
}

import { Agent, type Dispatcher } from 'undici'
import type { Transport, TransportResponse } from '../transport.ts'
import { UpstreamError } from '../upstream-error.ts'

/**
 * What a gateway uses on Node where nothing is set: pools of keep-alive connections, one pool an origin.
 * Undici's own deadlines are off, for the gateway keeps its own; redirects are not followed.
 */
export function defaultTransport({ connectMs }: { readonly connectMs: number }): Transport {
  const agent = new Agent({ connect: { timeout: connectMs }, headersTimeout: 0, bodyTimeout: 0 })
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
      throw connectionError(cause)
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

function connectionError(cause: unknown): UpstreamError {
  const code = (cause as { code?: unknown } | null)?.code
  return code === 'UND_ERR_CONNECT_TIMEOUT'
    ? new UpstreamError('The upstream did not accept a connection in time.', {
        kind: 'connect_timeout',
        cause,
      })
    : new UpstreamError('The upstream could not be reached.', { kind: 'unreachable', cause })
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

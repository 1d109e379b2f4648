import type { IncomingMessage, ServerResponse } from 'node:http'
import type { HostBody } from '@sluice/core'
import { chunks } from './chunks.ts'
import { incomingHeaders } from './incoming-headers.ts'
import { incomingUrl, type UrlOptions } from './incoming-url.ts'
import { standIn } from './stand-in.ts'

/** What is known of a request beyond its message. All of it is optional. */
export interface RequestOptions extends UrlOptions {
  /**
   * The answer's other end. With it `signal` aborts as soon as the client leaves; without it, only when the
   * client leaves before its body is complete.
   */
  readonly response?: ServerResponse | undefined
  /** Replaces the message's body. */
  readonly body?: HostBody | undefined
  /** Called once, when bytes of the body are waited for. */
  readonly onBodyWait?: (() => void) | undefined
}

class IncomingRequest {
  readonly #incoming: IncomingMessage
  readonly #options: RequestOptions
  readonly #url: string
  #headers: Headers | undefined
  #controller: AbortController | undefined
  #native: Request | undefined

  constructor(incoming: IncomingMessage, url: string, options: RequestOptions) {
    this.#incoming = incoming
    this.#url = url
    this.#options = options
  }

  get method(): string {
    return this.#incoming.method ?? 'GET'
  }

  get url(): string {
    return this.#url
  }

  get headers(): Headers {
    this.#headers ??= incomingHeaders(this.#incoming)
    return this.#headers
  }

  get signal(): AbortSignal {
    if (this.#controller !== undefined) return this.#controller.signal
    const controller = new AbortController()
    this.#controller = controller
    const { response } = this.#options
    const stream = response ?? this.#incoming
    const leave = () => {
      if (hasLeft(this.#incoming, response))
        controller.abort(new DOMException('The client left.', 'AbortError'))
    }
    if (stream.destroyed) leave()
    else stream.once('close', leave)
    return controller.signal
  }

  get bodyUsed(): boolean {
    return this.#native?.bodyUsed ?? false
  }

  [Symbol.for('nodejs.util.inspect.custom')](): unknown {
    return { method: this.method, url: this.url, headers: this.headers }
  }

  #real(): Request {
    if (this.#native !== undefined) return this.#native
    const { method, headers, signal } = this
    const init: RequestInit & { duplex: 'half' } = { method, headers, signal, duplex: 'half' }
    if (method !== 'GET' && method !== 'HEAD') init.body = this.#body()
    this.#native = new Request(this.#url, init)
    return this.#native
  }

  #body(): BodyInit {
    const { body } = this.#options
    if (body?.kind === 'parsed') return JSON.stringify(body.value)
    if (body?.kind === 'bytes') return body.bytes as Uint8Array<ArrayBuffer>
    return toStream(body?.stream[Symbol.asyncIterator]() ?? chunks(this.#incoming, this.#options.onBodyWait))
  }

  /** The body in its cheapest form, and the right one after somebody has cloned the request. */
  static body(request: IncomingRequest): HostBody {
    const { body, onBodyWait } = request.#options
    if (body !== undefined && body.kind !== 'stream') return body
    return {
      kind: 'stream',
      stream: {
        [Symbol.asyncIterator]() {
          const native = request.#native?.body
          if (native) return native[Symbol.asyncIterator]()
          return body?.stream[Symbol.asyncIterator]() ?? chunks(request.#incoming, onBodyWait)
        },
      },
    }
  }

  static {
    const sample = new Request('http://localhost')
    standIn(IncomingRequest.prototype, Request.prototype, sample, request => request.#real())
  }
}

/**
 * A node message as a Web `Request`, made lazily: `headers.get`, `url` and `method` cost next to nothing;
 * the signal, the body's stream and a native `Request` are made when they are first asked for.
 *
 * It is an `instanceof Request` and has all its members. On Node 24 and newer `new Request(request)` and
 * `fetch(request)` want a native one: give them `request.clone()`.
 *
 * Throws `MalformedRequest` for a repeated `Host` or `Authorization`, for a bad `Host`, and for a target
 * that is not a path or an http URL.
 */
export function toRequest(incoming: IncomingMessage, options: RequestOptions = {}): Request {
  return new IncomingRequest(incoming, incomingUrl(incoming, options), options) as unknown as Request
}

/** The body of a request made by `toRequest`, as the gateway takes it. */
export function requestBody(request: Request): HostBody {
  return IncomingRequest.body(request as unknown as IncomingRequest)
}

function hasLeft(incoming: IncomingMessage, response: ServerResponse | undefined): boolean {
  return response === undefined ? !incoming.complete : !response.writableFinished
}

function toStream(iterator: AsyncIterator<Uint8Array>): ReadableStream<Uint8Array<ArrayBuffer>> {
  return new ReadableStream(
    {
      async pull(controller) {
        const step = await iterator.next()
        if (step.done) controller.close()
        else controller.enqueue(step.value as Uint8Array<ArrayBuffer>)
      },
      async cancel() {
        await iterator.return?.()
      },
    },
    { highWaterMark: 0 },
  )
}

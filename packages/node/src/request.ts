import type { IncomingMessage, ServerResponse } from 'node:http'
import {
  type DisconnectListener,
  type DisconnectSource,
  disconnectSourceKey,
  type HostBody,
} from '@sluice/core/adapter'
import { checkHead } from './check-head.ts'
import { IncomingBody } from './incoming-body.ts'
import { incomingHeaders } from './incoming-headers.ts'
import { incomingUrl, type UrlOptions } from './incoming-url.ts'
import { defineLazyProxy } from './lazy-proxy-class.ts'
import { type RequestUrl, requestUrl } from './url.ts'

/** What an adapter knows of a request beyond its node request (an `IncomingMessage`). All of it is optional. */
export interface RequestOptions extends UrlOptions {
  /**
   * The response to the same node request. With it `signal` aborts as soon as the client disconnects; without it,
   * only when the client disconnects before its body is complete.
   */
  readonly response?: ServerResponse | undefined
  /** Replaces the body of the node request. */
  readonly body?: HostBody | undefined
  /** Called once, when the gateway begins to wait for bytes of the body. */
  readonly onBodyWait?: (() => void) | undefined
}

/** A body that the host has read. */
type KnownBody = Exclude<HostBody, { kind: 'stream' }>

class IncomingRequest implements DisconnectSource {
  readonly #incoming: IncomingMessage
  readonly #response: ServerResponse | undefined
  readonly #url: string
  readonly #body: KnownBody | IncomingBody
  #headers: Headers | undefined = undefined
  #watching = false
  #disconnected = false
  #disconnectListeners: DisconnectListener[] | undefined = undefined
  #controller: AbortController | undefined = undefined
  #native: Request | undefined = undefined

  constructor(
    incoming: IncomingMessage,
    response: ServerResponse | undefined,
    url: string,
    body: HostBody | undefined,
    onBodyWait: (() => void) | undefined,
  ) {
    this.#incoming = incoming
    this.#response = response
    this.#url = url
    this.#body =
      body === undefined || body.kind === 'stream' ? new IncomingBody(incoming, body, onBodyWait) : body
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
    if (this.#controller === undefined) {
      this.#controller = new AbortController()
      this.#watch()
      if (this.#disconnected) this.#abort()
    }
    return this.#controller.signal
  }

  get [disconnectSourceKey](): DisconnectSource {
    return this
  }

  get disconnected(): boolean {
    this.#watch()
    return this.#disconnected
  }

  onDisconnect(listener: DisconnectListener): void {
    this.#watch()
    if (this.#disconnectListeners === undefined) this.#disconnectListeners = [listener]
    else this.#disconnectListeners.push(listener)
  }

  offDisconnect(listener: DisconnectListener): void {
    const at = this.#disconnectListeners?.indexOf(listener) ?? -1
    if (at !== -1) this.#disconnectListeners!.splice(at, 1)
  }

  #watch(): void {
    if (this.#watching) return
    this.#watching = true
    const stream = this.#response ?? this.#incoming
    if (stream.destroyed) this.#closed()
    else stream.on('close', () => this.#closed())
  }

  #closed(): void {
    if (this.#disconnected || !hasDisconnected(this.#incoming, this.#response)) return
    this.#disconnected = true
    this.#abort()
    // One of them may take back another one.
    for (
      let next = this.#disconnectListeners?.shift();
      next !== undefined;
      next = this.#disconnectListeners?.shift()
    ) {
      next.clientDisconnected()
    }
  }

  #abort(): void {
    this.#controller?.abort(new DOMException('The client disconnected.', 'AbortError'))
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
    if (method !== 'GET' && method !== 'HEAD') init.body = bodyInit(this.#body)
    this.#native = new Request(this.#url, init)
    if (this.#body instanceof IncomingBody) this.#body.native = this.#native
    return this.#native
  }

  /** The body in its cheapest form, and the right one after somebody has cloned the request. */
  static body(request: IncomingRequest): HostBody {
    return request.#body
  }

  static {
    const sample = new Request('http://localhost')
    defineLazyProxy(IncomingRequest.prototype, Request.prototype, sample, request => request.#real())
  }
}

/**
 * Returns a node request (an `IncomingMessage`) as a Web `Request`. It is lazy: `headers.get`, `url` and `method` cost next to
 * nothing; the signal, the body stream and a native `Request` are created on first use.
 *
 * It is an `instanceof Request` and has all its members. On Node 24 and newer `new Request(request)` and `fetch(request)`
 * require a native one: pass `request.clone()`.
 *
 * Throws `MalformedRequest` for a repeated `Host`, `Authorization`, `X-Api-Key` or `Content-Type`, for a `Transfer-Encoding`
 * other than `chunked`, for a bad `Host`, and for a request target that is not a path or an http URL.
 */
export function toRequest(incoming: IncomingMessage, options: RequestOptions = {}): Request {
  return createRequest(incoming, options, requestUrl)
}

/** As `toRequest`, with the listener's own `RequestUrl`. */
export function createRequest(
  incoming: IncomingMessage,
  options: RequestOptions,
  requestUrl: RequestUrl,
): Request {
  checkHead(incoming)
  const url = incomingUrl(incoming, options, requestUrl)
  const { response, body, onBodyWait } = options
  return new IncomingRequest(incoming, response, url, body, onBodyWait) as unknown as Request
}

/** Returns the body of a request of `toRequest` or `createRequest`, in the form that `gateway.fetch` reads. */
export function requestBody(request: Request): HostBody {
  return IncomingRequest.body(request as unknown as IncomingRequest)
}

function hasDisconnected(incoming: IncomingMessage, response: ServerResponse | undefined): boolean {
  return response === undefined ? !incoming.complete : !response.writableFinished
}

function bodyInit(body: KnownBody | IncomingBody): BodyInit {
  if (body instanceof IncomingBody) return toStream(body.pieces())
  return body.kind === 'parsed' ? JSON.stringify(body.value) : (body.bytes as Uint8Array<ArrayBuffer>)
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

import type { GatewayResponse } from '../contracts/host.ts'
import { gatewayResponseKey } from './adapter-keys.ts'

/**
 * An answer as a native `Response`. A body that is streamed breaks off when `signal` aborts, as that of a
 * `fetch` does.
 */
export function nativeResponse(
  { status, headers, body }: Omit<GatewayResponse, 'headers'> & { readonly headers: HeadersInit },
  signal?: AbortSignal,
): Response {
  return new Response(typeof body === 'string' ? body : byteStream(body, signal), { status, headers })
}

/**
 * A `Response` whose native parts are made only when they are used. An adapter reads its `GatewayResponse` under
 * `gatewayResponseKey`, and no native part is ever made; for everybody else it behaves as any `Response`.
 */
export function plainResponse(answer: GatewayResponse): Response {
  return new PlainResponse(answer) as unknown as Response
}

class PlainResponse {
  readonly #answer: GatewayResponse
  #headers: Headers | undefined
  #native: Response | undefined

  constructor(answer: GatewayResponse) {
    this.#answer = answer
  }

  /** The answer with the headers as they are now; gone once the native body is made. */
  get [gatewayResponseKey](): GatewayResponse | undefined {
    if (this.#native !== undefined) return undefined
    if (this.#headers === undefined) return this.#answer
    // A record has room for one cookie: with more this is a response as any.
    if (this.#headers.getSetCookie().length > 1) return undefined
    const { status, body } = this.#answer
    return { status, headers: Object.fromEntries(this.#headers), body }
  }

  get #response(): Response {
    if (this.#native === undefined) {
      const { status, body } = this.#answer
      this.#native = nativeResponse({ status, body, headers: this.headers })
      this.#headers = this.#native.headers
    }
    return this.#native
  }

  get status(): number {
    return this.#answer.status
  }
  get ok(): boolean {
    return this.status >= 200 && this.status < 300
  }
  get statusText(): string {
    return ''
  }
  get type(): ResponseType {
    return 'default'
  }
  get url(): string {
    return ''
  }
  get redirected(): boolean {
    return false
  }
  get headers(): Headers {
    this.#headers ??= new Headers(this.#answer.headers)
    return this.#headers
  }
  get body(): Response['body'] {
    return this.#response.body
  }
  get bodyUsed(): boolean {
    return this.#native?.bodyUsed ?? false
  }
  clone(): Response {
    return this.#response.clone()
  }
  text(): Promise<string> {
    return this.#response.text()
  }
  json(): Promise<unknown> {
    return this.#response.json()
  }
  arrayBuffer(): Promise<ArrayBuffer> {
    return this.#response.arrayBuffer()
  }
  bytes(): Promise<Uint8Array<ArrayBuffer>> {
    return this.#response.arrayBuffer().then(buffer => new Uint8Array(buffer))
  }
  blob(): Promise<Blob> {
    return this.#response.blob()
  }
  formData(): Promise<FormData> {
    return this.#response.formData()
  }
}
Object.setPrototypeOf(PlainResponse.prototype, Response.prototype)

function byteStream(pieces: AsyncIterable<string>, signal?: AbortSignal): ReadableStream<Uint8Array> {
  const encoder = new TextEncoder()
  const iterator = pieces[Symbol.asyncIterator]()
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const { done, value } = await iterator.next()
        if (signal?.aborted === true) controller.error(signal.reason)
        else if (done === true) controller.close()
        else controller.enqueue(encoder.encode(value))
      },
      async cancel() {
        await iterator.return?.()
      },
    },
    // Nothing is read from the upstream before the caller asks.
    { highWaterMark: 0 },
  )
}

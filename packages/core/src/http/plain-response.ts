import type { GatewayResponse } from '../contracts/host.ts'
import { gatewayResponseKey } from './adapter-keys.ts'

/** Returns a native `Response`. A streamed body fails when `signal` aborts, as that of `fetch` does. */
export function nativeResponse(
  { status, headers, body }: Omit<GatewayResponse, 'headers'> & { readonly headers: HeadersInit },
  signal?: AbortSignal,
): Response {
  return new Response(typeof body === 'string' ? body : byteStream(body, signal), { status, headers })
}

/**
 * Returns a `Response` that creates its native parts on demand. An adapter reads its content under
 * `gatewayResponseKey` without creating them; for all others it behaves like any `Response`.
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

  /** The content with the current headers; `undefined` once the native body was created. */
  get [gatewayResponseKey](): GatewayResponse | undefined {
    if (this.#native !== undefined) return undefined
    if (this.#headers === undefined) return this.#answer
    // A record can hold only one `set-cookie` header.
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
    // Reads from the upstream only on demand.
    { highWaterMark: 0 },
  )
}

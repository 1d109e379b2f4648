import { type GatewayResponse, gatewayResponseKey } from '@sluice/core/adapter'

/** The body of a response: text, bytes or a stream of both. */
export type ResponseBody = string | Uint8Array | AsyncIterable<string | Uint8Array> | null

/** The content of a `Response`. Responses of the gateway have it as plain data (`plainResponses`); others are read. */
export interface ResponseParts {
  readonly status: number
  readonly headers: Readonly<Record<string, string>> | Iterable<readonly [string, string]>
  /** See `headerList` of `GatewayResponse`. */
  readonly headerList?: readonly string[] | undefined
  readonly body: ResponseBody
}

/** Returns the content of a response. Throws `TypeError` if its body has been read already. */
export function responseParts(response: Response): ResponseParts {
  const own = (response as { readonly [gatewayResponseKey]?: GatewayResponse | undefined })[
    gatewayResponseKey
  ]
  if (own !== undefined) return own
  if (response.bodyUsed) throw new TypeError('The body of the response has been read already.')
  return {
    status: response.status,
    headers: response.headers,
    body: response.body && chunksOf(response.body),
  }
}

/** Returns the headers that HTTP can carry: a value with a line break or beyond Latin-1 is omitted. */
export function legalHeaders(headers: ResponseParts['headers']): (readonly [name: string, value: string])[] {
  const pairs =
    Symbol.iterator in headers ? [...(headers as Iterable<[string, string]>)] : Object.entries(headers)
  return pairs.filter(([name, value]) => token.test(name) && !illegal.test(value))
}

/** Returns whether a text body may follow these headers: Node writes both as one text, in UTF-8. Otherwise write bytes. */
export function areAscii(headers: readonly (readonly [name: string, value: string])[]): boolean {
  return headers.every(([, value]) => !/[\x80-\xff]/.test(value))
}

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const illegal = /[^\t\x20-\x7e\x80-\xff]/

/** A body's bytes. Leaving while a read waits ends that read: a stream's own iterator would wait for it. */
function chunksOf(body: ReadableStream<Uint8Array>): AsyncIterable<Uint8Array> {
  return {
    [Symbol.asyncIterator]() {
      const reader = body.getReader()
      return {
        next: () => reader.read() as Promise<IteratorResult<Uint8Array>>,
        async return() {
          await reader.cancel()
          return { done: true, value: undefined }
        },
      }
    },
  }
}

/** Gives up an answer that nobody will read. */
export function cancelBody(body: ResponseBody): void {
  if (body === null || typeof body === 'string' || body instanceof Uint8Array) return
  closeIterator(body[Symbol.asyncIterator]())
}

/** Ends an iteration early. Ignores errors of the iterator. */
export function closeIterator(iterator: AsyncIterator<unknown>): void {
  try {
    iterator.return?.().then(undefined, () => {})
  } catch {
    // It was left all the same.
  }
}

import { connectRawClient } from './raw-client.ts'
import type { RawResponse } from './raw-response.ts'
import { type RequestParts, requestBytes } from './request-text.ts'
import type { Pace } from './script.ts'

/** Options of `sendRawRequest`. */
export interface RawRequestOptions extends RequestParts, Pace {
  readonly port: number
  /** Default: 127.0.0.1. */
  readonly host?: string
  /** The bytes of the request, instead of `method`, `path`, `headers` and `body`. */
  readonly text?: string | Uint8Array
  /** Sends FIN after the request. Default: false. */
  readonly halfClose?: boolean
  /** Resets the connection after this many bytes of the response, which is then not `complete`. */
  readonly resetAfter?: number
  /** For request and response together, in milliseconds. Default: 10000. */
  readonly timeout?: number
}

/** The response to a raw request. */
export interface RawExchange extends RawResponse {
  /** All bytes that were received on the connection. */
  readonly received: Uint8Array
}

/**
 * Sends one request on a new connection, waits for the complete response, and closes.
 *
 * Rejects with an `Error` if the connection is refused or ends before the end of the head, for bytes that are not HTTP/1.1, and
 * after `timeout`. The message has the bytes that were received.
 */
export async function sendRawRequest(options: RawRequestOptions): Promise<RawExchange> {
  const { port, host, resetAfter, timeout = 10_000 } = options
  const client = await connectRawClient({ port, ...(host === undefined ? {} : { host }) })
  let expired = false
  const timer = setTimeout(() => {
    expired = true
    client.reset()
  }, timeout)
  try {
    // A server may answer and close before it has read the request: what it sent counts, not the failed write.
    const sent = client.send(options.text ?? requestBytes(options), options).catch(() => {})
    if (options.halfClose) void sent.then(() => client.halfClose())
    if (resetAfter !== undefined) void client.waitFor(resetAfter, timeout).then(client.reset, () => {})
    const response = await client.response(options.method)
    const { received } = client
    if (expired || response === undefined) {
      const text = JSON.stringify(Buffer.from(received.subarray(0, 200)).toString('latin1'))
      const how = expired
        ? `no whole answer within ${timeout} ms`
        : `the connection ended (${client.ended}) before a head`
      throw new Error(`raw request: ${how}; got ${received.length} bytes: ${text}`)
    }
    return { ...response, received }
  } finally {
    clearTimeout(timer)
    await client.close()
  }
}

import { connectRawClient } from './raw-client.ts'
import type { RawResponse } from './raw-response.ts'
import { type RequestParts, requestBytes } from './request-text.ts'
import type { Pace } from './script.ts'

/** One request on a connection of its own. */
export interface RawRequestOptions extends RequestParts, Pace {
  readonly port: number
  /** Default 127.0.0.1. */
  readonly host?: string
  /** The whole request as it stands, in place of `method`, `path`, `headers` and `body`. */
  readonly text?: string | Uint8Array
  /** Sends FIN after the request. */
  readonly halfClose?: boolean
  /** Resets the connection once so many bytes of the answer have come; what came is then not `complete`. */
  readonly resetAfter?: number
  /** Milliseconds for the whole exchange, default 10000. */
  readonly timeout?: number
}

/** The answer to a raw request. */
export interface RawExchange extends RawResponse {
  /** Every byte that came by the connection. */
  readonly received: Uint8Array
}

/**
 * Sends one request on a connection of its own, waits for the whole answer and closes.
 * @throws Error where the connection is refused, ends before a head came, brings no HTTP/1.1, or time runs out; the
 *   message tells what came
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

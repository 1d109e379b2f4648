import type { JsonObject } from '@sluice/core/provider'
import type { ByteReader } from './byte-reader.ts'
import type { HeaderPairs } from './headers.ts'
import { framingOf, readBody, readHead } from './http-message.ts'
import { jsonObject } from './recorded-request.ts'

/** A response, as it was on the wire. */
export interface RawResponse {
  readonly status: number
  readonly statusText: string
  readonly rawHeaders: HeaderPairs
  /** By name in lower case. Values of repeated lines are joined by `, `. */
  readonly headers: Readonly<Record<string, string>>
  /** The body without its framing. */
  readonly bytes: Uint8Array
  /** The body as UTF-8 text. */
  readonly body: string
  /** The body as JSON, or `undefined` if it is no JSON object. */
  readonly json: JsonObject | undefined
  /** Whether all bytes of the body were received. */
  readonly complete: boolean
  /** The sizes of the body's chunks, in bytes. Empty if it was not chunked. */
  readonly chunkSizes: readonly number[]
  /** The status codes of the interim responses (1xx) before this one. */
  readonly interim: readonly number[]
}

/**
 * Reads the next response. Resolves with `undefined` if the connection ended before its head was complete.
 * @param method the request's: an answer to HEAD has no body
 * @throws Error on bytes that are no HTTP/1.1
 */
export async function readResponse(reader: ByteReader, method = 'GET'): Promise<RawResponse | undefined> {
  const interim: number[] = []
  for (;;) {
    const head = await readHead(reader)
    if (head === undefined) return undefined
    const [, code, statusText = ''] = /^HTTP\/1\.[01] (\d{3})(?: (.*))?$/.exec(head.startLine) ?? []
    if (code === undefined) {
      throw new Error(`status line: got ${JSON.stringify(head.startLine)}, expected "HTTP/1.1 code reason"`)
    }
    const status = Number(code)
    if (status < 200 && status !== 101) {
      interim.push(status)
      continue
    }
    const bodiless = method === 'HEAD' || status === 204 || status === 304
    const framing = bodiless ? 0 : framingOf(head.headers, 'until-close')
    const { bytes, complete, chunkSizes } = await readBody(reader, framing)
    const body = bytes.toString('utf8')
    const { rawHeaders, headers } = head
    const json = jsonObject(body)
    return { status, statusText, rawHeaders, headers, bytes, body, json, complete, chunkSizes, interim }
  }
}

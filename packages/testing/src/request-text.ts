import { bytesOf } from './bytes.ts'
import { type HeadersToSend, headText, mergeHeaders } from './headers.ts'

/** The parts of an HTTP/1.1 request. */
export interface RequestParts {
  /** Default: POST if there is a body, else GET. */
  readonly method?: string
  /** Default: `/v1/chat/completions`. It is written as it is. */
  readonly path?: string
  /** Default: `host: 127.0.0.1`, and for a body `content-length` and `content-type: application/json`. */
  readonly headers?: HeadersToSend
  /** Text and bytes are sent as they are, other objects as JSON. */
  readonly body?: string | Uint8Array | object
}

/**
 * Returns the bytes of an HTTP/1.1 request. It validates nothing, so that tests can send invalid requests.
 * @example client.send(requestBytes({ path: '/v1/models', headers: { authorization: 'Bearer k' } }))
 */
export function requestBytes(parts: RequestParts): Uint8Array {
  const { body } = parts
  const data = typeof body === 'string' || body instanceof Uint8Array ? body : body && JSON.stringify(body)
  const bytes = data === undefined ? undefined : bytesOf(data)
  const defaults: [string, string][] = [['host', '127.0.0.1']]
  if (bytes) defaults.push(['content-type', 'application/json'], ['content-length', String(bytes.length)])
  const line = `${parts.method ?? (bytes ? 'POST' : 'GET')} ${parts.path ?? '/v1/chat/completions'} HTTP/1.1`
  const head = Buffer.from(headText(line, mergeHeaders(defaults, parts.headers)), 'latin1')
  return bytes ? Buffer.concat([head, bytes]) : head
}

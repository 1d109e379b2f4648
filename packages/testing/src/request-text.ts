import { bytesOf } from './bytes.ts'
import { type HeadersToSend, headText, mergeHeaders } from './headers.ts'

/** A request to be written to a raw socket. */
export interface RequestParts {
  /** Default POST where there is a body, else GET. */
  readonly method?: string
  /** Default `/v1/chat/completions`. Written as it stands. */
  readonly path?: string
  /** Default `host: 127.0.0.1`; with a body its `content-length` and `content-type: application/json`. */
  readonly headers?: HeadersToSend
  /** Text and bytes are sent as they stand, any other object as its JSON. */
  readonly body?: string | Uint8Array | object
}

/**
 * The bytes of an HTTP/1.1 request. Nothing is checked: what is wrong is sent wrong.
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

import { ServerResponse } from 'node:http'
import { areAscii, legalHeaders, type ResponseParts } from './answer.ts'

const builtIn = ServerResponse.prototype.writeHead

/**
 * Writes the head of an answer. Headers that are there already stay; those of the answer win, `set-cookie` and `vary` add
 * up. `closing`: it says that the connection closes.
 *
 * Returns whether the answer's headers are ASCII: see `areAscii`.
 */
export function writeHead(answer: ResponseParts, res: ServerResponse, closing: boolean): boolean {
  // What wraps it may not know of lists.
  const list = res.writeHead === builtIn ? listOf(answer, res, closing) : undefined
  if (list !== undefined) {
    res.writeHead(answer.status, list)
    return true
  }
  const headers = legalHeaders(answer.headers)
  res.writeHead(answer.status, headOf(headers, answer.body, res, closing))
  return areAscii(headers)
}

function headOf(
  headers: ReturnType<typeof legalHeaders>,
  body: ResponseParts['body'],
  res: ServerResponse,
  closing: boolean,
): Record<string, string> {
  const head: Record<string, string> = {}
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    if (key === 'set-cookie' || (key === 'vary' && res.hasHeader('vary'))) res.appendHeader(key, value)
    else head[key] = value
  }
  if (closing) head.connection = 'close'
  const length = lengthOf(body)
  if (length !== undefined) head['content-length'] ??= length
  return head
}

/** The same as a list, which is cheaper; `undefined` for headers that are not as the gateway makes them. */
function listOf(
  { headers, body }: ResponseParts,
  res: ServerResponse,
  closing: boolean,
): string[] | undefined {
  if (Symbol.iterator in headers || res.hasHeader('vary')) return undefined
  const list: string[] = []
  let length = lengthOf(body)
  for (const name of Object.keys(headers)) {
    const value: unknown = headers[name]
    if (typeof value !== 'string' || !isPlainName(name) || !isPlainText(value)) return undefined
    if (name === 'content-length') length = undefined
    if (name !== 'connection' || !closing) list.push(name, value)
  }
  if (closing) list.push('connection', 'close')
  if (length !== undefined) list.push('content-length', length)
  return list
}

function lengthOf(body: ResponseParts['body']): string | undefined {
  if (typeof body === 'string') return `${Buffer.byteLength(body)}`
  return body instanceof Uint8Array ? `${body.byteLength}` : undefined
}

/** Names are few, and the same on each answer. */
const plainNames = new Set<string>()

/** A name in lower case, of which one answer has one header. */
function isPlainName(name: string): boolean {
  if (plainNames.has(name)) return true
  const plain = /^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) && name !== 'set-cookie'
  if (plain && plainNames.size < 100) plainNames.add(name)
  return plain
}

function isPlainText(value: string): boolean {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at)
    if (code < 0x20 || code > 0x7e) return false
  }
  return true
}

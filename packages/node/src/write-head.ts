import { ServerResponse } from 'node:http'
import { areAscii, legalHeaders, type ResponseParts } from './response-parts.ts'

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
    if (res.getHeaderNames().length === 0) res.writeHead(answer.status, list)
    else writeBesides(list, answer.status, res)
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

/** The same as a list, which is cheaper; `undefined` where the gateway made none. */
function listOf(
  { headerList, body }: ResponseParts,
  res: ServerResponse,
  closing: boolean,
): string[] | undefined {
  if (headerList === undefined || closing || res.hasHeader('vary')) return undefined
  const length = lengthOf(body)
  const list = headerList.slice()
  if (length === undefined) return list
  if (list.includes('content-length')) return undefined
  // Not `concat`, which takes seven times as long.
  list.push('content-length', length)
  return list
}

/** Writes a list beside the host's headers: of a list, Node would remove each header, add it and validate it twice. */
function writeBesides(list: readonly string[], status: number, res: ServerResponse): void {
  for (let at = 0; at < list.length; at += 2) res.setHeader(list[at]!, list[at + 1]!)
  res.writeHead(status)
}

function lengthOf(body: ResponseParts['body']): string | undefined {
  if (typeof body === 'string') return `${Buffer.byteLength(body)}`
  return body instanceof Uint8Array ? `${body.byteLength}` : undefined
}

import type { IncomingMessage } from 'node:http'
import { MalformedRequest } from './malformed-request.ts'

/**
 * Refuses a head that two readers could read in two ways, and a body in a coding that nobody here undoes.
 *
 * Throws `MalformedRequest` for a repeated `Host`, `Authorization`, `X-Api-Key` or `Content-Type`, and for any
 * `Transfer-Encoding` but `chunked`.
 */
export function checkHead(incoming: IncomingMessage): void {
  checkRepeated(incoming.rawHeaders)
  const coding = incoming.headers['transfer-encoding']
  if (coding !== undefined && coding !== 'chunked') checkTransferCoding(coding)
}

function checkRepeated(rawHeaders: readonly string[]): void {
  let hosts = 0
  let authorizations = 0
  let apiKeys = 0
  let contentTypes = 0
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++
    else if (name.length === 13 && name.toLowerCase() === 'authorization') authorizations++
    else if (name.length === 9 && name.toLowerCase() === 'x-api-key') apiKeys++
    else if (name.length === 12 && name.toLowerCase() === 'content-type') contentTypes++
  }
  if (hosts > 1) throw new MalformedRequest('The request has more than one Host header.')
  if (authorizations > 1) throw new MalformedRequest('The request has more than one Authorization header.')
  if (apiKeys > 1) throw new MalformedRequest('The request has more than one X-Api-Key header.')
  if (contentTypes > 1) throw new MalformedRequest('The request has more than one Content-Type header.')
}

/** RFC 9112 sections 6.1 and 7.1: 501 for a coding that is not understood, 400 for `chunked` twice or not at the end. */
function checkTransferCoding(value: string): void {
  const codings = value.split(',').map(coding => coding.trim().toLowerCase())
  if (codings.length === 1 && codings[0] === 'chunked') return
  const others = codings.filter(coding => coding !== 'chunked')
  if (others.length === codings.length - 1 && codings.at(-1) === 'chunked') {
    throw new MalformedRequest(
      'The transfer coding of the request is not supported: expected chunked alone, or a Content-Length.',
      501,
    )
  }
  throw new MalformedRequest('The request has a Transfer-Encoding that is not valid: expected chunked.')
}

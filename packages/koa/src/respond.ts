import type { IncomingMessage, ServerResponse } from 'node:http'
import { areAscii, drainBody, leavesBodyUnread, legalHeaders, responseParts } from '@sluice/node/adapter'
import { BodyStream } from './body-stream.ts'

/** The members of Koa's `ctx` that a response is written to. */
export interface ResponseContext {
  readonly req: IncomingMessage
  readonly res: ServerResponse
  status: number
  body: unknown
  compress?: unknown
  set(name: string, value: string): void
  append(name: string, value: string): void
  vary(field: string): void
  remove(name: string): void
}

/** Writes a `Response` to Koa's `ctx.status`, headers and `ctx.body`. */
export function respond(response: Response, ctx: ResponseContext): void {
  const { status, headers: given, headerList, body } = responseParts(response)
  const headers = headerList === undefined ? legalHeaders(given) : undefined
  // Koa makes a 204 of a body that is set before the status.
  ctx.status = status
  const typed = headers === undefined ? writeList(headerList!, ctx) : writeHeaders(headers, ctx)
  if (body === null) {
    ctx.body = status === 204 || status === 304 ? null : ''
  } else if (typeof body === 'string' || body instanceof Uint8Array) {
    const bytes = bytesOf(body, headers === undefined || areAscii(headers))
    ctx.body = leavesBodyUnread(ctx.req, status) ? closingBody(bytes, ctx) : bytes
  } else {
    ctx.body = new BodyStream(body, ctx.res)
    ctx.compress = false
  }
  if (!typed) ctx.remove('content-type')
}

/**
 * Writes the gateway's own headers, which are valid, without `ctx.set`: that makes three arrays and a closure of each.
 *
 * Returns whether a content type was among them.
 */
function writeList(list: readonly string[], ctx: ResponseContext): boolean {
  const { res } = ctx
  let typed = false
  for (let at = 0; at < list.length && !res.headersSent; at += 2) {
    const name = list[at]!
    if (name === 'content-type') typed = true
    if (name === 'vary' && res.hasHeader(name)) ctx.vary(list[at + 1]!)
    else res.setHeader(name, list[at + 1]!)
  }
  return typed
}

/** Returns whether a content type was among them. */
function writeHeaders(headers: ReturnType<typeof legalHeaders>, ctx: ResponseContext): boolean {
  let typed = false
  for (const [name, value] of headers) {
    const key = name.toLowerCase()
    if (key === 'content-type') typed = true
    if (key === 'set-cookie') ctx.append(key, value)
    else if (key === 'vary') ctx.vary(value)
    else ctx.set(key, value)
  }
  return typed
}

function bytesOf(body: string | Uint8Array, ascii: boolean): string | Buffer {
  if (typeof body === 'string') return ascii ? body : Buffer.from(body)
  return Buffer.from(body.buffer, body.byteOffset, body.byteLength)
}

/** The connection closes after this answer, but not before the client could take it: see `drainBody`. */
function closingBody(bytes: string | Buffer, ctx: ResponseContext): BodyStream {
  ctx.set('connection', 'close')
  ctx.set('content-length', `${Buffer.byteLength(bytes)}`)
  ctx.compress = false
  return new BodyStream(drainAfter(bytes, ctx.req), ctx.res)
}

async function* drainAfter(
  bytes: string | Buffer,
  req: IncomingMessage,
): AsyncGenerator<string | Uint8Array> {
  yield bytes
  await drainBody(req)
}

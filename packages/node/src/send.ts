import type { ServerResponse } from 'node:http'
import { abandon, answerOf, legalHeaders, type ResponseParts } from './answer.ts'
import { flusherOf } from './flusher.ts'
import { sendStream } from './send-stream.ts'
import { leavesBodyUnread, linger } from './unread-body.ts'
import { defaultWriteStallMs, endWithin } from './write-stall.ts'

/** How an answer is written. */
export interface SendOptions {
  /** After how many milliseconds a client that reads nothing is cut off. Default 60,000. */
  readonly writeStallMs?: number | undefined
}

/**
 * Writes a `Response` to a node response. Headers that are there already stay; those of the answer win,
 * `set-cookie` and `vary` add up. Each piece of a stream is written when it comes and flushed through
 * compressing middleware; a client that reads slowly slows the stream down.
 *
 * Resolves when all is written or the client has left. Rejects, with the stream's own error and the
 * connection destroyed, when a stream breaks; and before anything is written, when the body has been read
 * already.
 */
export async function send(
  response: Response,
  res: ServerResponse,
  options: SendOptions = {},
): Promise<void> {
  const answer = answerOf(response)
  const { body } = answer
  if (res.destroyed || res.headersSent) return abandon(body)
  const stallMs = options.writeStallMs ?? defaultWriteStallMs
  const closing = leavesBodyUnread(res.req, answer.status)
  res.writeHead(answer.status, headOf(answer, res, closing))
  if (body === null || res.req.method === 'HEAD') {
    abandon(body)
    if (closing) await lingerAfter(null, res)
    else res.end()
  } else if (typeof body === 'string' || body instanceof Uint8Array) {
    if (closing) await lingerAfter(body, res)
    else res.end(body)
    endWithin(res, stallMs)
  } else {
    await sendStream(body, res, stallMs)
  }
}

function headOf(
  { headers, body }: ResponseParts,
  res: ServerResponse,
  closing: boolean,
): Record<string, string> {
  const head: Record<string, string> = {}
  for (const [name, value] of legalHeaders(headers)) {
    const key = name.toLowerCase()
    if (key === 'set-cookie' || (key === 'vary' && res.hasHeader('vary'))) res.appendHeader(key, value)
    else head[key] = value
  }
  if (closing) head.connection = 'close'
  if (typeof body === 'string') head['content-length'] ??= `${Buffer.byteLength(body)}`
  else if (body instanceof Uint8Array) head['content-length'] ??= `${body.byteLength}`
  return head
}

/** The client has the whole answer before the connection closes, and until then may go on writing. */
async function lingerAfter(body: string | Uint8Array | null, res: ServerResponse): Promise<void> {
  if (body === null) res.flushHeaders()
  else res.write(body)
  flusherOf(res)?.call(res)
  await linger(res.req)
  res.end()
}

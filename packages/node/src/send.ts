import type { ServerResponse } from 'node:http'
import { flusherOf } from './flusher.ts'
import { cancelBody, responseParts } from './response-parts.ts'
import { sendStream } from './send-stream.ts'
import { drainBody, leavesBodyUnread } from './unread-body.ts'
import { writeHead } from './write-head.ts'
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
  await write(response, res, options)
}

/** As `send`; where nothing has to be waited for, at once, and then it throws. */
export function write(
  response: Response,
  res: ServerResponse,
  options: SendOptions,
): Promise<void> | undefined {
  const answer = responseParts(response)
  let { body } = answer
  if (res.destroyed || res.headersSent) {
    cancelBody(body)
    return undefined
  }
  const stallMs = options.writeStallMs ?? defaultWriteStallMs
  const closing = leavesBodyUnread(res.req, answer.status, res)
  const ascii = writeHead(answer, res, closing)
  if (typeof body === 'string' && !ascii) body = Buffer.from(body)
  if (body === null || res.req.method === 'HEAD') {
    cancelBody(body)
    if (closing) return lingerAfter(null, res)
    res.end()
  } else if (typeof body === 'string' || body instanceof Uint8Array) {
    if (closing) return lingerAfter(body, res).then(() => endWithin(res, stallMs))
    res.end(body)
    endWithin(res, stallMs)
  } else {
    return sendStream(body, res, stallMs)
  }
  return undefined
}

/** Closes the connection after the client has read the complete response. Until then the client may continue to write. */
async function lingerAfter(body: string | Uint8Array | null, res: ServerResponse): Promise<void> {
  if (body === null) res.flushHeaders()
  else res.write(body)
  flusherOf(res)?.call(res)
  await drainBody(res.req)
  res.end()
}

import type { ServerResponse } from 'node:http'
import { flusherOf } from './flusher.ts'
import { cancelBody, responseParts } from './response-parts.ts'
import { sendStream } from './send-stream.ts'
import { drainBody, leavesBodyUnread } from './unread-body.ts'
import { writeHead } from './write-head.ts'
import { defaultWriteStallMs, endWithin } from './write-stall.ts'

/** How a response is written. */
export interface SendOptions {
  /** Milliseconds after which the connection of a client that reads nothing is closed. Default 60,000. */
  readonly writeStallMs?: number | undefined
}

/**
 * Writes a `Response` to a node response. Headers that the node response has already stay, but those of the `Response` take
 * precedence; values of `set-cookie` and `vary` are added. Each piece of a stream is written when it arrives, and flushed
 * through compression middleware. A client that reads slowly slows the stream down.
 *
 * Resolves when everything is written or the client has disconnected. Rejects with the error of a stream that breaks, after
 * closing the connection, and before anything is written if the body has been read already.
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
    if (closing) return endAfterBody(null, res)
    res.end()
  } else if (typeof body === 'string' || body instanceof Uint8Array) {
    if (closing) return endAfterBody(body, res).then(() => endWithin(res, stallMs))
    // Node converts Latin-1 faster than UTF-8, which ASCII is as well.
    if (typeof body === 'string' && Buffer.byteLength(body) === body.length) res.end(body, 'latin1')
    else res.end(body)
    endWithin(res, stallMs)
  } else {
    return sendStream(body, res, stallMs)
  }
  return undefined
}

/** Closes the connection after the client has read the complete response. Until then the client may continue to write. */
async function endAfterBody(body: string | Uint8Array | null, res: ServerResponse): Promise<void> {
  if (body === null) res.flushHeaders()
  else res.write(body)
  flusherOf(res)?.call(res)
  await drainBody(res.req)
  res.end()
}

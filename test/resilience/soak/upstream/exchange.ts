import type { IncomingMessage, ServerResponse } from 'node:http'

/** A request to the upstream, and what is known of it. */
export interface Exchange {
  /** The driver's name for it. */
  readonly id: string
  readonly script: string
  readonly stream: boolean
  readonly usage: boolean
  readonly res: ServerResponse
}

/** Reads a request. Its last message says what to do, and whose it is: `cut 17`. */
export async function exchangeOf(req: IncomingMessage, res: ServerResponse): Promise<Exchange> {
  const chunks: Buffer[] = []
  for await (const chunk of req) chunks.push(chunk)
  const body: unknown = JSON.parse(Buffer.concat(chunks).toString())
  const { messages, stream, stream_options } = body as {
    readonly messages: readonly { readonly content: string }[]
    readonly stream?: boolean
    readonly stream_options?: { readonly include_usage?: boolean }
  }
  const [script = '', id = ''] = messages.at(-1)?.content.split(' ') ?? []
  return { id, script, stream: stream === true, usage: stream_options?.include_usage === true, res }
}

/** Sends the head of a stream, and no more yet. */
export function startStream(res: ServerResponse): void {
  res.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' })
  res.flushHeaders()
}

/** Writes as fast as the peer reads, until `bytes` are written or the peer has left. */
export async function pour(res: ServerResponse, piece: Uint8Array, bytes: number): Promise<void> {
  for (let left = bytes; left > 0 && !res.destroyed; left -= piece.length) {
    if (res.write(piece)) continue
    await new Promise<void>(resolve => {
      const go = () => {
        res.off('drain', go).off('close', go)
        resolve()
      }
      res.on('drain', go).on('close', go)
    })
  }
}

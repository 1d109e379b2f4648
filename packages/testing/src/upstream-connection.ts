import type { Socket } from 'node:net'
import { ByteReader } from './byte-reader.ts'
import { bytesOf } from './bytes.ts'
import { Exchange } from './exchange.ts'
import { framingOf, type MessageHead, readBody, readHead } from './http-message.ts'
import { play } from './play.ts'
import { jsonObject, type RecordedRequest } from './recorded-request.ts'
import { type EarlyReaction, flatSteps, type Script } from './script.ts'
import { ConnectionGone, closed, flushed } from './socket-writer.ts'

/** What a connection needs of its upstream. */
export interface ConnectionHost {
  readonly signal: AbortSignal
  /** The script of the next request; taken when its head has come. */
  nextScript(): Script
  record(request: Omit<RecordedRequest, 'index'>): RecordedRequest
  /** The upstream itself is about to close the connection. */
  closing(): void
}

/**
 * Serves the requests of one connection, one after the other. Resolves when it is over; throws what a script
 * throws, and on a request that is no HTTP/1.1.
 */
export async function serveConnection(
  socket: Socket,
  connection: number,
  host: ConnectionHost,
): Promise<void> {
  const reader = new ByteReader()
  let discard = false
  socket.on('data', chunk => {
    if (!discard) reader.push(chunk)
  })
  socket.once('end', () => reader.end())
  socket.once('close', () => reader.end())
  try {
    for (;;) {
      const head = await readHead(reader)
      if (head === undefined) return
      const script = host.nextScript()
      const early = isEarly(script) ? script : undefined
      let bytes: Uint8Array = new Uint8Array()
      if (early?.unread === 'discard') discard = true
      else if (early) socket.pause()
      else {
        const body = await readBody(reader, framingOf(head.headers, 0))
        if (!body.complete) return
        bytes = body.bytes
      }
      const request = host.record(requestOf(head, bytes, connection))
      const keepAlive = !early && !/\bclose\b/i.test(head.headers.connection ?? '')
      const exchange = new Exchange(socket, request, keepAlive, host.signal, host.closing)
      const reaction = isEarly(script) ? script.early : script
      const steps = typeof reaction === 'function' ? await reaction(request, request.index) : reaction
      await play(flatSteps(steps), exchange)
      if (early?.unread === 'leave') {
        await flushed(socket)
        socket.destroy()
      }
      if (!exchange.keepAlive) return await closed(socket)
    }
  } catch (error) {
    if (error instanceof ConnectionGone) return
    host.closing()
    socket.resetAndDestroy()
    throw error
  }
}

function requestOf(head: MessageHead, bytes: Uint8Array, connection: number): Omit<RecordedRequest, 'index'> {
  const [, method, path] = /^([A-Z]+) (\S+) HTTP\/1\.[01]$/.exec(head.startLine) ?? []
  if (method === undefined || path === undefined) {
    throw new Error(`request line: got ${JSON.stringify(head.startLine)}, expected "METHOD target HTTP/1.1"`)
  }
  const body = Buffer.from(bytesOf(bytes)).toString('utf8')
  const { rawHeaders, headers } = head
  return { connection, method, path, rawHeaders, headers, bytes, body, json: jsonObject(body) }
}

function isEarly(script: Script): script is EarlyReaction {
  return typeof script === 'object' && 'early' in script
}

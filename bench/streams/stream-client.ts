import { createConnection, type Socket } from 'node:net'

/** What of an upstream's stream is asked for: see stream-upstream.mjs. */
export type Asked = { readonly events: number; readonly silent?: boolean } | { readonly everyMs: number }

/** A request for a stream, as bytes. */
export function streamRequest(
  port: number,
  asked: Asked,
  headers: Readonly<Record<string, string>> = { authorization: 'Bearer sk-ann' },
): Buffer {
  const messages = [{ role: 'user', content: JSON.stringify(asked) }]
  const body = JSON.stringify({ model: 'gpt-4o', stream: true, messages })
  return Buffer.from(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\n` +
      `${Object.entries(headers)
        .map(([name, value]) => `${name}: ${value}\r\n`)
        .join('')}content-length: ${body.length}\r\n\r\n${body}`,
  )
}

const lastChunk = Buffer.from('\r\n0\r\n\r\n')
const endMark = Buffer.from('data: [DONE]')

/** Asks for `streams` whole streams over one connection, one after the other. Rejects for one that has no end mark. */
export function readStreams(port: number, request: Buffer, streams: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createConnection({ port, host: '127.0.0.1', noDelay: true })
    let left = streams
    let end: Buffer = Buffer.alloc(0)
    socket.once('connect', () => socket.write(request)).once('error', reject)
    socket.once('close', () => reject(new Error('The connection was closed in mid stream.')))
    socket.on('data', (bytes: Buffer) => {
      // The end may come in pieces.
      end = bytes.length >= 64 ? bytes.subarray(-64) : Buffer.concat([end, bytes]).subarray(-64)
      if (!end.subarray(-lastChunk.length).equals(lastChunk)) return
      if (!end.includes(endMark)) reject(new Error(`expected an end mark, got ${end}`))
      left--
      if (left > 0) socket.write(request)
      else {
        socket.destroy()
        resolve()
      }
    })
  })
}

const firstDelta = '"role":"assistant"'
const lastText = '"content":" 0"'
const timeOfText = /"content":" (\d+)"/g

/** Streams that stay open. How long each event took from the upstream's write to here is told in milliseconds. */
export class OpenStreams {
  readonly #sockets: Socket[] = []
  #listener: ((ms: number) => void) | undefined

  /**
   * Opens `count` streams, some at a time, and resolves when each has begun; of those that become silent, when they have.
   */
  async open(
    { port, headers }: { readonly port: number; readonly headers?: Readonly<Record<string, string>> },
    count: number,
    asked: Asked,
  ): Promise<void> {
    const request = streamRequest(port, asked, headers)
    const mark = 'events' in asked && asked.events > 1 ? lastText : firstDelta
    for (let left = count; left > 0; left -= 50) {
      await Promise.all(Array.from({ length: Math.min(left, 50) }, () => this.#open(port, request, mark)))
    }
  }

  /** The time of each event from now on. */
  listen(listener: (ms: number) => void): void {
    this.#listener = listener
  }

  close(): void {
    for (const socket of this.#sockets) socket.removeAllListeners('close').destroy()
    this.#sockets.length = 0
  }

  #open(port: number, request: Buffer, mark: string): Promise<void> {
    return new Promise((resolve, reject) => {
      const socket = createConnection({ port, host: '127.0.0.1', noDelay: true })
      this.#sockets.push(socket)
      const timer = setTimeout(() => reject(new Error('A stream did not begin within a minute.')), 60_000)
      socket.once('connect', () => socket.write(request)).once('error', reject)
      socket.once('close', () => reject(new Error('A stream ended that should have stayed open.')))
      let end = ''
      let begun = false
      socket.on('data', (bytes: Buffer) => {
        const text = bytes.toString('latin1')
        if (!begun) {
          // The mark may come in pieces.
          begun = (end + text).includes(mark)
          end = text.slice(-mark.length)
          if (begun) {
            clearTimeout(timer)
            resolve()
          }
        }
        if (this.#listener === undefined) return
        const now = Number(process.hrtime.bigint() / 1000n)
        for (const [, sent] of text.matchAll(timeOfText)) this.#listener((now - Number(sent)) / 1000)
      })
    })
  }
}

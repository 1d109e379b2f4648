import type { Server } from 'node:http'
import { type Duplex, duplexPair } from 'node:stream'

/** All that came back. */
export interface RawAnswer {
  /** `undefined` where the connection was closed without an answer. */
  readonly status: number | undefined
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** Puts bytes to a server by a connection in memory, with the server's own reader of HTTP. */
export async function exchangeInMemory(server: Server, bytes: Uint8Array): Promise<RawAnswer> {
  const [client, connection] = duplexPair()
  server.emit('connection', connection)
  // What is destroyed here does not end there.
  connection.once('close', () => setImmediate(() => client.destroy()))
  return exchange(client, bytes)
}

/** Writes bytes to a connection and reads it to its end. Throws where it has none after ten seconds. */
export async function exchange(client: Duplex, bytes: Uint8Array): Promise<RawAnswer> {
  const parts: Buffer[] = []
  await new Promise<void>((resolve, reject) => {
    const late = setTimeout(() => reject(new Error('got no end of the answer in 10 seconds')), 10_000)
    client.on('data', part => parts.push(part))
    client.once('error', () => client.destroy())
    client.once('end', () => client.destroy())
    client.once('close', () => {
      clearTimeout(late)
      resolve()
    })
    client.write(bytes)
  })
  return answerIn(Buffer.concat(parts).toString('latin1'))
}

function answerIn(text: string): RawAnswer {
  if (text === '') return { status: undefined, headers: new Map(), body: '' }
  const [, status = '', lines = '', body = ''] =
    /^(?:HTTP\/1\.1 1\d\d [^\r\n]*\r\n\r\n)*HTTP\/1\.1 (\d{3}) [^\r\n]*\r\n(.*?)\r\n\r\n(.*)$/s.exec(
      `${text}`,
    ) ?? []
  if (status === '') throw new Error(`got no HTTP answer: ${JSON.stringify(text.slice(0, 300))}`)
  const headers = new Map(
    lines.split('\r\n').map(line => {
      const colon = line.indexOf(':')
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
    }),
  )
  return { status: Number(status), headers, body: headers.has('transfer-encoding') ? joined(body) : body }
}

/** A body that came in chunks (RFC 9112 section 7.1). */
function joined(body: string): string {
  let text = ''
  for (let at = 0; ; ) {
    const [line = '', digits = ''] = /^([\da-f]+)\r\n/i.exec(body.slice(at)) ?? []
    const size = Number.parseInt(digits, 16)
    if (!(size >= 0)) throw new Error(`got a broken chunk: ${JSON.stringify(body.slice(at, at + 100))}`)
    if (size === 0) return text
    text += body.slice(at + line.length, at + line.length + size)
    at += line.length + size + 2
  }
}

import { connect, type Socket } from 'node:net'
import { setTimeout as sleep, setImmediate as turn } from 'node:timers/promises'

/** What became of the requests of a run. */
export interface StopCounts {
  /** Answered in whole, by status. */
  readonly answered: Map<number, number>
  /** Sent on a connection that was there, and not answered in whole: by what the client saw. */
  readonly lost: Map<string, number>
  /** Connections that nobody took. */
  refused: number
}

const body = JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello!' }] })
const get = 'GET /v1/models HTTP/1.1\r\nHost: a\r\n\r\n'
const head = `POST /v1/chat/completions HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: ${body.length}\r\n\r\n`

/** How a request is written: the body of the last one comes a turn after its head. */
const forms = [[get], [head + body], [head, body]] as const

const count = <Key>(counts: Map<Key, number>, key: Key) => counts.set(key, (counts.get(key) ?? 0) + 1)

function countAnswer({ answered, lost }: StopCounts, answer: number | string | undefined): void {
  if (typeof answer === 'number') count(answered, answer)
  else if (answer !== undefined) count(lost, answer)
}

/** Sends requests on one connection, `perConnection` at most, and then on another one, until nobody takes it. */
export async function sendUntilRefused(
  port: number,
  { perConnection, pauseMs }: { readonly perConnection: number; readonly pauseMs: () => number },
  counts: StopCounts,
): Promise<void> {
  for (let index = 0; ; ) {
    const connection = await StopConnection.open(port)
    if (connection === undefined) {
      counts.refused++
      return
    }
    for (let sent = 0; sent < perConnection && connection.usable; sent++) {
      countAnswer(counts, await connection.ask(forms[index++ % forms.length]!))
      const ms = pauseMs()
      if (ms > 0) await sleep(ms)
    }
    connection.close()
  }
}

/** Sends a request on a connection of its own every so often, whatever became of those before, until nobody takes it. */
export async function sendWithoutWaiting(
  port: number,
  pauseMs: () => number,
  counts: StopCounts,
): Promise<void> {
  const sent: Promise<void>[] = []
  let refused = false
  for (let index = 0; !refused; index++) {
    sent.push(
      (async () => {
        const connection = await StopConnection.open(port)
        if (connection === undefined) {
          counts.refused++
          refused = true
          return
        }
        countAnswer(counts, await connection.ask(forms[index % forms.length]!))
        connection.close()
      })(),
    )
    await sleep(pauseMs())
  }
  await Promise.all(sent)
}

/** A connection on which one request after the other is answered. */
class StopConnection {
  readonly #socket: Socket
  #received = ''
  #ended: string | undefined
  #closing = false
  #changed = () => {}

  constructor(socket: Socket) {
    this.#socket = socket
    const end = (how: string) => {
      this.#ended ??= how
      this.#changed()
    }
    socket.setEncoding('latin1')
    socket.on('data', text => {
      this.#received += String(text)
      this.#changed()
    })
    socket.on('end', () => end('closed'))
    socket.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? 'error'))
    socket.on('close', () => end('closed'))
  }

  static async open(port: number): Promise<StopConnection | undefined> {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true })
    const opened = await new Promise<boolean>(resolve => {
      socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    })
    return opened ? new StopConnection(socket) : undefined
  }

  get usable(): boolean {
    return this.#ended === undefined && !this.#closing
  }

  /** The status, or how the connection ended without an answer; `undefined` where it had ended before. */
  async ask(parts: readonly string[]): Promise<number | string | undefined> {
    if (!this.usable) return undefined
    for (const [index, part] of parts.entries()) {
      if (index > 0) await turn()
      this.#socket.write(part)
    }
    for (;;) {
      const status = this.#takeAnswer()
      if (status !== undefined) return status
      if (this.#ended !== undefined) return this.#ended
      await new Promise<void>(resolve => {
        this.#changed = resolve
      })
    }
  }

  #takeAnswer(): number | undefined {
    const end = this.#received.indexOf('\r\n\r\n')
    if (end === -1) return undefined
    const found = this.#received.slice(0, end).toLowerCase()
    const length = Number(/content-length: (\d+)/.exec(found)?.[1])
    if (this.#received.length < end + 4 + length) return undefined
    this.#received = this.#received.slice(end + 4 + length)
    if (found.includes('connection: close')) this.#closing = true
    return Number(found.slice(9, 12))
  }

  close(): void {
    this.#socket.destroy()
  }
}

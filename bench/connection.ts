import { createConnection, type Socket } from 'node:net'

/** What is asked, again and again. */
export interface Question {
  readonly port: number
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** The bytes of a request. */
export function bytesOf({ port, path, headers, body }: Question): Buffer {
  const head = Object.entries({
    host: `127.0.0.1:${port}`,
    'content-type': 'application/json',
    'content-length': `${Buffer.byteLength(body)}`,
    ...headers,
  })
  const lines = head.map(([name, value]) => `${name}: ${value}\r\n`)
  return Buffer.from(`POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`)
}

const lastChunk = Buffer.from('\r\n0\r\n\r\n')

/**
 * One kept connection, which asks one thing after the other. It writes and reads bytes itself, so that it takes as
 * little as it can of the machine that it shares with what is measured. An answer that is no 200 is an error.
 */
export class Connection {
  readonly #socket: Socket
  readonly #message: Buffer
  #answered: (body: readonly Buffer[]) => void = () => {}
  #failed: (error: Error) => void = () => {}
  #body: Buffer[] = []
  #head: Buffer | undefined
  /** Bytes of the body that are still to come; `chunked`: it says itself where it ends; `undefined`: its head is to come. */
  #left: number | 'chunked' | undefined

  constructor(question: Question) {
    this.#message = bytesOf(question)
    this.#socket = createConnection({ port: question.port, host: '127.0.0.1', noDelay: true })
    this.#socket.on('data', bytes => this.#read(bytes))
    this.#socket.once('error', error => this.#failed(error))
    this.#socket.once('close', () => this.#failed(new Error('the connection was closed before its answer')))
  }

  /** Asks; `answered` gets the pieces of the body, framed as they came. */
  ask(answered: (body: readonly Buffer[]) => void, failed: (error: Error) => void): void {
    this.#answered = answered
    this.#failed = failed
    this.#left = undefined
    this.#body = []
    this.#socket.write(this.#message)
  }

  close(): void {
    this.#failed = () => {}
    this.#socket.destroy()
  }

  #read(bytes: Buffer): void {
    const body = this.#left === undefined ? this.#readHead(bytes) : bytes
    if (body === undefined) return
    this.#body.push(body)
    if (this.#left === 'chunked') {
      if (this.#endsWithLastChunk()) this.#answered(this.#body)
      return
    }
    this.#left = (this.#left ?? 0) - body.length
    if (this.#left <= 0) this.#answered(this.#body)
  }

  /** Reads the head; gives what of the body came with it. */
  #readHead(bytes: Buffer): Buffer | undefined {
    const all = this.#head === undefined ? bytes : Buffer.concat([this.#head, bytes])
    const end = all.indexOf('\r\n\r\n')
    this.#head = end === -1 ? all : undefined
    if (end === -1) return undefined
    const head = all.toString('latin1', 0, end)
    const length = /\r\ncontent-length: (\d+)/i.exec(head)?.[1]
    const chunked = /\r\ntransfer-encoding: chunked/i.test(head)
    if (!head.startsWith('HTTP/1.1 200 ') || (length === undefined && !chunked)) {
      this.#failed(new Error(`expected a 200, got:\n${all.toString('utf8', 0, 1_000)}`))
      this.close()
      return undefined
    }
    this.#left = chunked ? 'chunked' : Number(length)
    // With the line's end before it, so that a body of no chunks ends as any other.
    return chunked ? all.subarray(end + 2) : all.subarray(end + 4)
  }

  #endsWithLastChunk(): boolean {
    const last = this.#body.at(-1)!
    const end = last.length >= lastChunk.length ? last : Buffer.concat(this.#body.slice(-8))
    return end.subarray(-lastChunk.length).equals(lastChunk)
  }
}

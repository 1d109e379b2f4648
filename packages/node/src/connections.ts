import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** What goes on at a connection. */
export interface Connection {
  /** Those that have not ended, in the order of their requests. */
  readonly answers: ServerResponse[]
  /** How much had been written, and read, when the last answer ended. */
  written: number
  read: number
  /** When that was, or when the connection was accepted. Monotonic milliseconds. */
  idleSince: number
}

/** The connections of a server, and what goes on at each. To be made before the server takes any. */
export class Connections {
  readonly #open = new Map<Socket, Connection>()

  constructor(server: Server) {
    const note = ({ socket }: IncomingMessage, response: ServerResponse) => this.#note(socket, response)
    server.on('connection', (socket: Socket) => {
      this.#open.set(socket, { answers: [], written: 0, read: 0, idleSince: performance.now() })
      socket.once('close', () => this.#open.delete(socket))
    })
    server.on('request', note).on('checkContinue', note)
  }

  of(socket: Socket): Connection | undefined {
    return this.#open.get(socket)
  }

  /** Has each answer that has not begun say that its connection closes: the last one, where one waits for another. */
  announce(): void {
    for (const { answers } of this.#open.values()) {
      const last = answers.at(-1)
      if (last?.headersSent === false) last.setHeader('connection', 'close')
    }
  }

  /**
   * Ends each connection on which nothing is to be answered since a time, in monotonic milliseconds. By a FIN, and what
   * still comes is read: a reset would take from the client what it has not read yet. Where a part of a request has come,
   * the rest is waited for.
   */
  endIdle(since: number): void {
    for (const [socket, { answers, read, idleSince }] of this.#open) {
      const idle = answers.length === 0 && socket.bytesRead === read
      if (idle && idleSince <= since && socket.writable) socket.end()
    }
  }

  /** Cuts off whoever is there, also those whose connection is no longer HTTP; readers of an answer if `all`. */
  cut(all: boolean): void {
    for (const [socket, { answers }] of this.#open) {
      if (all || answers.length === 0 || !socket.writable) socket.destroy()
    }
  }

  /** Cuts off whoever has not closed a connection that was ended, for as long as that may take, in milliseconds. */
  cutEnded(ms: number): void {
    const since = performance.now() - ms
    for (const [socket, { answers, idleSince }] of this.#open) {
      if (answers.length === 0 && !socket.writable && idleSince <= since) socket.destroy()
    }
  }

  #note(socket: Socket, response: ServerResponse): void {
    const connection = this.#open.get(socket)
    if (connection === undefined) return
    connection.answers.push(response)
    response.on('close', () => this.#ended(response, socket, connection))
  }

  #ended(response: ServerResponse, socket: Socket, connection: Connection): void {
    const { answers } = connection
    const at = answers.indexOf(response)
    if (at === -1) return
    answers.splice(at, 1)
    connection.written = socket.bytesWritten
    connection.read = socket.bytesRead
    connection.idleSince = performance.now()
  }
}

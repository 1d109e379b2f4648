import type { Duplex } from 'node:stream'

/** Answers a call, or receives a notification, of the process at the other end. */
export type ChannelHandler = (name: string, args: readonly unknown[]) => unknown

/** A message: the number of a call, or 0; a name, and arguments. */
export type Message = [id: number, name: string, ...args: unknown[]]

/** The other process sent what cannot be read. The connection ends, also if a `ChannelHandler` throws it. */
export class UnreadableMessageError extends Error {}

interface PendingCall {
  readonly resolve: (value: unknown) => void
  readonly reject: (error: Error) => void
}

/** What waits to be written to a process that does not read, in bytes and in messages, before calls fail. */
const maxUnsentBytes = 67_108_864
const maxUnsent = 100_000

/**
 * Calls functions of another process over a pipe: one line of JSON with all calls of a turn of the event loop. While the other
 * process works on a line, the calls of later turns wait for its answer, and are one line too. A line for each call costs five times
 * the CPU (decision 025). `undefined` arrives as `null` within values, and as `undefined` instead of one.
 */
export class Channel {
  /** Resolves when the other end is gone, or `close` was called. */
  readonly closed: Promise<void>
  readonly #stream: Duplex
  readonly #handle: ChannelHandler
  readonly #pending = new Map<number, PendingCall>()
  /** The messages of this turn. They are written at its end, so only whoever sent one may change it until then. */
  #out: (readonly unknown[])[] = []
  #lines = 0
  #isScheduled = false
  /** Whether the other process has not answered the last line yet. */
  #isAwaiting = false
  /** Whether a line that is being handled has calls. */
  #owesAnswer = false
  #received = ''
  #last = 0
  #isOpen = true
  #isUnreadable = false

  constructor(stream: Duplex, handle: ChannelHandler) {
    this.#stream = stream
    this.#handle = handle
    stream.setEncoding('utf8')
    stream.on('data', (text: string) => this.#receive(text))
    // The end is reported by `close`.
    stream.on('error', () => stream.destroy())
    this.closed = new Promise(resolve => {
      stream.once('end', () => stream.destroy())
      stream.once('close', () => {
        this.#end()
        resolve()
      })
    })
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Whether the connection ended because the other process sent what cannot be read. */
  get isUnreadable(): boolean {
    return this.#isUnreadable
  }

  /** Number of lines that were written. Until the next one, arguments can be added to a message that was posted. */
  get lines(): number {
    return this.#lines
  }

  /** Calls a function of the other process. Rejects with `Error` if it throws, or the other process ends. */
  call(name: string, ...args: readonly unknown[]): Promise<unknown> {
    try {
      return this.expectAnswer(this.post(name, ...args))
    } catch (error) {
      return Promise.reject(error)
    }
  }

  /** Calls a function of the other process without an answer. Ignored if nothing can be sent. */
  notify(name: string, ...args: readonly unknown[]): void {
    if (this.#obstacle() === undefined) this.post(name, ...args)
  }

  /** Sends a message at the end of this turn, without an answer. Throws `Error` if nothing can be sent. */
  post(name: string, ...args: readonly unknown[]): Message {
    const obstacle = this.#obstacle()
    if (obstacle !== undefined) throw new Error(obstacle)
    const message: Message = [0, name, ...args]
    this.#send(message)
    return message
  }

  /** Makes a message that is not written yet a call. Rejects as `call` does. */
  expectAnswer(message: Message): Promise<unknown> {
    return new Promise((resolve, reject) => {
      message[0] = ++this.#last
      this.#pending.set(message[0], { resolve, reject })
    })
  }

  /** Sends what waits, and ends the connection. */
  close(): void {
    if (!this.#isOpen) return
    this.flush()
    this.#stream.end()
    this.#end()
  }

  #obstacle(): string | undefined {
    if (!this.#isOpen) return gone
    const isFull = this.#stream.writableLength > maxUnsentBytes || this.#out.length >= maxUnsent
    return isFull ? 'The other process does not read what was sent to it.' : undefined
  }

  #send(message: readonly unknown[]): void {
    this.#out.push(message)
    if (this.#isScheduled) return
    this.#isScheduled = true
    setImmediate(() => {
      this.#isScheduled = false
      if (!this.#isAwaiting) this.flush()
    })
  }

  /** Sends what waits now, and not at the end of this turn. */
  flush(): void {
    if (this.#out.length === 0 || this.#stream.destroyed) return
    // One call for all takes half the time of one for each.
    if (this.#out.some(message => (message[0] as number) > 0)) this.#isAwaiting = true
    const line = `${JSON.stringify(this.#out)}\n`
    // Before it is written: a stream in this process is read at once.
    this.#out = []
    this.#lines++
    this.#stream.write(line)
  }

  #receive(text: string): void {
    let start = 0
    for (;;) {
      const end = text.indexOf('\n', start)
      if (end === -1) break
      const line = this.#received === '' ? text.slice(start, end) : this.#received + text.slice(start, end)
      this.#received = ''
      start = end + 1
      if (!this.#handleAll(line)) return
    }
    if (start < text.length) this.#received += start === 0 ? text : text.slice(start)
    if (start === 0) return
    // A line that was handled is answered, also where no call of it can be yet.
    if (this.#owesAnswer && this.#out.length === 0 && !this.#stream.destroyed) this.#stream.write('[]\n')
    this.#owesAnswer = false
    this.flush()
  }

  /** Handles a line. Returns `false` if it cannot be read: then the connection ends. */
  #handleAll(line: string): boolean {
    if (this.#isUnreadable) return false
    try {
      const messages: unknown = JSON.parse(line)
      if (!Array.isArray(messages)) throw new UnreadableMessageError('A line is no array.')
      this.#isAwaiting = false
      for (const message of messages) this.#handleMessage(message)
      return true
    } catch (error) {
      if (!(error instanceof SyntaxError || error instanceof UnreadableMessageError)) throw error
      this.#isUnreadable = true
      this.#stream.destroy()
      return false
    }
  }

  #handleMessage(message: unknown): void {
    if (!Array.isArray(message) || !Number.isSafeInteger(message[0])) {
      throw new UnreadableMessageError('A message has no number.')
    }
    const id: number = message[0]
    if (id < 0) {
      this.#settle(-id, message[1], message[2])
      return
    }
    if (typeof message[1] !== 'string') throw new UnreadableMessageError('A message has no name.')
    if (id > 0) this.#owesAnswer = true
    this.#answer(id, message[1], message.slice(2))
  }

  #answer(id: number, name: string, args: readonly unknown[]): void {
    let value: unknown
    try {
      value = this.#handle(name, args)
    } catch (error) {
      if (error instanceof UnreadableMessageError) throw error
      if (id > 0) this.#fail(id, error)
      return
    }
    if (id === 0) return
    if (value instanceof Promise) {
      value.then(
        result => this.#succeed(id, result),
        error => this.#fail(id, error),
      )
    } else this.#succeed(id, value)
  }

  #succeed(id: number, value: unknown): void {
    if (this.#isOpen) this.#send(value === undefined ? [-id] : [-id, value])
  }

  #fail(id: number, error: unknown): void {
    if (this.#isOpen) this.#send([-id, null, error instanceof Error ? error.message : String(error)])
  }

  #settle(id: number, value: unknown, error: unknown): void {
    const call = this.#pending.get(id)
    if (call === undefined) return
    this.#pending.delete(id)
    if (error === undefined) call.resolve(value)
    else call.reject(new Error(String(error)))
  }

  #end(): void {
    this.#isOpen = false
    // Nothing can be added to what was not written.
    this.#lines++
    const calls = [...this.#pending.values()]
    this.#pending.clear()
    for (const { reject } of calls) reject(new Error(gone))
  }
}

const gone = 'The other process has ended.'

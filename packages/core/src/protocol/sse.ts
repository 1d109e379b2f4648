import { UpstreamError } from '../errors/upstream-error.ts'

/** One event of a server-sent event stream (WHATWG HTML, section 9.2). */
export interface SseEvent {
  /** The event's name; `message` where none was given. */
  readonly event: string
  readonly data: string
}

export interface SseDecodeOptions {
  /**
   * The most that one event, or one line, may hold before it has ended. Counted in UTF-16 code units, which
   * are bytes where the text is ASCII. Default 8,388,608 (8 MiB).
   */
  readonly maxEventBytes?: number
  /**
   * Delivers lines that stand bare between events, from one that begins with `{` or `[` to the next empty line, as
   * an event's data. So some servers tell of an error in mid stream. Default false: such lines are ignored.
   */
  readonly bareJson?: boolean
}

const LF = 10
const CR = 13
const SPACE = 32
const COLON = 58
const BRACKET = 91
const BRACE = 123

/**
 * Reads server-sent events (WHATWG HTML, section 9.2.6) from bytes: one array per read that completed an
 * event, never an empty one.
 *
 * It differs from the text in one point: data that the end of the body leaves without its blank line is
 * delivered, since some servers end so. `id` and `retry` are ignored; invalid UTF-8 becomes U+FFFD.
 * When the consumer stops, the body's iterator is returned.
 *
 * Throws `UpstreamError` of kind `garbled` for an event larger than `maxEventBytes`, after the events
 * before it have been delivered.
 */
export async function* decodeSse(
  body: AsyncIterable<Uint8Array>,
  options: SseDecodeOptions = {},
): AsyncGenerator<readonly SseEvent[], void, undefined> {
  const decoder = new SseDecoder(options)
  for await (const bytes of body) {
    const events = decoder.push(bytes)
    if (events.length > 0) yield events
    decoder.check()
  }
  const events = decoder.end()
  if (events.length > 0) yield events
}

/**
 * `decodeSse` for who reads the bytes itself: give each read to `push`, deliver its events, then call `check`; call `end`
 * when there is nothing more to read.
 */
export class SseDecoder {
  readonly #text = new Utf8Reads()
  readonly #maxSize: number
  readonly #bareJson: boolean
  /** The line that has not ended. Joined only when it has: each character is looked at once, however the text is cut. */
  #pieces: string[] = none
  /** Its length. */
  #pending = 0
  /** The text so far ends with CR: an LF that follows belongs to it. */
  #afterCr = false
  #data: string | undefined
  #name = ''
  /** The data so far stood bare. */
  #bare = false
  #tooLarge = false

  constructor({ maxEventBytes = 8_388_608, bareJson = false }: SseDecodeOptions = {}) {
    this.#maxSize = maxEventBytes
    this.#bareJson = bareJson === true
  }

  /** The events that these bytes complete. */
  push(bytes: Uint8Array): SseEvent[] {
    return this.#push(this.#text.decode(bytes))
  }

  /** Throws `UpstreamError` of kind `garbled` where an event is too large. */
  check(): void {
    if (!this.#tooLarge) return
    throw new UpstreamError(`An event of the stream is larger than ${this.#maxSize} bytes.`, {
      kind: 'garbled',
    })
  }

  /** The event that the end of the body leaves without its blank line. Throws as `check`. */
  end(): SseEvent[] {
    const events = this.#push(this.#text.end())
    this.check()
    const line = this.#pieces.join('')
    if (line !== '') this.#take(line, events)
    this.#take('', events)
    return events
  }

  #push(text: string): SseEvent[] {
    const events: SseEvent[] = []
    if (text === '') return events
    let start = 0
    if (this.#afterCr && text.charCodeAt(0) === LF) start = 1
    this.#afterCr = false
    let lf = text.indexOf('\n', start)
    let cr = text.indexOf('\r', start)
    while (lf !== -1 || cr !== -1) {
      const end = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr
      this.#take(this.#pending === 0 ? text.slice(start, end) : this.#ended(text.slice(start, end)), events)
      if (this.#tooLarge) return events
      start = end + 1
      if (text.charCodeAt(end) === CR) {
        if (start === text.length) this.#afterCr = true
        else if (text.charCodeAt(start) === LF) start++
        cr = text.indexOf('\r', start)
      }
      if (lf !== -1 && lf < start) lf = text.indexOf('\n', start)
    }
    if (start < text.length) this.#keep(start === 0 ? text : text.slice(start))
    return events
  }

  /** The line whose last piece this is. */
  #ended(last: string): string {
    this.#pieces.push(last)
    const line = this.#pieces.join('')
    this.#pieces = none
    this.#pending = 0
    return line
  }

  #keep(piece: string): void {
    if (this.#pending === 0) this.#pieces = [piece]
    else this.#pieces.push(piece)
    this.#pending += piece.length
    if (this.#pending + (this.#data?.length ?? 0) > this.#maxSize) this.#tooLarge = true
  }

  #take(line: string, events: SseEvent[]): void {
    if (line === '') {
      const data = this.#data
      if (data !== undefined) events.push({ event: this.#name === '' ? 'message' : this.#name, data })
      this.#data = undefined
      this.#name = ''
      this.#bare = false
      return
    }
    const data = this.#data
    if (line.length + (data?.length ?? 0) > this.#maxSize) {
      this.#tooLarge = true
    } else if (this.#bareJson && (this.#bare || (data === undefined && beginsJson(line)))) {
      this.#bare = true
      this.#data = data === undefined ? line : `${data}\n${line}`
    } else if (line.startsWith('data') && (line.length === 4 || line.charCodeAt(4) === COLON)) {
      const value = line.slice(line.charCodeAt(5) === SPACE ? 6 : 5)
      this.#data = data === undefined ? value : `${data}\n${value}`
    } else if (line.startsWith('event') && (line.length === 5 || line.charCodeAt(5) === COLON)) {
      this.#name = line.slice(line.charCodeAt(6) === SPACE ? 7 : 6)
    }
  }
}

/** Most reads end with a line: it is never pushed to. */
const none: string[] = []

/** No field of an event has such a name. */
function beginsJson(line: string): boolean {
  const first = line.charCodeAt(0)
  return first === BRACE || first === BRACKET
}

/** Keeps no state, and no mark of byte order: reads in mid stream. */
const statelessDecoder = /* @__PURE__ */ new TextDecoder('utf-8', { ignoreBOM: true })

const asStream = { stream: true }

/**
 * UTF-8 that comes in reads, as text: what one `TextDecoder` makes of them as a stream. Most reads of an event stream
 * end with a line and so with a character; those are decoded by themselves, at a third of what a stream costs.
 */
export class Utf8Reads {
  /** Set while a character may be cut. */
  #stream: TextDecoder | undefined
  #begun = false

  decode(bytes: Uint8Array): string {
    const { length } = bytes
    if (length === 0) return ''
    // An ASCII byte is a whole character, and ends any other.
    const complete = bytes[length - 1]! < 0x80
    // What begins a stream may be a mark of byte order.
    if (complete && this.#stream === undefined && (this.#begun || bytes[0] !== 0xef)) {
      this.#begun = true
      return statelessDecoder.decode(bytes)
    }
    this.#stream ??= new TextDecoder('utf-8', { ignoreBOM: this.#begun })
    this.#begun = true
    const text = this.#stream.decode(bytes, asStream)
    if (complete) this.#stream = undefined
    return text
  }

  /** What is left of a character that was cut. */
  end(): string {
    return this.#stream?.decode() ?? ''
  }
}

import { UpstreamError } from '../errors/upstream-error.ts'

/** One event of a server-sent event stream (WHATWG HTML, section 9.2). */
export interface SseEvent {
  /** Event type. Default `message`. */
  readonly event: string
  readonly data: string
}

/** Options of `decodeSse` and `SseDecoder`. */
export interface SseDecodeOptions {
  /** Maximum size of an event or line, in UTF-16 code units (bytes for ASCII text). Default 8,388,608 (8 MiB). */
  readonly maxEventBytes?: number
  /**
   * Whether to treat JSON outside of events as the data of an event: from a line that starts with `{` or `[` to the next empty
   * line. Some servers report errors within a stream like that. Default `false`: such lines are ignored.
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
 * Decodes server-sent events (WHATWG HTML, section 9.2.6). Yields a non-empty array per read that completes events.
 *
 * Unlike the standard, it also delivers a last event without a blank line, because some servers end like that. It ignores `id`
 * and `retry`, and decodes invalid UTF-8 as U+FFFD. Ending the iteration early ends that of the body.
 *
 * Throws `UpstreamError` of kind `garbled` for an event larger than `maxEventBytes`, after it has delivered earlier events.
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
 * Decodes server-sent events incrementally. Pass each read to `push`, deliver its events, then call `check`. Call `end` at the
 * end of the body.
 */
export class SseDecoder {
  readonly #text = new Utf8Reads()
  readonly #maxSize: number
  readonly #bareJson: boolean
  /** The pieces of the incomplete line. They are joined only at its end, so that decoding takes linear time. */
  #pieces: string[] = none
  /** Length of the incomplete line. */
  #pending = 0
  /** Whether the text so far ends with CR: an LF that follows belongs to it. */
  #afterCr = false
  #data: string | undefined
  #name = ''
  /** Whether the data so far is bare JSON. */
  #bare = false
  #tooLarge = false

  constructor({ maxEventBytes = 8_388_608, bareJson = false }: SseDecodeOptions = {}) {
    this.#maxSize = maxEventBytes
    this.#bareJson = bareJson === true
  }

  /** Returns the events that these bytes complete. */
  push(bytes: Uint8Array): SseEvent[] {
    return this.#push(this.#text.decode(bytes))
  }

  /** Throws `UpstreamError` of kind `garbled` if an event is too large. */
  check(): void {
    if (!this.#tooLarge) return
    throw new UpstreamError(`An event of the stream is larger than ${this.#maxSize} bytes.`, {
      kind: 'garbled',
    })
  }

  /** Returns a last event without a blank line. Throws like `check`. */
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

  /** Completes the line with its last piece. */
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

/** Shared, as most reads end with a line. It is never pushed to. */
const none: string[] = []

/** No field name of an event starts with these characters. */
function beginsJson(line: string): boolean {
  const first = line.charCodeAt(0)
  return first === BRACE || first === BRACKET
}

/** Stateless, for reads after the start of the stream: it does not strip a byte order mark. */
const statelessDecoder = /* @__PURE__ */ new TextDecoder('utf-8', { ignoreBOM: true })

const asStream = { stream: true }

/**
 * Decodes UTF-8 reads like a streaming `TextDecoder`. Most reads of an event stream end with a complete character; those are
 * decoded without a stream, which takes a third of the time.
 */
export class Utf8Reads {
  /** Set while a character may be incomplete. */
  #stream: TextDecoder | undefined
  #begun = false

  decode(bytes: Uint8Array): string {
    const { length } = bytes
    if (length === 0) return ''
    // An ASCII byte is a complete character, and ends any other.
    const complete = bytes[length - 1]! < 0x80
    // The start of a stream may be a byte order mark.
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

  /** Returns the rest of an incomplete character. */
  end(): string {
    return this.#stream?.decode() ?? ''
  }
}

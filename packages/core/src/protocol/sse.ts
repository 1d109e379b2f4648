import { UpstreamError } from '../upstream-error.ts'

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
  const text = new TextDecoder()
  const lines = eventReader(options.maxEventBytes ?? 8_388_608, options.bareJson === true)
  for await (const bytes of body) {
    const events = lines.push(text.decode(bytes, { stream: true }))
    if (events.length > 0) yield events
    lines.check()
  }
  const events = lines.push(text.decode())
  lines.check()
  lines.end(events)
  if (events.length > 0) yield events
}

/** No field of an event has such a name. */
function beginsJson(line: string): boolean {
  const first = line.charCodeAt(0)
  return first === BRACE || first === BRACKET
}

/** Text in pieces to events. Each character is looked at once, however the text is cut. */
function eventReader(maxSize: number, bareJson: boolean) {
  let pieces: string[] = [] // the line that has not ended
  let pending = 0 // their length
  let afterCr = false // the text so far ends with CR: an LF that follows belongs to it
  let data: string | undefined
  let name = ''
  let bare = false // the data so far stood bare
  let tooLarge = false

  function take(line: string, events: SseEvent[]): void {
    if (line === '') {
      if (data !== undefined) events.push({ event: name === '' ? 'message' : name, data })
      data = undefined
      name = ''
      bare = false
      return
    }
    if (line.length + (data?.length ?? 0) > maxSize) {
      tooLarge = true
      return
    }
    if (bareJson && (bare || (data === undefined && beginsJson(line)))) {
      bare = true
      data = data === undefined ? line : `${data}\n${line}`
    } else if (line.startsWith('data') && (line.length === 4 || line.charCodeAt(4) === COLON)) {
      const value = line.slice(line.charCodeAt(5) === SPACE ? 6 : 5)
      data = data === undefined ? value : `${data}\n${value}`
    } else if (line.startsWith('event') && (line.length === 5 || line.charCodeAt(5) === COLON)) {
      name = line.slice(line.charCodeAt(6) === SPACE ? 7 : 6)
    }
  }

  function push(text: string): SseEvent[] {
    const events: SseEvent[] = []
    if (text === '') return events
    let start = 0
    if (afterCr && text.charCodeAt(0) === LF) start = 1
    afterCr = false
    let lf = text.indexOf('\n', start)
    let cr = text.indexOf('\r', start)
    while (lf !== -1 || cr !== -1) {
      const end = cr === -1 || (lf !== -1 && lf < cr) ? lf : cr
      let line = text.slice(start, end)
      if (pieces.length > 0) {
        pieces.push(line)
        line = pieces.join('')
        pieces = []
        pending = 0
      }
      take(line, events)
      if (tooLarge) return events
      start = end + 1
      if (text.charCodeAt(end) === CR) {
        if (start === text.length) afterCr = true
        else if (text.charCodeAt(start) === LF) start++
        cr = text.indexOf('\r', start)
      }
      if (lf !== -1 && lf < start) lf = text.indexOf('\n', start)
    }
    if (start < text.length) {
      pieces.push(start === 0 ? text : text.slice(start))
      pending += text.length - start
      if (pending + (data?.length ?? 0) > maxSize) tooLarge = true
    }
    return events
  }

  function check(): void {
    if (tooLarge)
      throw new UpstreamError(`An event of the stream is larger than ${maxSize} bytes.`, { kind: 'garbled' })
  }

  function end(events: SseEvent[]): void {
    const line = pieces.join('')
    if (line !== '') take(line, events)
    take('', events)
  }

  return { push, check, end }
}

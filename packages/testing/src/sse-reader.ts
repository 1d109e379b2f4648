import type { ErrorBody } from '@sluice/core'
import type { ChatCompletionChunk } from '@sluice/core/provider'
import { sseLines } from './sse-lines.ts'
import { bytesIn, type SseSource } from './sse-source.ts'

/** A deviation from the events of OpenAI's chat completions API that `readSse` can allow. */
export type SseLeniency =
  /** `event:`, `id:` and `retry:` lines. */
  | 'event'
  | 'id'
  | 'retry'
  /** Line ends of CR LF or CR. */
  | 'crlf'
  /** Several `data:` lines in one event. */
  | 'multi-line'
  /** Empty lines that end no event. */
  | 'blank'
  /** Data that is not JSON. */
  | 'text'
  /** A body that fails, or ends within an event. The transcript then has `failure` and `rest`. */
  | 'cut'

/** One event of a stream. */
export interface ReadEvent {
  /** `message` if the event has no name. */
  readonly event: string
  readonly data: string
  /** From the start of the reading to the end of the event, in milliseconds. */
  readonly at: number
}

/** A chunk or an error of a stream. Its members are not validated. */
export type ReadChunk = Partial<ChatCompletionChunk> & Partial<ErrorBody>

/** What `readSse` read. */
export interface SseTranscript {
  /** All lines, also the empty ones, without line ends. */
  readonly lines: readonly string[]
  readonly events: readonly ReadEvent[]
  /** The parsed data of all events that are JSON objects. */
  readonly chunks: readonly ReadChunk[]
  /** The comments, without their colon. */
  readonly comments: readonly string[]
  /** Whether the last event is `[DONE]`, and no other is. */
  readonly done: boolean
  /** The text of choice 0. */
  readonly text: string
  /** What the body threw, if `cut` is allowed. */
  readonly failure: unknown
  /** The text after the last complete event, if `cut` is allowed. */
  readonly rest: string
}

/**
 * Reads the server-sent events of a chat completion, strictly. Valid is UTF-8 without BOM, LF as the line end, one `data: `
 * line with JSON or `[DONE]` and one empty line for each event, comments between events, and no `event:`, `id:` or `retry:`
 * lines.
 *
 * Rejects with an `Error` that quotes the invalid line, and with what the body throws, unless `cut` is allowed.
 * @param options.allow deviations that are no error
 */
export async function readSse(
  source: SseSource,
  options: { readonly allow?: readonly SseLeniency[] } = {},
): Promise<SseTranscript> {
  const allowed = new Set(options.allow)
  const started = performance.now()
  const lines: string[] = []
  const events: ReadEvent[] = []
  const comments: string[] = []
  let data: string[] = []
  let name = ''
  let pending = false
  let failure: unknown

  const refuse = (what: string): never => {
    throw new Error(`server-sent events, line ${lines.length}: ${what}`)
  }
  const permit = (leniency: SseLeniency, what: string) => {
    if (!allowed.has(leniency)) refuse(what)
  }
  const dispatch = () => {
    if (!pending) return
    if (data.length > 0)
      events.push({ event: name || 'message', data: data.join('\n'), at: performance.now() - started })
    data = []
    name = ''
    pending = false
  }
  const field = (line: string) => {
    const colon = line.indexOf(':')
    const key = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    pending = true
    if (key === 'data') {
      if (!line.startsWith('data: ')) refuse(`got ${quote(line)}, expected "data: " with its space`)
      if (data.push(value) > 1) permit('multi-line', 'got a second data line in one event, expected one')
      if (value !== '[DONE]' && !isJson(value)) permit('text', `got data that is no JSON: ${quote(value)}`)
    } else if (key === 'event' || key === 'id' || key === 'retry') {
      permit(key, `got ${quote(line)}, which the protocol forbids`)
      if (key === 'event') name = value
    } else refuse(`got ${quote(line)}, expected "data: ...", a comment or an empty line`)
  }

  const reader = sseLines(bytesIn(source), allowed.has('crlf'))
  let afterComment = false
  try {
    for await (const line of reader.lines) {
      lines.push(line)
      if (line.startsWith(':')) {
        if (pending) refuse(`got the comment ${quote(line)} within an event`)
        comments.push(line.slice(1))
      } else if (line !== '') field(line)
      else if (pending) dispatch()
      else if (!afterComment) permit('blank', 'got an empty line that ends no event')
      afterComment = line.startsWith(':')
    }
  } catch (error) {
    if (!allowed.has('cut') || !reader.failed) throw error
    failure = error
  }
  const rest =
    (pending
      ? lines
          .slice(lines.lastIndexOf('') + 1)
          .map(line => `${line}\n`)
          .join('')
      : '') + reader.rest
  if (rest !== '') permit('cut', `the stream ends within an event: ${quote(rest)}`)

  const ends = events.filter(event => event.data === '[DONE]').length
  const done = ends === 1 && events.at(-1)?.data === '[DONE]'
  const chunks = events.flatMap(event => parsedObject(event.data))
  const text = chunks
    .map(chunk => chunk.choices?.find(choice => choice.index === 0)?.delta?.content ?? '')
    .join('')
  return { lines, events, chunks, comments, done, text, failure, rest }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

function parsedObject(data: string): ReadChunk[] {
  if (!isJson(data)) return []
  const value: unknown = JSON.parse(data)
  return typeof value === 'object' && value !== null ? [value] : []
}

function quote(text: string): string {
  return JSON.stringify(text.length > 300 ? `${text.slice(0, 300)}...` : text)
}

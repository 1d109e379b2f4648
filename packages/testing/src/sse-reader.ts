import type { ErrorBody } from '@sluice/core'
import type { ChatCompletionChunk } from '@sluice/core/provider'
import { sseLines } from './sse-lines.ts'
import { bytesIn, type SseSource } from './sse-source.ts'

/** What a strict reader lets pass when it is told to. */
export type SseLeniency =
  /** `event:`, `id:` and `retry:` lines. */
  | 'event'
  | 'id'
  | 'retry'
  /** Line ends other than LF. */
  | 'crlf'
  /** Several `data:` lines in one event. */
  | 'multi-line'
  /** Empty lines where no event ends. */
  | 'blank'
  /** Data that is no JSON. */
  | 'text'
  /** A body that fails or ends within an event: see `failure` and `rest`. */
  | 'cut'

/** One event as it came. */
export interface ReadEvent {
  /** `message` where the stream gave no name. */
  readonly event: string
  readonly data: string
  /** Milliseconds from the start of the reading to the end of the event. */
  readonly at: number
}

/** A chunk as it came: nothing of it was checked. */
export type ReadChunk = Partial<ChatCompletionChunk> & Partial<ErrorBody>

/** All that a stream of server-sent events said. */
export interface SseTranscript {
  /** Every line, the empty ones included, without line ends. */
  readonly lines: readonly string[]
  readonly events: readonly ReadEvent[]
  /** The data of every event but `[DONE]`, parsed. Data that is no JSON object is left out, where it is allowed. */
  readonly chunks: readonly ReadChunk[]
  /** The comments without their colon. */
  readonly comments: readonly string[]
  /** Whether the last event was `[DONE]`, and no other was. */
  readonly done: boolean
  /** The text that choice 0 added up to. */
  readonly text: string
  /** What the body threw, where `cut` is allowed; else undefined. */
  readonly failure: unknown
  /** What stood after the last whole event, where `cut` is allowed; else empty. */
  readonly rest: string
}

/**
 * Reads a stream to its end and holds it to the protocol (section 3.1): UTF-8 without BOM, LF, each event one `data: `
 * line with JSON or `[DONE]` and one empty line, comments between events only, no `event:`, `id:` or `retry:` lines.
 * @param options.allow what to let pass; whatever else breaks the rules throws
 * @throws Error that quotes the offending line; what the body itself throws, unless `cut` is allowed
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

import type { AnswerContent } from './bodies.ts'
import type {
  AnswerStep,
  BodyStep,
  CutStep,
  EarlyReaction,
  FloodStep,
  HeadStep,
  Pace,
  RawStep,
  Reaction,
  ReplyStep,
  ResetStep,
  Step,
  Steps,
  StreamStep,
} from './script.ts'
import { seededRandom } from './seeded-random.ts'

export type {
  AnswerStep,
  BodyStep,
  CutStep,
  FloodStep,
  HeadStep,
  RawStep,
  ReplyStep,
  ResetStep,
  StreamStep,
} from './script.ts'

/**
 * Responds with a correct chat completion, streamed if the request has `stream: true`. A stream ends with token counts if the
 * request has `stream_options.include_usage: true`.
 * @param content the text `Hello` by default
 * @example [steps.wait(50), steps.answer({ text: 'Hello' })]
 */
export function answer(content: AnswerContent = {}): AnswerStep {
  return { do: 'answer', content }
}

/**
 * Responds with a complete body and its `content-length`.
 * @param body text and bytes are sent as they are, other objects as JSON; no body by default
 * @example steps.reply(completion({ text: 'Hello' }))
 * @example steps.reply({ error: { message: 'slow down' } }, { status: 429, headers: { 'retry-after': '2' } })
 */
export function reply(body?: ReplyStep['body'], options: Omit<ReplyStep, 'do' | 'body'> = {}): ReplyStep {
  return { do: 'reply', ...(body === undefined ? {} : { body }), ...options }
}

/**
 * Sends server-sent events. The body stays open for the next steps, and ends with the script.
 * @param events wire text, each with its empty line; `sse` makes them
 * @example steps.stream(sse(chunks({ text: 'Hello world' })), { delay: 10 })
 */
export function stream(
  events: StreamStep['events'],
  options: Omit<StreamStep, 'do' | 'events'> = {},
): StreamStep {
  return { do: 'stream', events, ...options }
}

/** Sends the head of a response. By default: status 200, a chunked body, `text/event-stream`. */
export function head(options: Omit<HeadStep, 'do'> = {}): HeadStep {
  return { do: 'head', ...options }
}

/** Writes a part of the body, in the framing of the head. Without a head it sends the default one first. */
export function body(data: BodyStep['data'], pace: Pace = {}): BodyStep {
  return { do: 'body', data, ...pace }
}

/**
 * Writes a part of the body, one byte at a time.
 * @param delay between two bytes, in milliseconds
 */
export function drip(data: BodyStep['data'], delay: number): BodyStep {
  return { do: 'body', data, split: 'bytes', delay }
}

/** Writes bytes to the socket without framing. The connection closes after a response that is written so. */
export function raw(bytes: RawStep['bytes'], pace: Pace = {}): RawStep {
  return { do: 'raw', bytes, ...pace }
}

/**
 * Writes random bytes that are not HTTP.
 * @param length in bytes
 * @param seed the same seed gives the same bytes
 */
export function garbage(length = 512, seed = 1): RawStep {
  const next = seededRandom(seed)
  return { do: 'raw', bytes: Uint8Array.from({ length }, () => Math.floor(next() * 256)) }
}

/** Waits for `ms` milliseconds. */
export function wait(ms: number): Step {
  return { do: 'wait', ms }
}

/**
 * Sends nothing more, and keeps the connection open until the client disconnects. Use it before the head, after it, or
 * within the body.
 */
export function hang(): Step {
  return { do: 'hang' }
}

/** Closes the connection (FIN) before the response has ended, by default within a chunk. */
export function cut(options: Omit<CutStep, 'do'> = {}): CutStep {
  return { do: 'cut', ...options }
}

/** Closes the connection with a TCP reset, by default 10 ms after the last write. */
export function reset(options: Omit<ResetStep, 'do'> = {}): ResetStep {
  return { do: 'reset', ...options }
}

/** Ends the response. The next steps act on the idle connection. */
export function end(): Step {
  return { do: 'end' }
}

/** Writes as fast as the client reads, without end or up to `bytes`. `upstream.bytesWritten` counts the bytes. */
export function flood(options: Omit<FloodStep, 'do'> = {}): FloodStep {
  return { do: 'flood', ...options }
}

/**
 * Redirects to `location`.
 * @param status 307 by default, which keeps method and body
 */
export function redirect(location: string, status = 307): ReplyStep {
  return { do: 'reply', status, headers: { location } }
}

/**
 * Responds, and then sends a second response without a request on the idle connection.
 * @param after from the end of the first response to the second, in milliseconds
 */
export function unsolicited(answer: ReplyStep, extra: ReplyStep, after = 5): Steps {
  return [answer, end(), wait(after), extra]
}

/**
 * Responds before it reads the request's body, and then closes the connection.
 * @param unread `discard`, the default, reads the body and throws it away, so that the client gets the response; `leave` leaves it in the
 *   socket, so that the close is a TCP reset, which can overtake the response
 */
export function early(reaction: Reaction, unread: 'discard' | 'leave' = 'discard'): EarlyReaction {
  return { early: reaction, unread }
}

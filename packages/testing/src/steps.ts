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
 * Answers well, as the request asks: streamed where its `stream` is true, with usage at the end where
 * `stream_options.include_usage` is true; else whole. Without `content` it says `Hello`.
 * @example [steps.wait(50), steps.answer({ text: 'Hello' })]
 */
export function answer(content: AnswerContent = {}): AnswerStep {
  return { do: 'answer', content }
}

/**
 * Answers with a whole body and its length.
 * @example steps.reply(completion({ text: 'Hello' }))
 * @example steps.reply({ error: { message: 'slow down' } }, { status: 429, headers: { 'retry-after': '2' } })
 */
export function reply(body?: ReplyStep['body'], options: Omit<ReplyStep, 'do' | 'body'> = {}): ReplyStep {
  return { do: 'reply', ...(body === undefined ? {} : { body }), ...options }
}

/**
 * Answers with server-sent events. The body stays open for the steps that follow and ends with the script.
 * @example steps.stream(sse(chunks({ text: 'Hello world' })), { delay: 10 })
 */
export function stream(
  events: StreamStep['events'],
  options: Omit<StreamStep, 'do' | 'events'> = {},
): StreamStep {
  return { do: 'stream', events, ...options }
}

/** Sends a head only: 200, chunked, `text/event-stream` unless told otherwise. */
export function head(options: Omit<HeadStep, 'do'> = {}): HeadStep {
  return { do: 'head', ...options }
}

/** Writes a piece of the body, framed as the head announced. */
export function body(data: BodyStep['data'], pace: Pace = {}): BodyStep {
  return { do: 'body', data, ...pace }
}

/** Writes a piece of the body one byte at a time. @param delay milliseconds between two bytes */
export function drip(data: BodyStep['data'], delay: number): BodyStep {
  return { do: 'body', data, split: 'bytes', delay }
}

/** Writes bytes to the socket as they stand. An answer that was written raw ends with its connection. */
export function raw(bytes: RawStep['bytes'], pace: Pace = {}): RawStep {
  return { do: 'raw', bytes, ...pace }
}

/** Writes random bytes that are no HTTP; the same for the same seed. */
export function garbage(length = 512, seed = 1): RawStep {
  const next = seededRandom(seed)
  return { do: 'raw', bytes: Uint8Array.from({ length }, () => Math.floor(next() * 256)) }
}

/** Waits. @param ms milliseconds */
export function wait(ms: number): Step {
  return { do: 'wait', ms }
}

/** Does nothing more until the peer leaves: before the head, after it or within the body, by where it stands. */
export function hang(): Step {
  return { do: 'hang' }
}

/** Ends the connection where the answer stands, by default within a chunk. */
export function cut(options: Omit<CutStep, 'do'> = {}): CutStep {
  return { do: 'cut', ...options }
}

/** Closes the connection with a TCP reset, by default 10 ms after what was written has gone to the kernel. */
export function reset(options: Omit<ResetStep, 'do'> = {}): ResetStep {
  return { do: 'reset', ...options }
}

/** Ends the answer now, so that steps after it act on the idle connection. */
export function end(): Step {
  return { do: 'end' }
}

/**
 * Writes without end, or `bytes` bytes, as fast as the peer reads; `upstream.bytesWritten` tells how far it came.
 */
export function flood(options: Omit<FloodStep, 'do'> = {}): FloodStep {
  return { do: 'flood', ...options }
}

/** Redirects. @param status default 307, which asks for the same method and body again */
export function redirect(location: string, status = 307): ReplyStep {
  return { do: 'reply', status, headers: { location } }
}

/**
 * After the answer, sends a second one that nobody asked for on the idle connection.
 * @param after milliseconds from the end of the first answer
 */
export function unsolicited(answer: ReplyStep, extra: ReplyStep, after = 5): Steps {
  return [answer, end(), wait(after), extra]
}

/**
 * Answers before the request's body was read, then closes.
 * @param unread what becomes of the body: read and thrown away, so that the peer gets the answer (`discard`, the
 *   default), or left in the socket, so that the close is a reset which may overtake the answer (`leave`)
 */
export function early(reaction: Reaction, unread: 'discard' | 'leave' = 'discard'): EarlyReaction {
  return { early: reaction, unread }
}

import type { AnswerContent } from './bodies.ts'
import type { HeadersToSend } from './headers.ts'
import type { RecordedRequest } from './recorded-request.ts'
import type { Split } from './split.ts'

/** How the bytes of a step are written. */
export interface Pace {
  /** Into which pieces; each is a write of its own and, in a chunked body, a chunk of its own. */
  readonly split?: Split
  /** Milliseconds before every write but the first. */
  readonly delay?: number
}

/** A whole answer with a body of known length. */
export interface ReplyStep extends Pace {
  readonly do: 'reply'
  /** Default 200. */
  readonly status?: number
  /** Default `content-type: application/json` where there is a body, and the right `content-length`. */
  readonly headers?: HeadersToSend
  /** Text and bytes are sent as they stand, any other object as its JSON. */
  readonly body?: string | Uint8Array | object
  /** A length to announce in place of the true one. */
  readonly contentLength?: number
}

/** The head of an answer whose body the next steps write. */
export interface HeadStep {
  readonly do: 'head'
  /** Default 200. */
  readonly status?: number
  /** Default `content-type: text/event-stream; charset=utf-8`, and the header that the framing needs. */
  readonly headers?: HeadersToSend
  /** Default `chunked`; a number is a `content-length`. */
  readonly framing?: 'chunked' | 'until-close' | number
}

/** A piece of the body. Where no head was sent, the default head goes before it. */
export interface BodyStep extends Pace {
  readonly do: 'body'
  readonly data: string | Uint8Array
}

/** A body of server-sent events, each a chunk of its own. It may go on: the next step can write more. */
export interface StreamStep extends Pace {
  readonly do: 'stream'
  /** Events as wire text, with their empty line: see `sse`. */
  readonly events: readonly (string | Uint8Array)[]
  /** Default 200. */
  readonly status?: number
  readonly headers?: HeadersToSend
}

/** A good answer, whole or streamed as the request asks. */
export interface AnswerStep {
  readonly do: 'answer'
  readonly content: AnswerContent
}

/** Bytes written to the socket without any framing. */
export interface RawStep extends Pace {
  readonly do: 'raw'
  readonly bytes: string | Uint8Array
}

/** Writes `unit` again and again, as fast as the peer reads. */
export interface FloodStep {
  readonly do: 'flood'
  /** Where to stop, in bytes of body; without it the flood ends when the peer leaves. */
  readonly bytes?: number
  /** Default one server-sent event of about 1 KiB with a chunk of text. */
  readonly unit?: string | Uint8Array
}

/** Ends the connection (FIN) in the middle of the answer. */
export interface CutStep {
  readonly do: 'cut'
  /** In a chunked body: within an announced chunk (default), or between two chunks. */
  readonly at?: 'mid-chunk' | 'between-chunks'
  /** What still goes out of the chunk that is cut. */
  readonly partial?: string | Uint8Array
}

/** Closes the connection with a TCP reset. */
export interface ResetStep {
  readonly do: 'reset'
  /**
   * Milliseconds between what was written and the reset, default 10. A reset that comes before the peer has read makes
   * it lose bytes, and a peer on Node then sees an ordinary end.
   */
  readonly after?: number
}

/** One thing that the upstream does. Plain data: steps can be kept in tables and printed. */
export type Step =
  | ReplyStep
  | HeadStep
  | BodyStep
  | StreamStep
  | AnswerStep
  | RawStep
  | FloodStep
  | CutStep
  | { readonly do: 'wait'; readonly ms: number }
  /** Does nothing more until the peer leaves. */
  | { readonly do: 'hang' }
  /** Ends the answer as its framing asks. Without it an answer ends with its script. */
  | { readonly do: 'end' }
  | ResetStep

/** Steps in order; lists may be nested. */
export type Steps = Step | readonly Steps[]

/** Steps, or a function that chooses them by the request and its index (0 for the upstream's first). */
export type Reaction = Steps | ((request: RecordedRequest, index: number) => Steps | Promise<Steps>)

/** A reaction that starts as soon as the head has come, before the body is read; see `early`. */
export interface EarlyReaction {
  readonly early: Reaction
  readonly unread: 'discard' | 'leave'
}

/** What an upstream does with one request. */
export type Script = Reaction | EarlyReaction

/** The steps without nesting. */
export function flatSteps(steps: Steps): Step[] {
  return isList(steps) ? steps.flatMap(flatSteps) : [steps]
}

function isList(steps: Steps): steps is readonly Steps[] {
  return Array.isArray(steps)
}

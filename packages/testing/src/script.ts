import type { AnswerContent } from './bodies.ts'
import type { HeadersToSend } from './headers.ts'
import type { RecordedRequest } from './recorded-request.ts'
import type { Split } from './split.ts'

/** How bytes are divided into writes, and when each is sent. */
export interface Pace {
  /** How to divide the bytes. Each piece is one write and, in a chunked body, one chunk. Default: one piece. */
  readonly split?: Split
  /** Before each write but the first, in milliseconds. Default: 0. */
  readonly delay?: number
}

/** Sends a complete response with a `content-length`. */
export interface ReplyStep extends Pace {
  readonly do: 'reply'
  /** Default: 200. */
  readonly status?: number
  /** Default: the correct `content-length`, and `content-type: application/json` if there is a body. */
  readonly headers?: HeadersToSend
  /** Text and bytes are sent as they are, other objects as JSON. */
  readonly body?: string | Uint8Array | object
  /** The value of `content-length`, in bytes, instead of the correct one. */
  readonly contentLength?: number
}

/** Sends the head of a response whose body the next steps write. */
export interface HeadStep {
  readonly do: 'head'
  /** Default: 200. */
  readonly status?: number
  /** Default: `content-type: text/event-stream; charset=utf-8`, and the header of the framing. */
  readonly headers?: HeadersToSend
  /** A number is a `content-length`, in bytes. Default: `chunked`. */
  readonly framing?: 'chunked' | 'until-close' | number
}

/** Writes a part of the body, after the default head if none was sent. */
export interface BodyStep extends Pace {
  readonly do: 'body'
  readonly data: string | Uint8Array
}

/** Sends server-sent events, each as one chunk. The next steps can write more of the body. */
export interface StreamStep extends Pace {
  readonly do: 'stream'
  /** Events as wire text, each with its empty line; `sse` makes them. */
  readonly events: readonly (string | Uint8Array)[]
  /** Default: 200. */
  readonly status?: number
  readonly headers?: HeadersToSend
}

/** Responds with a correct chat completion, streamed if the request has `stream: true`. */
export interface AnswerStep {
  readonly do: 'answer'
  readonly content: AnswerContent
}

/** Writes bytes to the socket without framing. */
export interface RawStep extends Pace {
  readonly do: 'raw'
  readonly bytes: string | Uint8Array
}

/** Writes `unit` again and again, as fast as the client reads. */
export interface FloodStep {
  readonly do: 'flood'
  /** The size of the body, in bytes. Default: no end until the client disconnects. */
  readonly bytes?: number
  /** Default: a server-sent event of about 1 KiB with a chunk of text. */
  readonly unit?: string | Uint8Array
}

/** Closes the connection (FIN) before the response has ended. */
export interface CutStep {
  readonly do: 'cut'
  /** Where to cut a chunked body. Default: `mid-chunk`, after the size of a chunk was sent. */
  readonly at?: 'mid-chunk' | 'between-chunks'
  /** The bytes of the cut chunk that are still sent. Default: none. */
  readonly partial?: string | Uint8Array
}

/** Closes the connection with a TCP reset. */
export interface ResetStep {
  readonly do: 'reset'
  /**
   * From the last write to the reset, in milliseconds. Default: 10. A client that has not read the bytes before loses them, and
   * Node reports an ordinary end.
   */
  readonly after?: number
}

/** One action of an upstream, as plain data. The functions of `steps` return them. */
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
  /** Sends nothing more, and keeps the connection open until the client disconnects. */
  | { readonly do: 'hang' }
  /** Ends the response. Without it a response ends with its script. */
  | { readonly do: 'end' }
  | ResetStep

/** Steps in their order. Lists can be nested. */
export type Steps = Step | readonly Steps[]

/** Steps, or a function that chooses them for each request. `index` is 0 for the first request of the upstream. */
export type Reaction = Steps | ((request: RecordedRequest, index: number) => Steps | Promise<Steps>)

/** A reaction that starts after the head of a request, before its body is read. `steps.early` returns one. */
export interface EarlyReaction {
  readonly early: Reaction
  readonly unread: 'discard' | 'leave'
}

/** What a fake upstream does for one request. Not the `script` option of `local()`, which lists model responses. */
export type Script = Reaction | EarlyReaction

/** The steps without nesting. */
export function flatSteps(steps: Steps): Step[] {
  return isList(steps) ? steps.flatMap(flatSteps) : [steps]
}

function isList(steps: Steps): steps is readonly Steps[] {
  return Array.isArray(steps)
}

import type { BodyEdit } from '../conversation/body-edit.ts'
import type { RequestText } from '../conversation/request-texts.ts'
import type { JsonObject } from '../protocol/chat.ts'
import type { EndEvent } from './events.ts'
import type { Operation, Outline } from './outline.ts'
import type { Principal } from './principal.ts'
import type { PartialCompletion } from './provider.ts'

/**
 * Reads, changes or refuses requests and responses. Hooks run in their order: requests after authorization and before limits,
 * caches and the ledger, which see what the hooks made of them; responses before they are written. Each function may be absent.
 *
 * A function that throws a `GatewayError` refuses with it. Any other error, a timeout and an invalid result are failures:
 * `onFailure` decides.
 */
export interface Hook {
  /** Names it in traces, metrics and the ledger: lowercase letters, digits, `-` and `_`, at most 64. Unique in a gateway. */
  readonly name: string
  /** Milliseconds that one call of a function may take. Default 1,000. */
  readonly timeoutMs?: number | undefined
  /** What a failure does: `closed` (default) fails the request with a 500, `open` continues without the hook. */
  readonly onFailure?: 'closed' | 'open' | undefined
  /** Patterns of requested models that it applies to (`*` matches any text). Default: all. */
  readonly models?: readonly string[] | undefined
  /** Operations that it applies to. Default: all. */
  readonly operations?: readonly Operation[] | undefined
  /** Whether it applies to the requests of a principal. An error fails the request, whatever `onFailure` is. Default: to all. */
  appliesTo?(principal: Principal): boolean
  /** Called once per request, before it is validated: the body may be invalid. */
  onRequest?(
    request: HookRequest,
    context: HookContext,
  ): RequestDecision | undefined | Promise<RequestDecision | undefined>
  /**
   * Called with a complete response. A streamed response is held back until it is complete, unless the hook has `onChunk`, which
   * takes the place of this function then.
   */
  onResponse?(
    response: HookResponse,
    context: HookContext,
  ): ResponseDecision | undefined | Promise<ResponseDecision | undefined>
  /**
   * How many characters of each text `onChunk` may still change when more follows: at least the length of the longest match of
   * what it looks for, as matches may be cut. Up to 65,536. Default 0.
   */
  readonly holdBack?: number | undefined
  /** Called with each text of a response: piece by piece in a stream, in one piece otherwise. */
  onChunk?(
    chunk: HookChunk,
    context: HookContext,
  ): ChunkDecision | undefined | Promise<ChunkDecision | undefined>
  /** Called when the request has ended. It cannot change anything, and its errors are only recorded. A promise is not awaited. */
  onEnd?(event: EndEvent, context: HookContext): void
}

/** A request, as earlier hooks have left it. */
export interface HookRequest {
  /** The body in the caller's dialect. Not to be changed: return edits. */
  readonly body: JsonObject
  readonly outline: Outline
  /** The texts that models read, with their paths in the body. Computed on first use. */
  readonly texts: readonly RequestText[]
}

/** What all functions of a hook get. */
export interface HookContext {
  readonly requestId: string
  readonly principal: Principal
  readonly operation: Operation
  /** The protocol of the caller, such as `chat`. */
  readonly dialect: string
  /** The requested model, as earlier hooks have left it. */
  readonly model: string
  /** The end user, as the caller names it. */
  readonly user: string | undefined
  readonly stream: boolean
  /** Aborts when the request ends early, such as when its client disconnects. */
  readonly signal: AbortSignal
  /** An object of this hook for this request, to share values between its functions. */
  readonly state: Record<string, unknown>
}

/** What to do with a request. Everything is optional. */
export interface RequestDecision {
  /** Refuses the request with a 400. */
  readonly refuse?: HookRefusal | undefined
  /** Changes of the body, in the caller's dialect. `model` and `stream` cannot be edited. */
  readonly edits?: readonly BodyEdit[] | undefined
  /** Another model. It is routed and authorized as if the caller had requested it. */
  readonly model?: string | undefined
  /** Tags of the request. They replace those of the principal of the same name, for its limits, ledger entry and events. */
  readonly tags?: Readonly<Record<string, string>> | undefined
}

/** Why a request or a response is refused. */
export interface HookRefusal {
  /** A sentence for the caller, of at most 1,000 characters. */
  readonly message: string
}

/** A complete response. */
export interface HookResponse {
  /** The response by choice. Its texts have the changes of `onChunk`. Not to be changed. */
  readonly completion: PartialCompletion
  /** The body of the request in the caller's dialect, after `onRequest`. */
  readonly body: JsonObject
  /** Whether the model was called once more with the `retry` of a hook. */
  readonly isRetry: boolean
}

/** What to do with a complete response. Everything is optional. */
export interface ResponseDecision {
  /** Refuses the response with a 400. It is charged. */
  readonly refuse?: HookRefusal | undefined
  /** Replaces the text of choices. */
  readonly texts?: readonly { readonly choice: number; readonly text: string }[] | undefined
  /**
   * Calls the model once more, with the response and a message of the user after it. The first response is charged as a
   * discarded call. Refuses with this message where that is not possible: after another retry, in a stream, or of a text completion.
   */
  readonly retry?: HookRefusal | undefined
}

/** A part of a text of a response. */
export interface HookChunk {
  readonly kind: 'text' | 'refusal' | 'arguments'
  /** The choice. */
  readonly choice: number
  /** The tool call, of `arguments`. */
  readonly call?: number
  /** What arrived, after what the hook has held back. */
  readonly text: string
  /** Up to `holdBack` characters before `text`, as they were before changes. */
  readonly before: string
  /** Whether the text ends with this part. */
  readonly isLast: boolean
}

/** What to do with a part of a text. Everything is optional. */
export interface ChunkDecision {
  /** Refuses the response: with a 400, or with an error at the end of a stream. It is charged. */
  readonly refuse?: HookRefusal | undefined
  /**
   * Replaces parts of `text`, in order and without overlap. Those that begin in the held back end of a text that goes on are
   * ignored: the next call has that end again.
   */
  readonly replacements?: readonly TextReplacement[] | undefined
}

/** A part of a text in UTF-16 code units, from `start` to before `end`, and what takes its place. */
export interface TextReplacement {
  readonly start: number
  readonly end: number
  readonly text: string
}

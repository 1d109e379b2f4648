import type { ChatRequest, FinishReason, Usage } from '../protocol/chat.ts'
import type { AttemptReason, EndEvent } from './events.ts'
import type { Operation } from './outline.ts'

/**
 * Creates spans for requests and upstream calls, such as `openTelemetry().tracer`. What it throws fails no request: it is
 * reported once, as a `warning` event with the code `tracer_failed`.
 */
export interface Tracer {
  /**
   * Starts the span of a request to a model, or returns `undefined` to create none. Called synchronously by `gateway.fetch`, so
   * that the async context of the host, such as an `AsyncLocalStorage`, is available. It must not read the body.
   */
  start(request: Request, requestId: string, operation: Operation): RequestSpan | undefined
}

/** The span of a request, up to the end of its response. */
export interface RequestSpan {
  /**
   * Calls `run`, once and synchronously, with the span as the active one of the async context, such as an
   * `AsyncLocalStorage`. Your functions for the request run in it.
   */
  within?(run: () => void): void
  /** Starts the span of an upstream call, of any `AttemptReason`, or returns `undefined` to create none. */
  attempt(call: UpstreamCall): AttemptSpan | undefined
  /**
   * Ends the span. Called once, before observers receive the same event. All attempts have ended before, except hedges and
   * mirrored calls, which may end later. `answerId` is the `id` of the completion; `undefined` if the request has none of its
   * own.
   */
  end(event: EndEvent, answerId: string | undefined): void
}

/** An upstream call that is about to be made. */
export interface UpstreamCall {
  readonly provider: string
  /** The upstream's own name for the model. */
  readonly model: string
  /** The `id` of the provider's key. Absent if the provider has no `keys`. */
  readonly key?: string
  /** Present if `targets` of the route does not list the target: see `AttemptRecord`. */
  readonly unlisted?: true
  readonly why: AttemptReason
  /** The request, with the parameters of the target applied. It contains the prompt. Absent for embeddings. */
  readonly input?: ChatRequest
  /** Host of the upstream; `undefined` unless it is called by HTTP. Confidential: callers must not see it. */
  readonly address: string | undefined
  readonly port: number | undefined
}

/** The span of an upstream call, up to the end of its response. */
export interface AttemptSpan {
  /**
   * Headers to add to the upstream request, such as `traceparent`; read once. Headers that the provider sets itself are
   * ignored. Invalid headers and those of message framing are omitted, with a `tracer_failed` warning.
   */
  readonly headers?: Readonly<Record<string, string>>
  /** Reports the first content of a streamed response. */
  firstContent?(): void
  /** Ends the span. Called once. */
  end(end: AttemptEnd): void
}

/** The result of an upstream call. */
export interface AttemptEnd {
  /**
   * `answered`: the response was received to its end. `failed`: the call failed. `cut_off`: the call was cancelled, because the
   * client disconnected, another target was faster, or the gateway was closed.
   */
  readonly outcome: 'answered' | 'failed' | 'cut_off'
  /** The failure, or the reason of the cancellation. */
  readonly error: unknown
  /** `undefined` if it is unknown, or nothing was used. */
  readonly usage: Usage | undefined
  /** Whether `usage` is an estimate rather than the vendor's counts. */
  readonly usageEstimated: boolean
  /** The model that the response names; `undefined` if it names none. */
  readonly responseModel: string | undefined
  /** The finish reason of each choice of the response; empty if unknown. */
  readonly finishReasons: readonly FinishReason[]
}

import type { ChatRequest, FinishReason, Usage } from '../protocol/chat.ts'
import type { AttemptReason, EndEvent } from './events.ts'

/**
 * Follows requests while they run, such as `openTelemetry().tracer`. Whatever it throws fails no request: it is told of
 * once, as a `warning` with the code `tracer_failed`.
 */
export interface Tracer {
  /**
   * A request to `chat/completions` has come; nothing of it is known yet but its head. Called in the request's own turn,
   * so that what the host keeps for it, as in an `AsyncLocalStorage`, is there. Leave the body alone. `undefined`: this
   * one is not followed.
   */
  start(request: Request, requestId: string): RequestSpan | undefined
}

/** One request, from its beginning to the end of its answer. */
export interface RequestSpan {
  /**
   * Runs what answers the request, once and in its own turn, so that what your functions do for it can find the span, as
   * in an `AsyncLocalStorage`.
   */
  within?(run: () => void): void
  /** An upstream is about to be asked, also for a retry, a hedge or a shadow. `undefined`: this one is not followed. */
  attempt(asked: UpstreamCall): AttemptSpan | undefined
  /**
   * Its answer has ended, or it was refused, or its caller left. Called once, before observers hear of the same event,
   * and after the ends of its attempts but for those of hedges and shadows, which may come later. `answerId` is the id
   * of the answer that callers see; `undefined` where there is none of this request's own.
   */
  end(event: EndEvent, answerId: string | undefined): void
}

/** An upstream that is asked. */
export interface UpstreamCall {
  readonly provider: string
  /** The upstream's own name for the model. */
  readonly model: string
  readonly why: AttemptReason
  /** What is asked of it, with the target's own parameters. It holds the prompt. */
  readonly input: ChatRequest
  /** Host and port of the upstream, where it is asked by HTTP. For the operator: a caller must not learn them. */
  readonly address: string | undefined
  readonly port: number | undefined
}

/** One call of an upstream, from its request to the end of its answer. */
export interface AttemptSpan {
  /**
   * Headers for the upstream's request, such as `traceparent`; read once. One that the provider has written itself, that
   * frames a message, or that HTTP cannot carry, is left out, and `tracer_failed` tells of the latter two.
   */
  readonly headers?: Readonly<Record<string, string>>
  /** The first content of a streamed answer has come. */
  firstContent?(): void
  /** Called once. */
  end(end: AttemptEnd): void
}

/** What became of a call. */
export interface AttemptEnd {
  /** `cut_off`: nobody waits for its answer any more, as the caller left, another target was sooner, or by `close`. */
  readonly outcome: 'answered' | 'failed' | 'cut_off'
  /** What it failed with, or was cut off by. */
  readonly error: unknown
  /** `undefined` where it is not known, or nothing was used. */
  readonly usage: Usage | undefined
  /** Whether `usage` is an estimate, and not the vendor's count. */
  readonly usageEstimated: boolean
  /** The model that the answer names; `undefined` where it names none. */
  readonly responseModel: string | undefined
  /** Why each choice of the answer ended; none where it is not known. */
  readonly finishReasons: readonly FinishReason[]
}

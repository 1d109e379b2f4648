import { busyTime, type Span } from '../clock/busy-time.ts'
import type { AttemptReason, AttemptRecord, EndEvent } from '../contracts/events.ts'
import type { Adjustment, Call, Target } from '../contracts/provider.ts'
import type { UpstreamRequest } from '../contracts/transport.ts'
import { AnsweredElsewhere, LifeEnded } from '../errors/abort-reasons.ts'
import { isTimeout, UpstreamError } from '../errors/upstream-error.ts'
import { boundedLine } from '../primitives/safe-text.ts'
import type { TracedAttempt, TracedRequest } from './traced-request.ts'

/** One attempt while it runs. Times are monotonic milliseconds. */
export class AttemptEntry implements Span {
  /** Whether the upstream was asked. */
  called = false
  /** Whether the request may have reached the upstream: not where it was cut off without a connection. */
  sent = true
  /** Whether what it used was told of as that of a call whose answer nobody gets. */
  discarded = false
  /** What went wrong; may come after `endedAt`, for an answer that broke off. */
  error: unknown
  /** When it answered or failed. */
  endedAt: number | undefined
  /** What was adjusted for its target. */
  adjustments: readonly Adjustment[] = none
  readonly target: Target
  /** The model that its answer names, on one line of at most 200 characters. */
  responseModel: string | undefined
  /** How its tracer follows it, once it is asked. */
  span: TracedAttempt | undefined
  readonly #traced: TracedRequest | undefined
  readonly #why: AttemptReason
  readonly #waitedMs: number
  readonly #startedAt: number
  #queuedAt: number | undefined
  #queuedMs = 0

  /** `waitedMs`: how long was waited before it. `traced`: its request, where that is followed. */
  constructor(
    target: Target,
    startedAt: number,
    why: AttemptReason = 'first',
    waitedMs = 0,
    traced?: TracedRequest,
  ) {
    this.target = target
    this.#traced = traced
    this.#why = why
    this.#waitedMs = waitedMs
    this.#startedAt = startedAt
  }

  /** When the wait before it began. */
  get from(): number {
    return this.#startedAt - this.#waitedMs
  }

  get to(): number | undefined {
    return this.endedAt
  }

  /** Its upstream is asked from now on. Gives the request as it is sent. */
  ask(request: UpstreamRequest, call: Call): UpstreamRequest {
    this.called = true
    if (this.#traced === undefined) return request
    const { provider, model } = this.target
    const asked = { provider: provider.name, model, why: this.#why }
    this.span = this.#traced.attempt(asked, call, request.url)
    return this.span === undefined ? request : this.span.carriedBy(request)
  }

  /** Records the model that its answer names, whatever the vendor sent. */
  setResponseModel(model: unknown): void {
    if (typeof model !== 'string' || model === '') return
    this.responseModel = model === this.target.model ? model : boundedLine(model)
  }

  /** It begins to wait for its turn. */
  enqueue(now: number): void {
    this.#queuedAt = now
  }

  /** Its turn has come, or it has left the queue. */
  dequeue(now: number): void {
    this.#queuedMs = this.queuedMs(now)
    this.#queuedAt = undefined
  }

  /** How long it ran beside its time in queues. */
  ranMs(now: number): number {
    return Math.max(0, (this.endedAt ?? now) - this.#startedAt - this.queuedMs(now))
  }

  /**
   * Whether its upstream may have made an answer that nobody has: it is under way, was cut off, or took too long. Whoever
   * closes a connection, or refuses, has made none.
   */
  get mayHaveAnswered(): boolean {
    if (!this.called || !this.sent || this.discarded) return false
    const { error } = this
    if (error === undefined || isTimeout(error)) return true
    return error instanceof LifeEnded || error instanceof AnsweredElsewhere
  }

  queuedMs(now: number): number {
    return this.#queuedMs + (this.#queuedAt === undefined ? 0 : now - this.#queuedAt)
  }

  /**
   * `since` is when its request began. `cutOff` is what ended the request: where it is still under way, that is its
   * error.
   */
  recordAt(since: number, now: number, cutOff?: unknown): AttemptRecord {
    const { called, error } = this
    const { provider, model } = this.target
    const ms = (this.endedAt ?? now) - this.#startedAt
    const status = UpstreamError.is(error) ? error.status : undefined
    return {
      provider: provider.name,
      model,
      called,
      startMs: this.#startedAt - since,
      ms,
      why: this.#why,
      waitedMs: this.#waitedMs,
      status,
      error: this.endedAt === undefined ? (cutOff ?? error) : error,
    }
  }
}

const none: readonly never[] = Object.freeze([])
const noAttempts: readonly AttemptEntry[] = Object.freeze([])

/** The attempts of one request, in order. Shadows are not among them: the answer does not wait for those. */
export class AttemptLog {
  /** What could be asked again was: who sends the request again adds to the load alone. */
  exhausted = false
  /** The request, where it is followed. */
  traced: TracedRequest | undefined
  #attempts: readonly AttemptEntry[] = noAttempts
  #answered: AttemptEntry | undefined

  begin(
    target: Target,
    now: number,
    why?: Exclude<AttemptReason, 'shadow'>,
    waitedMs?: number,
  ): AttemptEntry {
    const attempt = new AttemptEntry(target, now, why, waitedMs, this.traced)
    // Most requests have one: a list that is pushed to takes room for many.
    this.#attempts = this.#attempts.length === 0 ? [attempt] : [...this.#attempts, attempt]
    return attempt
  }

  /** It is the one that answers. */
  answeredBy(attempt: AttemptEntry): void {
    this.#answered = attempt
  }

  /**
   * Which one the answer is of, or will be: the one that answers, else the last that may have answered, else the last that
   * was asked.
   */
  get counted(): AttemptEntry | undefined {
    return (
      this.#answered ??
      this.#attempts.findLast(({ mayHaveAnswered }) => mayHaveAnswered) ??
      this.#attempts.findLast(({ called }) => called)
    )
  }

  /** How many upstreams were asked. */
  get called(): number {
    return this.#attempts.reduce((count, { called }) => count + (called ? 1 : 0), 0)
  }

  /** The one that answered, else the last one that was asked. */
  get lastCalled(): Target | undefined {
    return this.counted?.target
  }

  /** Milliseconds that all of them stood in queues. */
  queuedMs(now: number): number {
    return this.#attempts.reduce((ms, attempt) => ms + attempt.queuedMs(now), 0)
  }

  /** Milliseconds up to `until` in which any of them ran, or was waited for. */
  busyMs(until: number): number {
    return busyTime(this.#attempts, until)
  }

  /** Ends the spans of those that still have none: the answer is theirs, or it never came. */
  endSpans(event: EndEvent): void {
    const { counted } = this
    const { usage, usageEstimated } = event
    for (const attempt of this.#attempts) {
      const used =
        attempt === counted
          ? {
              usage,
              usageEstimated,
              finishReasons: this.traced?.finishReasons ?? none,
              responseModel: attempt.responseModel,
            }
          : undefined
      attempt.span?.end(attempt.error ?? event.error, used)
    }
  }

  /** Their records; what `error` cut off those that were still under way is theirs. */
  recordsAt(since: number, now: number, error: unknown): readonly AttemptRecord[] {
    return this.#attempts.map(attempt => attempt.recordAt(since, now, error))
  }
}

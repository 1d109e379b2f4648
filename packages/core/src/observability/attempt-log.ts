import { busyTime, type Span } from '../clock/busy-time.ts'
import type { EmbeddingInput } from '../contracts/embedding.ts'
import type { AttemptReason, AttemptRecord, EndEvent } from '../contracts/events.ts'
import type { Lease } from '../contracts/limiter.ts'
import type { Adjustment, Call, EncodedNativeRequest, Target } from '../contracts/provider.ts'
import { AnsweredElsewhere, LifeEnded } from '../errors/abort-reasons.ts'
import { isTimeout, UpstreamError } from '../errors/upstream-error.ts'
import { boundedLine } from '../primitives/safe-text.ts'
import type { Usage } from '../protocol/chat.ts'
import type { ListedNames } from './listed-names.ts'
import type { TracedAttempt, TracedRequest } from './traced-request.ts'

/** The log entry of an attempt. Times are monotonic milliseconds. */
export class AttemptEntry implements Span {
  /** Whether the upstream was called. */
  called = false
  /** Whether the request may have reached the upstream. `false` if it was cancelled without a connection. */
  sent = true
  /** Whether its usage is charged: that of a discarded call, or of one after which the model is called once more. */
  discarded = false
  /** The error; may be set after `endedAt`, if the response breaks off. */
  error: unknown
  /** When the response started, or the attempt failed. */
  endedAt: number | undefined
  /** The adjustments for its target. */
  adjustments: readonly Adjustment[] = none
  readonly target: Target
  /** The `id` of the provider's key, if the provider has several. */
  key: string | undefined
  /** The inputs of a call that is not for a generated answer. */
  inputs: readonly EmbeddingInput[] | undefined
  /** The model that the response names: one line of at most 200 characters. */
  responseModel: string | undefined
  /** What it holds of the limits of its target. */
  lease: Lease | undefined
  /** Its span, once the upstream was called. */
  span: TracedAttempt | undefined
  readonly #traced: TracedRequest | undefined
  readonly #isListed: boolean
  readonly #why: AttemptReason
  readonly #waitedMs: number
  readonly #startedAt: number
  #queuedAt: number | undefined
  #queuedMs = 0

  /**
   * `waitedMs`: the backoff before it. `traced`: the span of its request, if there is one. `isListed`: whether the route lists the
   * target.
   */
  constructor(
    target: Target,
    startedAt: number,
    why: AttemptReason = 'first',
    waitedMs = 0,
    traced?: TracedRequest,
    isListed = true,
  ) {
    this.target = target
    this.#traced = traced
    this.#isListed = isListed
    this.#why = why
    this.#waitedMs = waitedMs
    this.#startedAt = startedAt
  }

  /** When the backoff before it began. */
  get from(): number {
    return this.#startedAt - this.#waitedMs
  }

  get to(): number | undefined {
    return this.endedAt
  }

  /** Releases what it holds of the limits of its target: once, with its usage and cost if they are known. */
  settleLease(usage?: Usage, cost: number | null = null): void | Promise<void> {
    return this.takeLease()?.settle(usage, cost)
  }

  /** Returns what it holds of the limits of its target, which the caller then has to release. */
  takeLease(): Lease | undefined {
    const { lease } = this
    this.lease = undefined
    return lease
  }

  /** Marks the upstream as called. Returns the request with the headers of the tracer. */
  ask(request: EncodedNativeRequest, call: Call | undefined): EncodedNativeRequest {
    this.called = true
    if (this.#traced === undefined) return request
    const { provider, model } = this.target
    const { key } = this
    const asked = {
      provider: provider.name,
      model,
      why: this.#why,
      ...(key !== undefined && { key }),
      ...(!this.#isListed && { unlisted: true as const }),
    }
    this.span = this.#traced.attempt(asked, call, request.url)
    return this.span === undefined ? request : this.span.carriedBy(request)
  }

  /** Records the model that the response names. Ignores anything but a string. */
  setResponseModel(model: unknown): void {
    if (typeof model !== 'string' || model === '') return
    this.responseModel = model === this.target.model ? model : boundedLine(model)
  }

  /** Records that it enters the queue. */
  enqueue(now: number): void {
    this.#queuedAt = now
  }

  /** Whether it waits for a slot of its provider. */
  get isQueued(): boolean {
    return this.#queuedAt !== undefined
  }

  /** Records that it leaves the queue. */
  dequeue(now: number): void {
    this.#queuedMs = this.queuedMs(now)
    this.#queuedAt = undefined
  }

  /** Returns its duration without the time in queues, in milliseconds. */
  ranMs(now: number): number {
    return Math.max(0, (this.endedAt ?? now) - this.#startedAt - this.queuedMs(now))
  }

  /**
   * Whether its upstream may have generated a response that was not received: it is running, was cancelled, or timed out. An
   * upstream that closed the connection or returned an error has not.
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

  /** Returns its record. `since` is the start of the request. `cutOff` becomes its error if it is still running. */
  recordAt(since: number, now: number, cutOff?: unknown): AttemptRecord {
    const { called, error } = this
    const { provider, model } = this.target
    const ms = (this.endedAt ?? now) - this.#startedAt
    const status = UpstreamError.is(error) ? error.status : undefined
    const made: AttemptRecord = {
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
    const record: AttemptRecord = this.#isListed ? made : { ...made, unlisted: true }
    return this.key === undefined ? record : { ...record, key: boundedLine(this.key) }
  }
}

const none: readonly never[] = Object.freeze([])
const noAttempts: readonly AttemptEntry[] = Object.freeze([])

/** The attempts of a request, or of a part of it, in order, without mirrored calls. */
export class AttemptLog {
  /** Whether all retries are used up, so that a retry of the client would only add load. */
  exhausted = false
  /** Of a part: whether its usage was charged. */
  isCharged = false
  /** The span of the request, if there is one. */
  traced: TracedRequest | undefined
  /** What the route of the request lists; `undefined` before it is routed. */
  listed: Pick<ListedNames, 'hasTarget'> | undefined
  #attempts: readonly AttemptEntry[] = noAttempts
  #answered: AttemptEntry | undefined
  /** The logs of the parts, of a request that has some. */
  #parts: AttemptLog[] | undefined
  /** The log of the request, of a part. */
  readonly #whole: AttemptLog | undefined

  /** `whole`: the log of the request that this is a part of. */
  constructor(whole?: AttemptLog) {
    this.#whole = whole
    this.traced = whole?.traced
    this.listed = whole?.listed
  }

  begin(
    target: Target,
    now: number,
    why?: Exclude<AttemptReason, 'shadow'>,
    waitedMs?: number,
  ): AttemptEntry {
    const attempt = this.create(target, now, why, waitedMs)
    this.#add(attempt)
    return attempt
  }

  /** Returns an attempt that is not among those of the request: a mirrored call. */
  create(target: Target, now: number, why?: AttemptReason, waitedMs?: number): AttemptEntry {
    const isListed = this.listed?.hasTarget(target.provider.name, target.model) !== false
    return new AttemptEntry(target, now, why, waitedMs, this.traced, isListed)
  }

  #add(attempt: AttemptEntry): void {
    // Most requests have one attempt: pushing to an array would reserve memory for many.
    if (this.#attempts.length === 0) this.#attempts = [attempt]
    else (this.#attempts as AttemptEntry[]).push(attempt)
    if (this.#whole !== undefined) this.#whole.#add(attempt)
  }

  /** Returns the log of a new part of the request. The attempts of a part are among those of the request too. */
  part(): AttemptLog {
    const part = new AttemptLog(this)
    this.#parts ??= []
    this.#parts.push(part)
    return part
  }

  /** The attempts of parts that were not charged, and whose upstreams may have answered: one per part. */
  get uncharged(): readonly AttemptEntry[] {
    if (this.#parts === undefined) return none
    return this.#parts.flatMap(({ isCharged, counted }) =>
      !isCharged && counted?.mayHaveAnswered === true ? [counted] : [],
    )
  }

  /** Records the attempt whose response is used. Of several parts it is that of the first with an answer. */
  answeredBy(attempt: AttemptEntry): void {
    this.#answered ??= attempt
    this.#whole?.answeredBy(attempt)
  }

  /** Returns the attempt that has responded, which is charged now, as the model is called once more. */
  callAgain(): AttemptEntry {
    const attempt = this.#answered!
    attempt.discarded = true
    this.#answered = undefined
    return attempt
  }

  /** The attempt to charge: the one that responded, else the last one that may have, else the last one that was called. */
  get counted(): AttemptEntry | undefined {
    return (
      this.#answered ??
      this.#attempts.findLast(({ mayHaveAnswered }) => mayHaveAnswered) ??
      this.#attempts.findLast(({ called }) => called)
    )
  }

  /** Number of upstream calls. */
  get called(): number {
    return this.#attempts.reduce((count, { called }) => count + (called ? 1 : 0), 0)
  }

  /** The target of the attempt to charge. */
  get lastCalled(): Target | undefined {
    return this.counted?.target
  }

  /** Returns the total time in queues, in milliseconds. */
  queuedMs(now: number): number {
    return this.#attempts.reduce((ms, attempt) => ms + attempt.queuedMs(now), 0)
  }

  /** Returns the milliseconds up to `until` in which an attempt ran or a backoff was pending. */
  busyMs(until: number): number {
    // Those of parts run concurrently, and a backoff counts from its begin.
    const attempts =
      this.#parts === undefined
        ? this.#attempts
        : [...this.#attempts].sort((one, other) => one.from - other.from)
    return busyTime(attempts, until)
  }

  /** Releases what attempts still hold of the limits of their targets. `used` is what the attempt to charge has used. */
  settleLeases(
    used: { readonly usage: Usage | undefined; readonly cost: number | null },
    close: (run: () => void | Promise<void>) => void,
  ): void {
    for (const attempt of this.#attempts) {
      if (attempt.lease === undefined) continue
      close(() =>
        attempt === this.counted ? attempt.settleLease(used.usage, used.cost) : attempt.settleLease(),
      )
    }
  }

  /** Ends the spans that are still open. */
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

  /** Returns the records of all attempts. `error` becomes that of attempts that are still running. */
  recordsAt(since: number, now: number, error: unknown): readonly AttemptRecord[] {
    return this.#attempts.map(attempt => attempt.recordAt(since, now, error))
  }
}

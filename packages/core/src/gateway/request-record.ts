import { chargeOf, discardedClosing } from '../accounting/charge.ts'
import { type CacheWriter, ResponseCapture } from '../caching/cached-response.ts'
import type { Clock } from '../clock/clock.ts'
import type { BeginEvent, DiscardedCallEvent, EndEvent, RequestOutcome } from '../contracts/events.ts'
import type { Charge, Ledger, LedgerClosing } from '../contracts/ledger.ts'
import type { Lease } from '../contracts/limiter.ts'
import type { Principal } from '../contracts/principal.ts'
import type { Adjustment, PartialUsage, Target } from '../contracts/provider.ts'
import { type AuthFailure, authFailureOf, checkedAuthFailure, moreSpecific } from '../errors/auth-failure.ts'
import { adjustmentHeaders, boundedAdjustments } from '../observability/adjustments.ts'
import { type AttemptEntry, AttemptLog, isTimeout } from '../observability/attempt-log.ts'
import type { TracedRequest } from '../observability/traced-request.ts'
import { uuidv7 } from '../primitives/uuidv7.ts'
import type { ChatRequest, Usage } from '../protocol/chat.ts'
import { RoutingTrace } from '../routing/routing-trace.ts'
import type { RunningShadows } from '../upstream/attempts/shadow-lives.ts'
import { type AbandonedCallOptions, abandonedTokens } from '../usage/abandoned-calls.ts'
import { type AnswerTerms, type Prices, pricedModel } from '../usage/prices.ts'
import { abandonedUsage, type CountedUsage, copiedUsage, estimatedUsage } from '../usage/usage.ts'
import { answerHeaders, requestTrace, requestTraceHeader } from './answer-headers.ts'
import { RequestEntry } from './ledger-entry.ts'

/** What a record is priced by and kept in, and what it needs for that. */
export interface AccountingServices {
  readonly prices: Prices
  readonly abandonedCalls: AbandonedCallOptions
  readonly ledger: Ledger | undefined
  readonly generateId: () => string
  /** A number from 0 up to, but not including, 1. */
  readonly random: () => number
  /** Whether a caller is told how its request was routed; `undefined`: none is. Never throws. */
  readonly exposesTrace: ((principal: Principal) => boolean) | undefined
  /** Told of what is still under way when the record is settled: a lease or an entry that is being closed. */
  closing(work: Promise<unknown>): void
  /** Calls that go on beside the request, and after it. */
  readonly shadows: RunningShadows
}

type Writable<T> = { -readonly [Name in keyof T]: T[Name] }

const none: readonly never[] = Object.freeze([])
const noHeaders: Readonly<Record<string, string>> = Object.freeze({})

/** What is kept of one request while it lives. Its stages write to it; `settle` closes it, once. */
export class RequestRecord {
  readonly requestId: string
  /** The caller's own id for it. Nothing is known by it. */
  clientRequestId: string | undefined
  /** Whether it is a chat completion: only those are told of. */
  chat = false
  principal: Principal | undefined
  #authFailure: AuthFailure | undefined
  model: string | undefined
  stream = false
  readonly routing: RoutingTrace
  readonly attempts = new AttemptLog()
  #adjustments: readonly Adjustment[] = none
  #adjustmentHeaders: Readonly<Record<string, string>> | undefined
  #lease: Lease | undefined
  #room: Readonly<Record<string, string>> = noHeaders
  #waitedMs = 0
  #wouldHaveRefused: readonly string[] = none
  usage: Usage | undefined
  usageEstimated = false
  /** What the answer said of what is billed beside its tokens. */
  #terms: AnswerTerms | undefined
  /** What is asked: for the estimate of a request that the caller or the gateway cut off before anything was answered. */
  #input: ChatRequest | undefined
  /** What the vendor counted of a stream of which nothing else has come. */
  counted: PartialUsage | undefined
  /** What a streamed answer has used so far. */
  soFar: (() => CountedUsage) | undefined
  /** Copies the text of the answer, where somebody will keep it. */
  capture: ResponseCapture | undefined
  /** How the request stands to the cache; `undefined` where it is not cached. */
  cache: 'hit' | 'miss' | undefined
  /** Whether its answer is that of an earlier request with the same idempotency key. */
  replayed = false
  /** Monotonic milliseconds of the first byte of the answer. */
  firstByteAt: number | undefined
  /** When the request came, in monotonic milliseconds. */
  readonly startedAt: number
  /** The same in milliseconds since 1970. */
  readonly #at: number
  readonly #clock: Clock
  readonly #books: AccountingServices
  readonly #observe: (event: EndEvent) => void
  #entry: RequestEntry | undefined
  #settled = false

  constructor(
    requestId: string,
    clock: Clock,
    books: AccountingServices,
    observe: (event: EndEvent) => void,
  ) {
    this.requestId = requestId
    this.#clock = clock
    this.#books = books
    this.#observe = observe
    this.routing = new RoutingTrace(books.random)
    this.startedAt = clock.monotonic()
    this.#at = clock.now()
  }

  /** Has a tracer follow it. */
  follow(traced: TracedRequest | undefined): void {
    this.attempts.traced = traced
  }

  /** Keeps why its caller is unknown. Throws `TypeError` for what is no failure. */
  reportAuthFailure(failure: AuthFailure): void {
    this.#authFailure = moreSpecific(this.#authFailure, checkedAuthFailure(failure))
  }

  /** Tells of it once its caller may use its model; not where it has ended meanwhile. */
  begin({ id, source, tags }: Principal, model: string, observe: (event: BeginEvent) => void): void {
    if (this.#settled) return
    const { requestId, clientRequestId, stream } = this
    const principal: Writable<BeginEvent['principal']> = { id }
    if (source !== undefined) principal.source = source
    if (tags !== undefined) principal.tags = { ...tags }
    observe({ type: 'begin', requestId, clientRequestId, at: this.#at, principal, model, stream })
  }

  /** Keeps the room that was taken until the record is settled; where it is already, gives it back at once. */
  hold(lease: Lease): void {
    this.#lease = lease
    if (this.#settled) this.#close(() => lease.settle(undefined, null))
    // Read once, and not where a failure is being told: what is of the user's making may throw.
    this.#room = { ...lease.headers }
    this.#waitedMs = lease.waitedMs ?? 0
    if (lease.wouldHaveRefused !== undefined) this.#wouldHaveRefused = [...lease.wouldHaveRefused]
  }

  /**
   * Enters a valid request into the ledger, before its model is asked. Throws 503 where it spends from a budget and
   * its entry cannot be kept.
   */
  enter(input: ChatRequest, first: Target): Promise<void> | undefined {
    this.#input = input
    const { ledger } = this.#books
    return ledger === undefined || this.#settled ? undefined : this.#open(ledger, input, first)
  }

  #open(ledger: Ledger, input: ChatRequest, first: Target): Promise<void> {
    const { generateId: id } = this.#books
    const openedAt = this.#clock.now()
    this.#entry = new RequestEntry(ledger, {
      id: uuidv7(openedAt, id()),
      requestId: this.requestId,
      principal: this.principal!.id,
      tags: { ...this.principal!.tags },
      model: this.model!,
      stream: this.stream,
      openedAt,
      estimate: this.#chargeAt(estimatedUsage(input, 0), first, openedAt),
    })
    const spends = () => this.#lease?.spends === true
    return this.#entry.open(() => this.#progress(openedAt), spends)
  }

  /** Keeps what was adjusted for the target that is being asked. Throws `TypeError` for what are no adjustments. */
  adjust(adjustments: readonly Adjustment[]): void {
    if (adjustments.length === 0 && this.#adjustments.length === 0) return
    // The same list as for the target before, which nobody can have changed.
    if (adjustments === this.#adjustments && Object.isFrozen(adjustments)) return
    const headers = adjustments.length === 0 ? undefined : adjustmentHeaders(adjustments)
    this.#adjustments = boundedAdjustments(adjustments)
    this.#adjustmentHeaders = headers
  }

  /**
   * What the caller is told beside the answer: of the room taken, of what was adjusted, of where it is from, of how
   * it was routed, and its own id, as far as that is known by now.
   */
  get answerHeaders(): Readonly<Record<string, string>> {
    return answerHeaders(this, this.#room, this.#adjustmentHeaders, this.#traceHeader())
  }

  #traceHeader(): string | undefined {
    const { exposesTrace: tellsTrace } = this.#books
    if (tellsTrace === undefined || !this.routing.begun || !tellsTrace(this.principal!)) return undefined
    return requestTraceHeader(this, this.#waitedMs, this.#clock.monotonic())
  }

  /** Has the answer kept when it has ended; where that is so already, there is none. */
  keep(keeper: CacheWriter): void {
    if (this.#settled) {
      this.#close(() => keeper.failed())
      return
    }
    this.capture ??= new ResponseCapture()
    this.capture.addWriter(keeper)
  }

  /** Keeps a call whose answer nobody got; also when the request has ended. */
  keepUnused(call: DiscardedCallEvent): void {
    const { ledger, generateId: id } = this.#books
    if (ledger?.recordDiscarded === undefined) return
    const closedAt = this.#clock.now()
    const openedAt = this.#entry?.openedAt ?? closedAt
    const beside = { id: uuidv7(openedAt, id()), stream: this.stream, openedAt, closedAt }
    const closing = discardedClosing(call, beside)
    if (closing !== undefined) this.#close(() => ledger.recordDiscarded?.(closing))
  }

  /** Calls that go on beside the request, and after it. */
  get shadows(): RunningShadows {
    return this.#books.shadows
  }

  /** The first byte of the answer is about to be sent. */
  markFirstByte(): void {
    this.firstByteAt ??= this.#clock.monotonic()
  }

  /** Closes the lease and the record, exactly once: what comes later is not heard. */
  settle(outcome: RequestOutcome, status: number, error?: unknown): void {
    if (this.#settled) return
    this.#settled = true
    const now = this.#clock.monotonic()
    if (this.usage === undefined) this.#chargeAbandoned(outcome, now)
    const target = this.attempts.lastCalled
    const responseModel = this.attempts.counted?.responseModel
    const charge =
      this.usage &&
      target &&
      this.#chargeAt(this.usage, target, this.#entry?.openedAt ?? this.#clock.now(), responseModel)
    const cost = charge?.cost ?? null
    this.#giveBack(cost)
    const firstByte = this.firstByteAt === undefined ? undefined : this.firstByteAt - this.startedAt
    this.#closeEntry(outcome, status, charge, firstByte, now - this.startedAt)
    if (this.capture !== undefined) this.#endCapture(this.capture, outcome === 'completed')
    const event: EndEvent = {
      type: 'end',
      requestId: this.requestId,
      clientRequestId: this.clientRequestId,
      at: this.#at,
      outcome,
      status,
      principal: this.principal,
      authFailure: this.principal === undefined ? authFailureOf(error, this.#authFailure) : undefined,
      model: this.model,
      responseModel,
      stream: this.stream,
      attempts: this.attempts.recordsAt(this.startedAt, now, error),
      adjustments: this.#adjustments,
      usage: this.usage && copiedUsage(this.usage),
      usageEstimated: this.usageEstimated,
      cost,
      wouldHaveRefused: this.#wouldHaveRefused,
      timings: {
        queue: this.attempts.queuedMs(now) + this.#waitedMs,
        firstByte,
        total: now - this.startedAt,
      },
      cache: this.cache,
      replayed: this.replayed,
      trace: requestTrace(this, this.#waitedMs, this.firstByteAt),
      error,
    }
    const { traced } = this.attempts
    if (traced !== undefined) {
      this.attempts.endSpans(event)
      traced.end(event)
    }
    this.#observe(event)
  }

  /** Takes what an answer has used. */
  count(counted: CountedUsage): void {
    this.usage = counted.usage
    this.usageEstimated = counted.estimated
    this.#terms = counted
  }

  /** Charges the call whose answer was cut off before any of it came. */
  #chargeAbandoned(outcome: RequestOutcome, now: number): void {
    const cutOff = outcome === 'client_disconnected' || outcome === 'gateway_closed'
    const attempt = this.attempts.counted
    if (attempt === undefined || !(cutOff || isTimeout(attempt.error))) return
    this.usage = this.abandonedUsage(attempt, now, this.counted)
    this.usageEstimated = this.usage !== undefined
  }

  /** What a use costs by a call beside the request; `null` where that is not known. */
  costOf(usage: Usage, attempt: AttemptEntry, terms: AnswerTerms | undefined): number | null {
    const { target, adjustments, responseModel } = attempt
    const { model = '' } = this
    const { prices } = this.#books
    return prices(
      usage,
      pricedModel(model, target, this.#clock.now(), this.#input, terms, adjustments, responseModel),
    )
  }

  /** What a call is charged that was cut off before any of its answer came; `undefined` where its upstream has made none. */
  abandonedUsage(attempt: AttemptEntry, now: number, counted?: PartialUsage): Usage | undefined {
    const input = this.#input
    if (input === undefined || !attempt.mayHaveAnswered) return undefined
    const call = {
      input,
      target: attempt.target,
      reservedPromptTokens: this.#lease?.promptTokens,
      ranMs: attempt.ranMs(now),
    }
    return abandonedUsage(input, abandonedTokens(call, this.#books.abandonedCalls), counted)
  }

  #giveBack(cost: number | null): void {
    const lease = this.#lease
    if (lease !== undefined) this.#close(() => lease.settle(this.usage && copiedUsage(this.usage), cost))
  }

  #endCapture(capture: ResponseCapture, completed: boolean): void {
    this.#close(() => capture.ended(completed, this.stream, this.#adjustments))
  }

  #closeEntry(
    outcome: RequestOutcome,
    status: number,
    charge: Charge | undefined,
    firstByteMs: number | undefined,
    totalMs: number,
  ): void {
    const open = this.#entry
    if (open === undefined) return
    const target = this.attempts.lastCalled
    const closing: LedgerClosing = {
      entry: open.entry,
      closedAt: this.#clock.now(),
      outcome,
      status,
      provider: target?.provider.name,
      upstreamModel: target?.model,
      responseModel: this.attempts.counted?.responseModel,
      attempts: this.attempts.called,
      charge,
      estimated: this.usageEstimated,
      firstByteMs,
      totalMs,
    }
    this.#close(() => open.close(closing))
  }

  #progress(openedAt: number): Charge | undefined {
    const usage = this.usage ?? this.soFar?.().usage
    const target = this.attempts.lastCalled
    return usage && target && this.#chargeAt(usage, target, openedAt, this.attempts.counted?.responseModel)
  }

  #chargeAt(usage: Usage, target: Target, at: number, responseModel?: string): Charge {
    const { model = '' } = this
    const priced = pricedModel(model, target, at, this.#input, this.#terms, this.#adjustments, responseModel)
    return chargeOf(usage, this.#books.prices(usage, priced))
  }

  /** A store that fails while something is closed cannot fail an answer that was given. */
  #close(run: () => void | Promise<void>): void {
    try {
      const closing = run()
      if (closing !== undefined) this.#books.closing(Promise.resolve(closing).catch(() => {}))
    } catch {
      // As above.
    }
  }
}

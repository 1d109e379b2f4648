import { chargeOf, discardedClosing } from '../accounting/charge.ts'
import { type CachedResponse, type CacheWriter, ResponseCapture } from '../caching/cached-response.ts'
import type { DiscardedCallEvent, EndEvent, Observer, RequestOutcome } from '../contracts/events.ts'
import type { Charge, Ledger, LedgerClosing } from '../contracts/ledger.ts'
import type { Lease, Limiter } from '../contracts/limiter.ts'
import type { Principal } from '../contracts/principal.ts'
import type { Adjustment, PartialUsage, Target } from '../contracts/provider.ts'
import type { SkipReason } from '../contracts/trace.ts'
import type { GenerateRequest } from '../conversation/generate-request.ts'
import type { Lifetime } from '../http/lifetime.ts'
import { limitHeaders } from '../http/limit-headers.ts'
import { requestIdHeaders } from '../http/respond.ts'
import { adjustmentHeaders, boundedAdjustments } from '../observability/adjustments.ts'
import { type AttemptEntry, AttemptLog } from '../observability/attempt-log.ts'
import { endUser } from '../primitives/end-user.ts'
import { memberOf } from '../primitives/own-members.ts'
import { uuidv7 } from '../primitives/uuidv7.ts'
import type { Usage } from '../protocol/chat.ts'
import { limit } from '../rate-limiting/limit.ts'
import type { RunningShadows } from '../upstream/attempts/running-shadows.ts'
import type { AttemptObserver } from '../upstream/call-context.ts'
import { estimatePromptTokens } from '../usage/prompt-estimate.ts'
import {
  type CountedUsage,
  copiedUsage,
  estimatedUsage,
  type InputRequest,
  promptUsage,
} from '../usage/usage.ts'
import { withoutAnswerCost } from './answer-cost.ts'
import type { BodyCapture } from './body-capture.ts'
import { LimitRequest } from './limit-request.ts'
import type { RequestContext } from './request-context.ts'
import { RequestEntry } from './request-entry.ts'
import { requestTrace, requestTraceHeader } from './request-trace.ts'
import { type PriceServices, type PriceTerms, RequestUsage } from './request-usage.ts'

/** What requests are priced by and stored in. */
export interface AccountingServices extends PriceServices {
  readonly ledger: Ledger | undefined
  readonly generateId: () => string
  /** Returns a number from 0 up to, but not including, 1. */
  readonly random: () => number
  /** Whether a principal's responses have a trace of the routing; `undefined`: none has. Never throws. */
  readonly exposesTrace: ((principal: Principal) => boolean) | undefined
  /** Names of the `metadata` of requests that are stored as tags. */
  readonly metadataTags: readonly string[]
  /** Whether a principal's answers have their cost; `undefined`: none has. Never throws. */
  readonly exposesCost: ((principal: Principal) => boolean) | undefined
  /** Called with what is still under way when a request is settled: a lease or a ledger entry that is being closed. */
  closing(work: Promise<unknown>): void
  /** Mirrored calls, which may outlive their requests. */
  readonly shadows: RunningShadows
}

/** A validated request, with the adjustments that all of its attempts have. */
interface OpenedRequest {
  readonly request: GenerateRequest | InputRequest
  readonly adjustments: readonly Adjustment[]
}

const none: readonly never[] = Object.freeze([])
/** The charge of a request that costs nothing. */
const freeCharge: Charge = Object.freeze({
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  cost: 0,
})
const noHeaders: Readonly<Record<string, string>> = Object.freeze({})

/**
 * The accounts of a request: its lease, its ledger entry, its attempts and its usage. Stages report to it (`admitted`,
 * `answered`), and `settled` closes it, once.
 */
export class RequestAccounting implements AttemptObserver, PriceTerms {
  readonly attempts = new AttemptLog()
  readonly #used: RequestUsage
  readonly #context: RequestContext
  readonly #services: AccountingServices
  readonly #observe: Observer
  readonly #onEnd: (event: EndEvent) => void
  #lease: Lease | undefined
  #limitHeaders = noHeaders
  #waitedMs = 0
  #wouldHaveRefused: readonly string[] = none
  #request: OpenedRequest | undefined
  #entry: RequestEntry | undefined
  #adjustments: readonly Adjustment[] = none
  #adjustmentHeaders: Readonly<Record<string, string>> | undefined
  #capture: ResponseCapture | undefined
  #bodies: BodyCapture | undefined
  /** `undefined` where the request is not cached. */
  #cache: EndEvent['cache']
  /** Whether the response is that of an earlier request with the same idempotency key. */
  #replayed = false
  /** Whether the caller gets the cost; `undefined` before it matters. */
  #exposesCost: boolean | undefined
  /** When the first byte of the response was sent, in monotonic milliseconds. */
  #firstByteAt: number | undefined
  #settled = false

  /** `onEnd` is called once, with the `end` event. */
  constructor(
    context: RequestContext,
    services: AccountingServices,
    observe: Observer,
    onEnd: (event: EndEvent) => void,
  ) {
    this.#context = context
    this.#services = services
    this.#observe = observe
    this.#onEnd = onEnd
    this.#used = new RequestUsage(context, services, this.attempts, this)
  }

  get isSettled(): boolean {
    return this.#settled
  }

  /** Whether vendors bill nothing for the operation. */
  get #isFree(): boolean {
    return this.#context.operation === 'countTokens'
  }

  get shadows(): RunningShadows {
    return this.#services.shadows
  }

  get pricedAt(): number {
    return this.#entry?.openedAt ?? this.#context.clock.now()
  }

  get adjustments(): readonly Adjustment[] {
    return this.#adjustments
  }

  /** Takes the lease of the request. Where the request has ended already, releases it at once. */
  admitted(lease: Lease): void {
    this.#lease = lease
    if (this.#settled) this.#close(() => lease.settle(undefined, null))
    // A lease is the user's, and reading it may throw: not while a failure is reported.
    this.#limitHeaders = limitHeaders(lease, this.#context.dialect, this.#context.clock.now)
    this.#waitedMs = lease.waitedMs ?? 0
    if (lease.wouldHaveRefused !== undefined) this.#wouldHaveRefused = [...lease.wouldHaveRefused]
  }

  /**
   * Opens the ledger entry of a validated request, before a target is called. Throws 503 where the request spends from a
   * budget and its entry cannot be stored.
   */
  opened(request: OpenedRequest, first: Target): Promise<void> | undefined {
    this.#request = request
    const { ledger } = this.#services
    return ledger === undefined || this.#settled ? undefined : this.#open(ledger, request.request, first)
  }

  #open(ledger: Ledger, request: OpenedRequest['request'], first: Target): Promise<void> {
    const {
      requestId,
      operation,
      dialectName: dialect,
      principal,
      user,
      model,
      stream,
      clock,
    } = this.#context
    const openedAt = clock.now()
    const estimate = this.#isFree ? undefined : this.#estimate(request)
    this.#entry = new RequestEntry(ledger, {
      id: uuidv7(openedAt, this.#services.generateId()),
      requestId,
      operation,
      dialect,
      principal: principal!.id,
      source: memberOf(principal!, 'source'),
      user,
      tags: this.#tags(),
      model: model!,
      stream,
      openedAt,
      estimate:
        estimate === undefined
          ? freeCharge
          : chargeOf(estimate, this.#used.costAt(estimate, first, openedAt, undefined, undefined)),
    })
    const spends = () => this.#lease?.spends === true
    return this.#entry.open(() => this.#used.chargeSoFar(), spends)
  }

  /** The tags of the principal, and what the caller notes on the request. */
  #tags(): Readonly<Record<string, string>> {
    const { principal, draft } = this.#context
    const { metadataTags } = this.#services
    const tags: Record<string, string> = { ...principal?.tags }
    if (metadataTags.length === 0) return tags
    const metadata = draft?.outline.metadata
    for (const name of metadataTags) {
      const value = metadata === undefined ? undefined : endUser(memberOf(metadata, name))
      if (value !== undefined) tags[`metadata.${name}`] = value
    }
    return tags
  }

  /** Without a translation of a request that may be passed on as it came. */
  #estimate(request: OpenedRequest['request']): Usage {
    const { draft } = this.#context
    const passes = 'native' in request && request.native !== undefined && draft !== undefined
    return passes ? promptUsage(estimatePromptTokens(draft)) : estimatedUsage(request, 0)
  }

  /** Takes the result of looking up the idempotency key. */
  replayLookedUp({ answer, keeper }: LookedUp): void {
    this.#replayed = answer !== undefined
    if (keeper !== undefined) this.#captureFor(keeper)
  }

  /** Takes the result of looking up the cache. */
  cacheLookedUp({ answer, keeper, failed }: LookedUp): void {
    if (keeper !== undefined) this.#captureFor(keeper)
    if (failed === true) this.#cache = 'failed'
    else this.#cache = answer === undefined ? 'miss' : 'hit'
  }

  /** Stores the response when it has ended; not where that is so already. */
  #captureFor(writer: CacheWriter): void {
    if (this.#settled) {
      this.#close(() => writer.failed())
      return
    }
    this.#capture ??= new ResponseCapture()
    this.#capture.addWriter(writer)
  }

  /** Accounts for a stored response instead of an upstream one. */
  replayed({ adjustments, text }: CachedResponse): void {
    this.#adjust(adjustments)
    this.#capture?.add(text)
  }

  /** The limits of a target count by the target, whoever calls it. */
  admitCall(target: Target, limiter: Limiter, lifetime: Lifetime): Lease | Promise<Lease> {
    const { requestId, routing, clock } = this.#context
    const draft = this.#context.draft!
    const principal: Principal = { id: `${target.provider.name}/${target.model}`, source: 'target' }
    const priced = { prices: this.#services.prices, clock }
    const request = new LimitRequest({ requestId, routing, lifetime }, draft, [target], priced)
    return limit(principal, draft, request, limiter)
  }

  releaseLease(lease: Lease | undefined): void {
    if (lease !== undefined) this.#close(() => lease.settle(undefined, null))
  }

  attemptFailed(attempt: AttemptEntry): void {
    const { requestId, startedAt } = this.#context
    const failed = attempt.recordAt(startedAt, attempt.endedAt!)
    this.#observe({ type: 'attempt_failed', requestId, attempt: failed })
  }

  adjusted(adjustments: readonly Adjustment[]): void {
    const bound = this.#request?.adjustments ?? none
    this.#adjust(adjustments.length === 0 ? bound : [...bound, ...adjustments])
  }

  /** Reports a part of the answer that its dialect cannot express. */
  answerAdjusted(adjustment: Adjustment): void {
    this.#adjust([...this.#adjustments, adjustment])
  }

  #adjust(adjustments: readonly Adjustment[]): void {
    if (adjustments.length === 0 && this.#adjustments.length === 0) return
    const headers = adjustments.length === 0 ? undefined : adjustmentHeaders(adjustments)
    this.#adjustments = boundedAdjustments(adjustments)
    this.#adjustmentHeaders = headers
  }

  skipped(target: Target, why: SkipReason, key?: string): void {
    this.#context.routing.skip(target, why, key)
  }

  /** Records the charge of a discarded call in the ledger, even after the request has ended. */
  discarded(attempt: AttemptEntry, used: CountedUsage | 'abandoned' | undefined): void {
    const {
      requestId,
      operation,
      dialectName: dialect,
      startedAt,
      eventPrincipal: principal,
      user,
      model = '',
      unlisted,
    } = this.#context
    const abandoned = used === 'abandoned'
    const usage = abandoned
      ? this.#used.abandonedUsage(
          attempt,
          attempt.endedAt!,
          this.#request?.request,
          this.#lease?.promptTokens,
        )
      : used?.usage
    attempt.discarded = true
    const { responseModel } = attempt
    const call: DiscardedCallEvent = {
      type: 'discarded_call',
      requestId,
      operation,
      dialect,
      principal,
      user,
      model,
      ...(unlisted && { unlisted: true as const }),
      attempt: attempt.recordAt(startedAt, attempt.endedAt!),
      responseModel,
      usage,
      usageEstimated: abandoned ? usage !== undefined : (used?.estimated ?? false),
      cost:
        usage === undefined
          ? null
          : this.#used.costAt(
              usage,
              attempt.target,
              this.#context.clock.now(),
              responseModel,
              abandoned ? undefined : used,
              attempt.adjustments,
            ),
    }
    this.#close(() => attempt.settleLease(usage, call.cost))
    // Stored first: an observer may change the event.
    this.#storeDiscarded(call)
    this.#observe(call)
  }

  #storeDiscarded(call: DiscardedCallEvent): void {
    const { ledger, generateId } = this.#services
    if (ledger?.recordDiscarded === undefined) return
    const closedAt = this.#context.clock.now()
    const openedAt = this.#entry?.openedAt ?? closedAt
    const beside = {
      id: uuidv7(openedAt, generateId()),
      stream: this.#context.stream,
      tags: this.#tags(),
      openedAt,
      closedAt,
    }
    const closing = discardedClosing(call, beside)
    if (closing !== undefined) this.#close(() => ledger.recordDiscarded?.(closing))
  }

  /** The headers of the response, as far as they are known: limits, adjustments, cache, trace and the client's own id. */
  get responseHeaders(): Readonly<Record<string, string>> {
    const { clientRequestId, dialect, requestId } = this.#context
    const { exhausted } = this.attempts
    const trace = this.#traceHeader()
    const fromStore = this.#cache !== undefined || this.#replayed
    const idHeaders = requestIdHeaders(dialect, requestId)
    const named = clientRequestId !== undefined || idHeaders !== undefined
    const limitsAlone = !fromStore && !exhausted && trace === undefined && !named
    if (limitsAlone && this.#adjustmentHeaders === undefined) return this.#limitHeaders
    // No spread: adding names to one costs microseconds.
    const headers: Record<string, string> = Object.assign(
      {},
      idHeaders,
      this.#limitHeaders,
      this.#adjustmentHeaders,
    )
    if (this.#cache !== undefined) headers['x-sluice-cache'] = this.#cache === 'hit' ? 'hit' : 'miss'
    if (this.#replayed) headers['idempotency-replayed'] = 'true'
    if (trace !== undefined) headers['x-sluice-trace'] = trace
    if (exhausted) headers['x-should-retry'] = 'false'
    if (clientRequestId !== undefined) headers['x-client-request-id'] = clientRequestId
    return headers
  }

  /** The headers of a complete answer: those of the response, with its cost if the caller gets it. */
  get answerHeaders(): Readonly<Record<string, string>> {
    const cost = this.exposedCost()
    return cost === undefined
      ? this.responseHeaders
      : { ...this.responseHeaders, 'x-sluice-cost': String(cost) }
  }

  /** Whether the caller gets the cost of its answers. */
  get exposesCost(): boolean {
    const { exposesCost } = this.#services
    if (exposesCost === undefined) return false
    this.#exposesCost ??= exposesCost(this.#context.principal!)
    return this.#exposesCost
  }

  /**
   * Returns what the ledger will record as the cost of the answer, in US dollars. `undefined`: it is not known, or the caller does
   * not get it. A stored answer costs nothing.
   *
   * @param counted - the usage of a stream that has not been settled. Default: that of the answer.
   */
  exposedCost(counted?: CountedUsage): number | undefined {
    if (!this.exposesCost) return undefined
    if (this.#cache === 'hit' || this.#replayed) return 0
    const charge = this.#used.chargeOf(counted?.usage ?? this.#used.usage, counted)
    return charge?.cost ?? undefined
  }

  #traceHeader(): string | undefined {
    const { exposesTrace } = this.#services
    const context = this.#context
    if (exposesTrace === undefined || !context.routing.begun || !exposesTrace(context.principal!)) {
      return undefined
    }
    return requestTraceHeader(context, this.attempts, this.#waitedMs, this.#firstByteAt)
  }

  /** The first byte of the response is about to be sent. */
  firstByte(): void {
    this.#firstByteAt ??= this.#context.clock.monotonic()
  }

  /** Records the bodies of the request when it has ended; not where that is so already. */
  captureBodies(bodies: BodyCapture): void {
    if (!this.#settled) this.#bodies = bodies
  }

  /** Copies text of the response if it will be stored. */
  sent(text: string): void {
    this.#capture?.add(text)
    this.#bodies?.add(text)
  }

  /** Copies text of a response that is not to be cached, if bodies are recorded. */
  bodySent(text: string): void {
    this.#bodies?.add(text)
  }

  /** The response was sent while its call still runs: it is stored as it was sent. */
  accepted(text: string): void {
    this.#bodies?.accepted(text)
    const capture = this.#capture
    this.#capture = undefined
    if (capture === undefined) return
    capture.add(text)
    this.#close(() => capture.ended(true, this.#context.stream, this.#adjustments))
  }

  /** Lets a closing gateway wait for work that may go on after the request is settled. It must not reject. */
  closing(work: Promise<unknown>): void {
    this.#services.closing(work)
  }

  /** Sets the function that returns the usage of a stream so far. */
  streaming(progress: () => CountedUsage): void {
    this.#used.streaming(progress)
  }

  /** Sets the usage of the response, or of the part that arrived. */
  answered(counted: CountedUsage): void {
    this.#used.answered(counted)
  }

  /** The model is called once more: the response so far is charged with that of the next call. */
  calledAgain(counted: CountedUsage): void {
    const attempt = this.attempts.callAgain()
    const cost = this.#used.calledAgain(attempt, counted)
    this.#close(() => attempt.settleLease(counted.usage, cost))
  }

  /** Adds the usage of a part of the response. */
  partAnswered(attempt: AttemptEntry, counted: CountedUsage): void {
    if (!this.#settled) this.#addPart(attempt, counted)
  }

  #addPart(attempt: AttemptEntry, counted: CountedUsage): void {
    const cost = this.#used.addPart(attempt, counted)
    this.#close(() => attempt.settleLease(counted.usage, cost))
  }

  /** Takes what the vendor counted of a stream that was cut off without content. */
  answeredWithoutContent(reported: PartialUsage | undefined): void {
    this.#used.answeredWithoutContent(reported)
  }

  /** Closes the lease, the ledger entry and the spans, and emits the `end` event. Only the first call counts. */
  settled(outcome: RequestOutcome, status: number, error?: unknown): void {
    if (this.#settled) return
    this.#settled = true
    const context = this.#context
    const { startedAt } = context
    const now = context.clock.monotonic()
    this.#chargeAbandonedParts()
    const used = this.#used
    const lease = this.#lease
    if (used.usage === undefined && !this.#isFree) {
      used.chargeAbandoned(outcome, now, this.#request?.request, lease?.promptTokens)
    }
    const responseModel = this.attempts.counted?.responseModel
    const ofResponse = used.usage
    const { charge, cost: costOfResponse } = used.settle()
    const { usage } = used
    const cost = charge?.cost ?? null
    const settling = { usage: ofResponse, cost: costOfResponse }
    this.attempts.settleLeases(settling, closing => this.#close(closing))
    if (lease !== undefined) this.#close(() => lease.settle(usage && copiedUsage(usage), cost))
    const firstByte = this.#firstByteAt === undefined ? undefined : this.#firstByteAt - startedAt
    this.#closeEntry(outcome, status, charge, firstByte, now - startedAt)
    const capture = this.#capture
    if (capture !== undefined) {
      const edit = this.exposesCost ? withoutAnswerCost : undefined
      this.#close(() => capture.ended(outcome === 'completed', context.stream, this.#adjustments, edit))
    }
    this.#bodies?.ended(context, outcome, status)
    this.#bodies = undefined
    const ended: EndEvent = {
      type: 'end',
      requestId: context.requestId,
      clientRequestId: context.clientRequestId,
      at: context.receivedAt,
      operation: context.operation,
      dialect: context.dialectName,
      outcome,
      status,
      principal: context.eventPrincipal,
      user: context.user,
      authFailure: context.authFailureOf(error),
      model: context.model,
      responseModel,
      stream: context.stream,
      attempts: this.attempts.recordsAt(startedAt, now, error),
      adjustments: this.#adjustments,
      usage: usage && copiedUsage(usage),
      usageEstimated: used.isEstimated,
      cost,
      wouldHaveRefused: this.#wouldHaveRefused,
      timings: {
        queue: this.attempts.queuedMs(now) + this.#waitedMs,
        firstByte,
        total: now - startedAt,
      },
      cache: this.#cache,
      replayed: this.#replayed,
      trace: requestTrace(context, this.attempts, this.#waitedMs, this.#firstByteAt),
      error,
    }
    const event: EndEvent = context.unlisted ? { ...ended, unlisted: true } : ended
    const { traced } = this.attempts
    if (traced !== undefined) {
      this.attempts.endSpans(event)
      traced.end(event)
    }
    this.#onEnd(event)
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
      closedAt: this.#context.clock.now(),
      outcome,
      status,
      provider: target?.provider.name,
      upstreamModel: target?.model,
      responseModel: this.attempts.counted?.responseModel,
      attempts: this.attempts.called,
      hooks: this.#context.hooks?.records,
      charge,
      estimated: this.#used.isEstimated,
      firstByteMs,
      totalMs,
    }
    this.#close(() => open.close(closing))
  }

  /** Charges the parts that were cancelled, and those whose answer was not used. */
  #chargeAbandonedParts(): void {
    for (const attempt of this.attempts.uncharged) {
      const usage = estimatedUsage({ inputs: attempt.inputs ?? none }, 0)
      this.#addPart(attempt, { usage, estimated: true })
    }
  }

  /** A store that fails while something is closed does not fail a response that was sent. */
  #close(run: () => void | Promise<void>): void {
    try {
      const closing = run()
      if (closing !== undefined) this.#services.closing(Promise.resolve(closing).catch(() => {}))
    } catch {
      // As above.
    }
  }
}

/** A stored response, or where to store the response to come. */
interface LookedUp {
  readonly answer?: CachedResponse | undefined
  readonly keeper?: CacheWriter | undefined
  readonly failed?: boolean
}

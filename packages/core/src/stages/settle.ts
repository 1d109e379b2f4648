import { adjustmentHeaders } from '../adjustment-headers.ts'
import { AttemptLog } from '../attempt-log.ts'
import { boundedAdjustments } from '../bounded-adjustments.ts'
import { GatewayError } from '../errors.ts'
import type { EndEvent, Outcome } from '../events.ts'
import { chargeOf } from '../ledger/charge.ts'
import type { Charge, Ledger, LedgerClosing, LedgerEntry } from '../ledger/ledger.ts'
import { uuidv7 } from '../ledger/uuidv7.ts'
import { type Prices, pricedModel } from '../prices.ts'
import type { ChatRequest, Usage } from '../protocol/chat.ts'
import type { Adjustment, Target } from '../provider.ts'
import { type CountedUsage, copiedUsage, estimatedUsage } from '../usage.ts'
import type { Principal } from './authenticate.ts'
import type { Lease } from './limit.ts'

/** What a record is priced by and kept in, and what it needs for that. */
export interface Books {
  readonly prices: Prices
  readonly ledger: Ledger | undefined
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly id: () => string
  /** Told of what is still under way when the record is settled: a lease or an entry that is being closed. */
  closing(work: Promise<unknown>): void
}

/** What is kept of one request while it lives. Its stages write to it; `settle` closes it, once. */
export class RequestRecord {
  readonly requestId: string
  /** Whether it is a chat completion: only those are told of. */
  chat = false
  principal: Principal | undefined
  model: string | undefined
  stream = false
  readonly attempts = new AttemptLog()
  #adjustments: readonly Adjustment[] = []
  #adjustmentHeaders: Readonly<Record<string, string>> | undefined
  #lease: Lease | undefined
  #room: Readonly<Record<string, string>> = {}
  #waitedMs = 0
  #shadowed: readonly string[] = []
  usage: Usage | undefined
  usageEstimated = false
  /** Makes the estimate of a request that the caller or the gateway cut off before anything was answered. */
  #estimate: (() => Usage) | undefined
  /** What a streamed answer has used so far. */
  soFar: (() => CountedUsage) | undefined
  /** Monotonic milliseconds of the first byte of the answer. */
  firstByteAt: number | undefined
  readonly #startedAt: number
  readonly #clock: () => number
  readonly #books: Books
  readonly #observe: (event: EndEvent) => void
  #entry: LedgerEntry | undefined
  /** When it was entered. Not read from the entry, which is the ledger's by then. */
  #openedAt: number | undefined
  /** While the entry is being opened. */
  #opening: Promise<unknown> | undefined
  #settled = false

  constructor(requestId: string, clock: () => number, books: Books, observe: (event: EndEvent) => void) {
    this.requestId = requestId
    this.#clock = clock
    this.#books = books
    this.#observe = observe
    this.#startedAt = clock()
  }

  /** Keeps the room that was taken until the record is settled; where it is already, gives it back at once. */
  hold(lease: Lease): void {
    this.#lease = lease
    if (this.#settled) this.#close(() => lease.settle(undefined, null))
    // Read once, and not where a failure is being told: what is of the user's making may throw.
    this.#room = { ...lease.headers }
    this.#waitedMs = lease.waitedMs ?? 0
    this.#shadowed = [...(lease.shadowed ?? [])]
  }

  /**
   * Enters a valid request into the ledger, before its model is asked. Throws 503 where it spends from a budget and
   * its entry cannot be kept.
   */
  async enter(input: ChatRequest, first: Target): Promise<void> {
    this.#estimate = () => estimatedUsage(input, 0)
    const { ledger, now, id } = this.#books
    if (ledger === undefined || this.#settled) return
    const openedAt = now()
    const entry = {
      id: uuidv7(openedAt, id()),
      requestId: this.requestId,
      principal: this.principal!.id,
      tags: { ...this.principal!.tags },
      model: this.model!,
      stream: this.stream,
      openedAt,
      estimate: this.#chargeAt(this.#estimate(), first, openedAt),
    }
    this.#entry = entry
    this.#openedAt = openedAt
    const opening = (async () => ledger.open(entry, () => this.#progress(openedAt)))()
    this.#opening = opening.catch(() => {})
    try {
      await opening
    } catch (error) {
      if (this.#lease?.spends === true) throw new GatewayError('ledger_unavailable', { cause: error })
    } finally {
      this.#opening = undefined
    }
  }

  /** Keeps what was adjusted for the target that is being asked. Throws `TypeError` for what are no adjustments. */
  adjust(adjustments: readonly Adjustment[]): void {
    const headers = adjustments.length === 0 ? undefined : adjustmentHeaders(adjustments)
    this.#adjustments = boundedAdjustments(adjustments)
    this.#adjustmentHeaders = headers
  }

  /** What the caller is told beside the answer: of the room taken, and of what was adjusted. */
  get answerHeaders(): Readonly<Record<string, string>> {
    return this.#adjustmentHeaders === undefined ? this.#room : { ...this.#room, ...this.#adjustmentHeaders }
  }

  /** The first byte of the answer is about to be sent. */
  markFirstByte(): void {
    this.firstByteAt ??= this.#clock()
  }

  /** Closes the lease and the record, exactly once: what comes later is not heard. */
  settle(outcome: Outcome, status: number, error?: unknown): void {
    if (this.#settled) return
    this.#settled = true
    const now = this.#clock()
    const cutOff = outcome === 'client_aborted' || outcome === 'gateway_closed'
    if (cutOff && this.usage === undefined && this.attempts.taken) {
      this.usage = this.#estimate?.()
      this.usageEstimated = this.usage !== undefined
    }
    const target = this.attempts.lastCalled
    const charge =
      this.usage && target && this.#chargeAt(this.usage, target, this.#openedAt ?? this.#books.now())
    const cost = charge?.cost ?? null
    const lease = this.#lease
    if (lease !== undefined) this.#close(() => lease.settle(this.usage && copiedUsage(this.usage), cost))
    const firstByte = this.firstByteAt === undefined ? undefined : this.firstByteAt - this.#startedAt
    this.#closeEntry(outcome, status, charge, firstByte, now - this.#startedAt)
    const event: EndEvent = {
      type: 'end',
      requestId: this.requestId,
      outcome,
      status,
      principal: this.principal,
      model: this.model,
      stream: this.stream,
      attempts: this.attempts.recordsAt(now, error),
      adjustments: this.#adjustments,
      usage: this.usage && copiedUsage(this.usage),
      usageEstimated: this.usageEstimated,
      cost,
      shadowed: this.#shadowed,
      timings: {
        queue: this.attempts.queuedMs(now) + this.#waitedMs,
        firstByte,
        total: now - this.#startedAt,
      },
      error,
    }
    this.#observe(event)
  }

  #closeEntry(
    outcome: Outcome,
    status: number,
    charge: Charge | undefined,
    firstByteMs: number | undefined,
    totalMs: number,
  ): void {
    const entry = this.#entry
    if (entry === undefined) return
    const target = this.attempts.lastCalled
    const closing: LedgerClosing = {
      entry,
      closedAt: this.#books.now(),
      outcome,
      status,
      provider: target?.provider.name,
      upstreamModel: target?.model,
      attempts: this.attempts.called,
      charge,
      estimated: this.usageEstimated,
      firstByteMs,
      totalMs,
    }
    const close = () => this.#books.ledger?.close(closing)
    // Not before the opening has come to its end: a ledger need not sort what comes at once.
    const opening = this.#opening
    this.#close(opening === undefined ? close : () => opening.then(close))
  }

  #progress(openedAt: number): Charge | undefined {
    const usage = this.usage ?? this.soFar?.().usage
    const target = this.attempts.lastCalled
    return usage && target && this.#chargeAt(usage, target, openedAt)
  }

  #chargeAt(usage: Usage, target: Target, at: number): Charge {
    return chargeOf(usage, this.#books.prices(usage, pricedModel(this.model ?? '', target, at)))
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

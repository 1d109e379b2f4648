import { adjustmentHeaders } from '../adjustment-headers.ts'
import { AttemptLog } from '../attempt-log.ts'
import { boundedAdjustments } from '../bounded-adjustments.ts'
import type { EndEvent, Outcome } from '../events.ts'
import type { Usage } from '../protocol/chat.ts'
import type { Adjustment } from '../provider.ts'
import type { Principal } from './authenticate.ts'
import type { Lease } from './limit.ts'

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
  usage: Usage | undefined
  usageEstimated = false
  /** Makes the estimate of a request that the caller or the gateway cut off before anything was answered. */
  estimate: (() => Usage) | undefined
  /** Monotonic milliseconds of the first byte of the answer. */
  firstByteAt: number | undefined
  readonly #startedAt: number
  readonly #clock: () => number
  readonly #observe: (event: EndEvent) => void
  #settled = false

  constructor(requestId: string, clock: () => number, observe: (event: EndEvent) => void) {
    this.requestId = requestId
    this.#clock = clock
    this.#observe = observe
    this.#startedAt = clock()
  }

  /** Keeps the room that was taken until the record is settled; where it is already, gives it back at once. */
  hold(lease: Lease): void {
    this.#lease = lease
    if (this.#settled) closeLease(lease, undefined)
    // Read once, and not where a failure is being told: what is of the user's making may throw.
    this.#room = { ...lease.headers }
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
      this.usage = this.estimate?.()
      this.usageEstimated = this.usage !== undefined
    }
    closeLease(this.#lease, copied(this.usage))
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
      usage: copied(this.usage),
      usageEstimated: this.usageEstimated,
      timings: {
        queue: this.attempts.queuedMs(now),
        firstByte: this.firstByteAt === undefined ? undefined : this.firstByteAt - this.#startedAt,
        total: now - this.#startedAt,
      },
      error,
    }
    this.#observe(event)
  }
}

/** Whoever is told of it may keep or change it: neither the answer nor anybody else sees that. */
function copied(usage: Usage | undefined): Usage | undefined {
  return (
    usage && {
      ...usage,
      prompt_tokens_details: { ...usage.prompt_tokens_details },
      completion_tokens_details: { ...usage.completion_tokens_details },
    }
  )
}

/** A store that fails while a lease is closed cannot fail an answer that was given. */
function closeLease(lease: Lease | undefined, usage: Usage | undefined): void {
  try {
    void Promise.resolve(lease?.settle(usage)).catch(() => {})
  } catch {
    // As above.
  }
}

import { adjustmentHeaders } from '../adjustment-headers.ts'
import { boundedAdjustments } from '../bounded-adjustments.ts'
import type { AttemptRecord, EndEvent, Observer, Outcome } from '../events.ts'
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
  readonly attempts: AttemptRecord[] = []
  #adjustments: readonly Adjustment[] = []
  #adjustmentHeaders: Readonly<Record<string, string>> | undefined
  #lease: Lease | undefined
  usage: Usage | undefined
  usageEstimated = false
  /** Monotonic milliseconds of the first byte of the answer. */
  firstByteAt: number | undefined
  readonly #startedAt: number
  readonly #clock: () => number
  readonly #observe: Observer
  #settled = false

  constructor(requestId: string, clock: () => number, observe: Observer) {
    this.requestId = requestId
    this.#clock = clock
    this.#observe = observe
    this.#startedAt = clock()
  }

  /** Keeps the room that was taken until the record is settled; where it is already, gives it back at once. */
  hold(lease: Lease): void {
    this.#lease = lease
    if (this.#settled) closeLease(lease, undefined)
  }

  /** Keeps what was adjusted for the target that is being asked. Throws `TypeError` for what are no adjustments. */
  adjust(adjustments: readonly Adjustment[]): void {
    const headers = adjustments.length === 0 ? undefined : adjustmentHeaders(adjustments)
    this.#adjustments = boundedAdjustments(adjustments)
    this.#adjustmentHeaders = headers
  }

  /** What the caller is told beside the answer: of the room taken, and of what was adjusted. */
  get answerHeaders(): Readonly<Record<string, string>> {
    const room = this.#lease?.headers ?? {}
    return this.#adjustmentHeaders === undefined ? room : { ...room, ...this.#adjustmentHeaders }
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
    closeLease(this.#lease, this.usage)
    const event: EndEvent = {
      type: 'end',
      requestId: this.requestId,
      outcome,
      status,
      principal: this.principal,
      model: this.model,
      stream: this.stream,
      attempts: this.attempts,
      adjustments: this.#adjustments,
      usage: this.usage,
      usageEstimated: this.usageEstimated,
      timings: {
        firstByte: this.firstByteAt === undefined ? undefined : this.firstByteAt - this.#startedAt,
        total: now - this.#startedAt,
      },
      error,
    }
    this.#observe(event)
  }
}

/** A store that fails while a lease is closed cannot fail an answer that was given. */
function closeLease(lease: Lease | undefined, usage: Usage | undefined): void {
  try {
    void Promise.resolve(lease?.settle(usage)).catch(() => {})
  } catch {
    // As above.
  }
}

import type { AttemptRecord } from './events.ts'
import type { Target } from './provider.ts'
import { LifeEnded } from './upstream/attempt.ts'

/** One attempt while it runs. Times are monotonic milliseconds. */
export class OpenAttempt {
  /** Whether the upstream was asked. */
  called = false
  /** What went wrong; may come after `endedAt`, for an answer that broke off. */
  error: unknown
  /** When it answered or failed. */
  endedAt: number | undefined
  readonly target: Target
  readonly #startedAt: number
  #queuedAt: number | undefined
  #queuedMs = 0

  constructor(target: Target, startedAt: number) {
    this.target = target
    this.#startedAt = startedAt
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

  queuedMs(now: number): number {
    return this.#queuedMs + (this.#queuedAt === undefined ? 0 : now - this.#queuedAt)
  }

  recordAt(now: number): AttemptRecord {
    const { called, error } = this
    const { provider, model } = this.target
    const ms = (this.endedAt ?? now) - this.#startedAt
    return { provider: provider.name, model, called, ms, error }
  }
}

/** The attempts of one request, in order. */
export class AttemptLog {
  readonly #attempts: OpenAttempt[] = []

  begin(target: Target, now: number): OpenAttempt {
    const attempt = new OpenAttempt(target, now)
    this.#attempts.push(attempt)
    return attempt
  }

  /** How many upstreams were asked. */
  get called(): number {
    return this.#attempts.reduce((count, { called }) => count + (called ? 1 : 0), 0)
  }

  /** The last one that was asked: it answered, where any did. */
  get lastCalled(): Target | undefined {
    return this.#attempts.findLast(({ called }) => called)?.target
  }

  /** Whether an upstream took the request, or may have, and did not fail. */
  get taken(): boolean {
    return this.#attempts.some(
      ({ called, error }) => called && (error === undefined || error instanceof LifeEnded),
    )
  }

  /** Milliseconds that all of them stood in queues. */
  queuedMs(now: number): number {
    return this.#attempts.reduce((ms, attempt) => ms + attempt.queuedMs(now), 0)
  }

  /** Their records; what `error` cut off those that were still under way is theirs. */
  recordsAt(now: number, error: unknown): readonly AttemptRecord[] {
    return this.#attempts.map(attempt => {
      const record = attempt.recordAt(now)
      return attempt.endedAt === undefined ? { ...record, error: error ?? record.error } : record
    })
  }
}

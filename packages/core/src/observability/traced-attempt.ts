import type { AttemptEnd, AttemptSpan } from '../contracts/tracer.ts'
import type { UpstreamRequest } from '../contracts/transport.ts'
import { AnsweredElsewhere, LifeEnded } from '../errors/abort-reasons.ts'
import { isPromise } from '../primitives/is-promise.ts'

import { carriedHeaders } from './carried-headers.ts'

/** One call as its tracer follows it: it ends once. Never throws: `failed` is told of what the tracer throws. */
export class TracedAttempt {
  readonly #span: AttemptSpan
  readonly #failed: (error: unknown) => void
  #begun = false
  #ended = false

  constructor(span: AttemptSpan, failed: (error: unknown) => void) {
    this.#span = span
    this.#failed = failed
  }

  /** The request as it is sent, with the headers that the tracer adds. */
  carriedBy(request: UpstreamRequest): UpstreamRequest {
    try {
      const { headers } = this.#span
      if (headers === undefined) return request
      const refused = (name: string) =>
        this.#failed(new TypeError(`tracer: got the header ${JSON.stringify(name)}, which it may not add.`))
      return { ...request, headers: carriedHeaders(request.headers, headers, refused) }
    } catch (error) {
      this.#failed(error)
      return request
    }
  }

  firstContent(): void {
    if (this.#begun || this.#ended) return
    this.#begun = true
    try {
      heardOf(this.#span.firstContent?.(), this.#failed)
    } catch (error) {
      this.#failed(error)
    }
  }

  /** `used`: what is known of its answer. */
  end(error: unknown, used: Partial<Omit<AttemptEnd, 'outcome' | 'error'>> = {}): void {
    if (this.#ended) return
    this.#ended = true
    const { usage, usageEstimated = false, finishReasons = [], responseModel } = used
    try {
      heardOf(
        this.#span.end({
          outcome: outcomeOf(error),
          error,
          usage,
          usageEstimated,
          finishReasons,
          responseModel,
        }),
        this.#failed,
      )
    } catch (thrown) {
      this.#failed(thrown)
    }
  }
}

function outcomeOf(error: unknown): AttemptEnd['outcome'] {
  if (error === undefined) return 'answered'
  return error instanceof LifeEnded || error instanceof AnsweredElsewhere ? 'cut_off' : 'failed'
}

/** What is told of a tracer that gives a promise, where that fails: nobody else would hear of it, and the process end. */
export function heardOf(given: unknown, failed: (error: unknown) => void): void {
  if (isPromise(given)) void Promise.resolve(given).catch(failed)
}

import type { EndEvent } from '../contracts/events.ts'
import type { Call } from '../contracts/provider.ts'
import type { AskedUpstream, AttemptSpan, RequestSpan } from '../contracts/tracer.ts'
import type { FinishReason } from '../protocol/chat.ts'
import { heardOf, TracedAttempt } from './traced-attempt.ts'

/** One request as its tracer follows it. Never throws: `failed` is told of what the tracer throws. */
export class TracedRequest {
  /** The id of the answer that the caller sees. */
  answerId: string | undefined
  /** Why its choices ended. */
  finishReasons: readonly FinishReason[] = none
  readonly #span: RequestSpan
  readonly #failed: (error: unknown) => void

  constructor(span: RequestSpan, failed: (error: unknown) => void) {
    this.#span = span
    this.#failed = failed
  }

  /** Runs the rest of the request where its tracer wants it to run. What it throws, `run` itself has to catch. */
  within<T>(run: () => Promise<T>): Promise<T> {
    let running: Promise<T> | undefined
    const once = () => {
      running ??= run()
    }
    try {
      heardOf(this.#span.within?.(once), this.#failed)
    } catch (error) {
      this.#failed(error)
    }
    // Also where it runs it later: by then it has run.
    once()
    return running!
  }

  /** An upstream is about to be asked, at `url`. */
  attempt(
    asked: Pick<AskedUpstream, 'provider' | 'model' | 'why'>,
    { input }: Call,
    url: string,
  ): TracedAttempt | undefined {
    try {
      const { provider, model, why } = asked
      const span: unknown = this.#span.attempt({ provider, model, why, input, ...placeOf(url) })
      if (span === undefined) return undefined
      if (!isAttemptSpan(span)) throw new TypeError('tracer: attempt gave no span: expected { end() }.')
      return new TracedAttempt(span, this.#failed)
    } catch (error) {
      this.#failed(error)
      return undefined
    }
  }

  end(event: EndEvent): void {
    try {
      heardOf(this.#span.end(event, this.answerId), this.#failed)
    } catch (error) {
      this.#failed(error)
    }
  }
}

const none: readonly never[] = Object.freeze([])

function isAttemptSpan(value: unknown): value is AttemptSpan {
  return typeof value === 'object' && value !== null && 'end' in value && typeof value.end === 'function'
}

/** Where an upstream is, without its path, which may name a key. */
function placeOf(url: string): Pick<AskedUpstream, 'address' | 'port'> {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return { address: undefined, port: undefined }
  const { hostname, port, protocol } = new URL(url)
  const usual = protocol === 'https:' ? 443 : 80
  return { address: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? usual : Number(port) }
}

import type { EndEvent } from '../contracts/events.ts'
import type { Call, EncodedNativeRequest } from '../contracts/provider.ts'
import type { AttemptEnd, AttemptSpan, RequestSpan, UpstreamCall } from '../contracts/tracer.ts'
import { isCutOff } from '../errors/abort-reasons.ts'
import { isPromise } from '../primitives/is-promise.ts'
import type { FinishReason } from '../protocol/chat.ts'

/** The span of a request. It never throws: `failed` is called with what the tracer throws. */
export class TracedRequest {
  /** The `id` of the completion. */
  answerId: string | undefined
  /** The finish reasons of its choices. */
  finishReasons: readonly FinishReason[] = none
  readonly #span: RequestSpan
  readonly #failed: (error: unknown) => void

  constructor(span: RequestSpan, failed: (error: unknown) => void) {
    this.#span = span
    this.#failed = failed
  }

  /** Calls `run` in the async context of the span. `run` must not throw. */
  within<T>(run: () => Promise<T>): Promise<T> {
    let running: Promise<T> | undefined
    const once = () => {
      running ??= run()
    }
    try {
      notify(this.#span.within?.(once), this.#failed)
    } catch (error) {
      this.#failed(error)
    }
    // If the tracer has not called it, or calls it later, it runs now, and only once.
    once()
    return running!
  }

  /** Starts the span of an upstream call to `url`. */
  attempt(
    asked: Pick<UpstreamCall, 'provider' | 'model' | 'key' | 'unlisted' | 'why'>,
    call: Call | undefined,
    url: string,
  ): TracedAttempt | undefined {
    try {
      const span: unknown = this.#span.attempt(upstreamCall(asked, call, url))
      if (span === undefined) return undefined
      if (!isAttemptSpan(span))
        throw new TypeError('tracer: attempt returned an invalid span, expected { end() }.')
      return new TracedAttempt(span, this.#failed)
    } catch (error) {
      this.#failed(error)
      return undefined
    }
  }

  end(event: EndEvent): void {
    try {
      notify(this.#span.end(event, this.answerId), this.#failed)
    } catch (error) {
      this.#failed(error)
    }
  }
}

const none: readonly never[] = Object.freeze([])

function isAttemptSpan(value: unknown): value is AttemptSpan {
  return typeof value === 'object' && value !== null && 'end' in value && typeof value.end === 'function'
}

/** Without a copy of the request: that of another dialect is translated only if the tracer reads it. */
function upstreamCall(
  asked: Pick<UpstreamCall, 'provider' | 'model' | 'key' | 'unlisted' | 'why'>,
  call: Call | undefined,
  url: string,
): UpstreamCall {
  const known = { ...asked, ...addressOf(url) }
  if (call === undefined) return known
  return Object.defineProperty(known, 'input', { enumerable: true, get: () => call.input })
}

/** Returns host and port of an upstream, without the path, which may contain a key. */
function addressOf(url: string): Pick<UpstreamCall, 'address' | 'port'> {
  if (!/^https?:/i.test(url) || !URL.canParse(url)) return { address: undefined, port: undefined }
  const { hostname, port, protocol } = new URL(url)
  const usual = protocol === 'https:' ? 443 : 80
  return { address: hostname.replace(/^\[(.*)\]$/, '$1'), port: port === '' ? usual : Number(port) }
}

/** The span of an upstream call. It ends once, and never throws: `failed` is called with what the tracer throws. */
export class TracedAttempt {
  readonly #span: AttemptSpan
  readonly #failed: (error: unknown) => void
  #begun = false
  #ended = false

  constructor(span: AttemptSpan, failed: (error: unknown) => void) {
    this.#span = span
    this.#failed = failed
  }

  /** Returns the request with the headers that the tracer adds. */
  carriedBy(request: EncodedNativeRequest): EncodedNativeRequest {
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
      notify(this.#span.firstContent?.(), this.#failed)
    } catch (error) {
      this.#failed(error)
    }
  }

  /** Ends the span. `used` is what is known of the response. */
  end(error: unknown, used: Partial<Omit<AttemptEnd, 'outcome' | 'error'>> = {}): void {
    if (this.#ended) return
    this.#ended = true
    const { usage, usageEstimated = false, finishReasons = [], responseModel } = used
    try {
      notify(
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
  return isCutOff(error) ? 'cut_off' : 'failed'
}

/** Reports the rejection of a promise that a tracer returned. Unhandled, it would end the process. */
function notify(given: unknown, failed: (error: unknown) => void): void {
  if (isPromise(given)) void Promise.resolve(given).catch(failed)
}

type HeaderRecord = EncodedNativeRequest['headers']

const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const text = /^[\t\x20-\x7e\x80-\xff]*$/

/** Headers of message framing and routing, which only the transport may set. */
const framing: ReadonlySet<string> = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Adds headers to those of a provider, which take precedence. Calls `refused` with the name of each header that is invalid, or
 * reserved for the transport.
 */
export function carriedHeaders(
  own: HeaderRecord,
  added: Readonly<Record<string, unknown>>,
  refused: (name: string) => void,
): HeaderRecord {
  const carried: Record<string, string> = { ...own }
  const taken = new Set(Object.keys(own).map(name => name.toLowerCase()))
  for (const [name, value] of Object.entries(added)) {
    const known = name.toLowerCase()
    if (taken.has(known)) continue
    if (!token.test(name) || typeof value !== 'string' || !text.test(value) || framing.has(known)) {
      refused(name)
      continue
    }
    taken.add(known)
    // Not assigned: `__proto__` is a token too.
    Object.defineProperty(carried, name, { value, enumerable: true, configurable: true, writable: true })
  }
  return carried
}

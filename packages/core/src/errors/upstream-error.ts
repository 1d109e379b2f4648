import { ownMembers } from '../primitives/own-members.ts'

/** How an upstream failed. */
export type UpstreamFailure =
  /** No connection: refused, reset before an answer, unknown host, TLS. */
  | 'unreachable'
  | 'connect_timeout'
  | 'first_byte_timeout'
  | 'idle_timeout'
  /** An answer that is not streamed was not complete in time. */
  | 'response_timeout'
  | 'total_timeout'
  /** It answered with an error of its own; `status` tells which. */
  | 'refused'
  /** It ended before its own end mark. */
  | 'truncated'
  /** It answered with something that is no completion. */
  | 'garbled'

/** What is known of a vendor's failure. */
export interface UpstreamErrorDetails {
  readonly kind: UpstreamFailure
  /** The vendor's status; for an error inside a 200 stream, the status that it stands for. */
  readonly status?: number
  /** The vendor's own code, such as `context_length_exceeded`. */
  readonly code?: string | null
  readonly type?: string | null
  readonly param?: string | null
  /** How long the vendor asks to wait. */
  readonly retryAfterMs?: number
  /** What the vendor said of it, in its own words. They may quote the prompt, or a key. */
  readonly vendorMessage?: string
  /**
   * The connection had served before, and the upstream closed it as the request was sent, without a byte of an
   * answer: the same upstream is asked once more.
   */
  readonly staleConnection?: boolean
  readonly cause?: unknown
}

/**
 * A vendor's failure. `message` is a sentence of ours and fit for a log. The vendor's own words are kept apart, in
 * `vendorMessage`, which no logger prints by itself; of those the caller is told, scrubbed, where the fault is the
 * request's own.
 */
export class UpstreamError extends Error {
  readonly kind: UpstreamFailure
  readonly status: number | undefined
  readonly code: string | null
  readonly type: string | null
  readonly param: string | null
  readonly retryAfterMs: number | undefined
  /** The connection had served before, and was closed as the request was sent. */
  readonly staleConnection: boolean

  constructor(message: string, given: UpstreamErrorDetails) {
    const details = ownMembers(given)
    super(message, details.cause === undefined ? undefined : { cause: details.cause })
    this.name = 'UpstreamError'
    this.kind = details.kind
    this.status = details.status
    this.code = details.code ?? null
    this.type = details.type ?? null
    this.param = details.param ?? null
    this.retryAfterMs = details.retryAfterMs
    this.staleConnection = details.staleConnection === true
    if (details.vendorMessage !== undefined) vendorMessages.set(this, details.vendorMessage)
    Object.defineProperty(this, upstreamBrand, { value: true })
  }

  /** The vendor's words. */
  get vendorMessage(): string | undefined {
    return vendorMessages.get(this)
  }

  /** Whether a value is an `UpstreamError`, also one of another copy of this package. */
  static is(value: unknown): value is UpstreamError {
    return typeof value === 'object' && value !== null && upstreamBrand in value
  }
}

/** Beside the errors: some loggers print all properties of an error's own, also those that are not enumerable. */
const vendorMessages = new WeakMap<UpstreamError, string>()

const upstreamBrand = Symbol.for('sluice.UpstreamError')

/** Whether a call was cut off by a deadline after it was connected: the upstream may have worked on it, and charge it. */
export function isTimeout(error: unknown): boolean {
  if (!UpstreamError.is(error)) return false
  switch (error.kind) {
    case 'first_byte_timeout':
    case 'idle_timeout':
    case 'response_timeout':
    case 'total_timeout':
      return true
    default:
      return false
  }
}

import { ownMembers } from '../primitives/own-members.ts'
import type { NativeError } from './native-error.ts'

/** The kind of an upstream failure. */
export type UpstreamFailure =
  /** No connection: refused, reset before a response, unknown host, or a TLS error. */
  | 'unreachable'
  /** See `Timeouts` for this and the other timeouts. */
  | 'connect_timeout'
  | 'first_byte_timeout'
  | 'idle_timeout'
  /** A response that is not streamed was not complete in time. */
  | 'response_timeout'
  | 'total_timeout'
  /** The vendor returned an error response, such as a 400, 429 or 500: see `status`. */
  | 'refused'
  /** The stream ended before its end marker. */
  | 'truncated'
  /** The response is not a valid completion. */
  | 'garbled'

/** Options of an `UpstreamError`. */
export interface UpstreamErrorDetails {
  readonly kind: UpstreamFailure
  /** HTTP status of the response. For an error inside a stream: the status that corresponds to it. */
  readonly status?: number
  /** Error code of the vendor, such as `context_length_exceeded`. */
  readonly code?: string | null
  readonly type?: string | null
  readonly param?: string | null
  /** How long the vendor asks to wait, in milliseconds. */
  readonly retryAfterMs?: number
  /** The vendor's error message. It may quote the prompt, or a key. */
  readonly vendorMessage?: string
  /** The vendor's whole error, where it speaks the caller's dialect. It may quote the prompt, or a key. */
  readonly native?: NativeError
  /**
   * Whether a reused connection was closed while the request was sent, before any byte of a response. The gateway sends the
   * request to the same upstream once more.
   */
  readonly staleConnection?: boolean
  readonly cause?: unknown
}

/**
 * A failed upstream call. `message` is safe to log. The vendor's message is separate, in `vendorMessage`, where loggers do not
 * print it. Callers see it, redacted, only if the request itself caused the failure.
 */
export class UpstreamError extends Error {
  readonly kind: UpstreamFailure
  readonly status: number | undefined
  readonly code: string | null
  readonly type: string | null
  readonly param: string | null
  readonly retryAfterMs: number | undefined
  /** Whether a reused connection was closed while the request was sent. */
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
    if (details.native !== undefined) nativeErrors.set(this, details.native)
    Object.defineProperty(this, upstreamBrand, { value: true })
  }

  /** The vendor's error message. It may quote the prompt, or a key. */
  get vendorMessage(): string | undefined {
    return vendorMessages.get(this)
  }

  /** The vendor's whole error, where it speaks the caller's dialect. It may quote the prompt, or a key. */
  get native(): NativeError | undefined {
    return nativeErrors.get(this)
  }

  /** Returns whether a value is an `UpstreamError`, including those of another copy of this package. */
  static is(value: unknown): value is UpstreamError {
    return typeof value === 'object' && value !== null && upstreamBrand in value
  }
}

/** Not a property: some loggers print all own properties of an error, even those that are not enumerable. */
const vendorMessages = new WeakMap<UpstreamError, string>()
const nativeErrors = new WeakMap<UpstreamError, NativeError>()

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

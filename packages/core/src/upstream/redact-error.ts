import type { UpstreamRequest } from '../contracts/transport.ts'
import { GatewayError } from '../errors/errors.ts'
import type { NativeError } from '../errors/native-error.ts'
import { UpstreamError, type UpstreamErrorDetails, type UpstreamFailure } from '../errors/upstream-error.ts'
import { Credentials } from './credentials.ts'
import { redact } from './redact.ts'

/** Returns what to throw where a provider could not encode a request, and nothing was sent. */
export function encodeFailure(error: unknown): unknown {
  const credentials = new Credentials({ url: '', headers: {} })
  // What was thrown may be `undefined`, which would read as no failure.
  const failure = error ?? new Error('The provider threw nothing.')
  return isKnown(failure) ? redactError(failure, credentials) : redactCause(failure, credentials)
}

/** Returns what to throw where a call failed, of a `kind` that its error may name better. Never throws. */
export function callFailure(
  error: unknown,
  kind: UpstreamFailure,
  request: Pick<UpstreamRequest, 'url' | 'headers'>,
): unknown {
  try {
    const failure = isKnown(error)
      ? error
      : new UpstreamError('The upstream call failed.', { kind, cause: error })
    return redactError(failure, new Credentials(request))
  } catch (thrown) {
    // Reading an error of the user's may throw.
    return thrown
  }
}

function isKnown(error: unknown): error is UpstreamError | GatewayError {
  return UpstreamError.is(error) || GatewayError.is(error)
}

/**
 * Returns a failure of an upstream call without what neither a caller nor a log may see: the call's credentials, wherever
 * they are repeated, and content that a parser quotes. Codes stay where they look like codes.
 */
export function redactError(
  error: UpstreamError | GatewayError,
  credentials: Credentials,
): UpstreamError | GatewayError {
  return UpstreamError.is(error) ? redactUpstream(error, credentials) : redactGatewayError(error, credentials)
}

function redactUpstream(error: UpstreamError, credentials: Credentials): UpstreamError {
  const { vendorMessage, native, cause } = error
  const clean = {
    code: wordOf(error.code, credentials),
    type: wordOf(error.type, credentials),
    param: wordOf(error.param, credentials),
    vendorMessage: vendorMessage === undefined ? undefined : credentials.without(vendorMessage),
    native: nativeWithout(native, credentials),
    cause: redactCause(cause, credentials),
  }
  const message = credentials.without(error.message)
  const same =
    message === error.message &&
    clean.code === error.code &&
    clean.type === error.type &&
    clean.param === error.param &&
    clean.vendorMessage === vendorMessage &&
    clean.native === native &&
    clean.cause === cause
  if (same) return error
  const redacted = new UpstreamError(message, { ...error, ...clean } as UpstreamErrorDetails)
  return withStackOf(error, redacted, credentials)
}

/** A `GatewayError` of a provider reaches the caller unchanged. */
function redactGatewayError(error: GatewayError, credentials: Credentials): GatewayError {
  const { reason, message, param, headers, native } = error
  const cause = redactCause(error.cause, credentials)
  const cleanNative = nativeWithout(native, credentials)
  const texts = [message, param ?? '', ...Object.values(headers)]
  const same = cause === error.cause && cleanNative === native
  if (same && !texts.some(text => credentials.in(text))) return error
  const clean = new GatewayError(reason, {
    message: credentials.without(message),
    param: param === null ? null : credentials.without(param),
    headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => !credentials.in(value))),
    ...(cleanNative === undefined ? {} : { native: cleanNative }),
    ...(cause === undefined ? {} : { cause }),
  })
  return withStackOf(error, clean, credentials)
}

/** Returns a vendor's error without credentials: the same object if it has none. */
function nativeWithout(native: NativeError | undefined, credentials: Credentials): NativeError | undefined {
  if (native === undefined) return undefined
  const body = credentials.without(native.body)
  return body === native.body ? native : { ...native, body }
}

/** Returns a vendor's code, type or path; `null` where it is a sentence or a secret. */
function wordOf(word: string | null, credentials: Credentials): string | null {
  if (typeof word !== 'string' || !/^[\w.:/#[\]-]{1,200}$/.test(word)) return null
  return credentials.in(word) || redact(word) !== word ? null : word
}

/** Returns a cause, or its name and code alone: a parser's error quotes the text that it read. */
function redactCause(cause: unknown, credentials: Credentials): unknown {
  if (cause === undefined) return undefined
  if (!mayQuote(cause, credentials)) return cause
  const name = cause instanceof Error && /^\w{1,40}$/.test(cause.name) ? cause.name : 'Error'
  const code = codeOf(cause, credentials)
  const clean = new Error(
    `${name}${code === undefined ? '' : ` ${code}`}, message removed: it may quote what was read or sent.`,
  )
  if (code !== undefined) Object.assign(clean, { code })
  return cause instanceof Error ? withStackOf(cause, clean, credentials) : clean
}

/** A code such as ECONNREFUSED names the failure and no host. */
function codeOf(cause: unknown, credentials: Credentials): string | undefined {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (typeof code !== 'string' || !/^[A-Z][A-Z\d_]{2,60}$/.test(code)) return undefined
  return wordOf(code, credentials) ?? undefined
}

/** Whether a value may contain a credential, or is a parser's error. A value whose getters throw may. */
function mayQuote(value: unknown, credentials: Credentials): boolean {
  try {
    return quotes(value, credentials, new Set())
  } catch {
    return true
  }
}

const maxVisited = 1_000

/** Whether a value, or what can be printed of it, contains a credential or is a parser's error. */
function quotes(value: unknown, credentials: Credentials, visited: Set<unknown>): boolean {
  if (typeof value === 'string') return credentials.in(value)
  if (typeof value !== 'object' || value === null || ArrayBuffer.isView(value) || visited.has(value))
    return false
  // What is not read could contain one.
  if (visited.size === maxVisited) return true
  visited.add(value)
  if (value instanceof Error) {
    const { name, message, stack, cause } = value
    if (name === 'SyntaxError') return true
    const { errors } = value as { errors?: unknown }
    if ([message, stack, cause, errors].some(part => quotes(part, credentials, visited))) return true
  }
  return partsOf(value).some(part => quotes(part, credentials, visited))
}

/** Returns the members of an object, the entries of `Map` and `Headers`, and what a `Request` and a `URL` print of themselves. */
function partsOf(value: object): readonly unknown[] {
  if (Array.isArray(value)) return value
  const { entries, headers, url, href } = value as Readonly<Record<string, unknown>>
  const symbols = Object.getOwnPropertySymbols(value).map(name => Reflect.get(value, name) as unknown)
  const listed = typeof entries === 'function' ? [...(entries.call(value) as Iterable<unknown>)] : []
  return [...Object.entries(value).flat(), ...symbols, ...listed, headers, url, href]
}

/** Gives the redacted error the stack frames of the original one. */
function withStackOf<T extends Error>(original: Error, redacted: T, credentials: Credentials): T {
  const { stack, message } = original
  const at = stack?.indexOf(message) ?? -1
  if (stack === undefined || at === -1) return redacted
  const frames = stack.slice(at + message.length)
  const value = `${redacted.name}: ${redacted.message}${credentials.in(frames) ? '' : frames}`
  Object.defineProperty(redacted, 'stack', { value, writable: true, configurable: true })
  return redacted
}

import type { UpstreamRequest } from '../contracts/transport.ts'
import { GatewayError } from '../errors/errors.ts'
import { UpstreamError, type UpstreamErrorDetails, type UpstreamFailure } from '../errors/upstream-error.ts'
import { Credentials } from './credentials.ts'
import { redact } from './redact.ts'

/** Returns what to throw where a provider could not encode a request, and nothing was sent. */
export function encodeFailure(error: unknown): unknown {
  const credentials = new Credentials({ url: '', headers: {} })
  // What was thrown may be `undefined`, which would read as no failure.
  const failure = error ?? new Error('The provider threw nothing.')
  return isKnown(failure) ? cleanFailure(failure, credentials) : cleanCause(failure, credentials)
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
    return cleanFailure(failure, new Credentials(request))
  } catch (thrown) {
    // An error of a user's making may fail as it is looked at.
    return thrown
  }
}

function isKnown(error: unknown): error is UpstreamError | GatewayError {
  return UpstreamError.is(error) || GatewayError.is(error)
}

/**
 * A failure of an upstream call without what must not be told of it, to a caller or to a log: the call's
 * credentials, whoever repeats them, and content that a parser quotes. Codes are kept where they look like codes.
 */
export function cleanFailure(
  error: UpstreamError | GatewayError,
  credentials: Credentials,
): UpstreamError | GatewayError {
  return UpstreamError.is(error) ? cleanUpstream(error, credentials) : cleanRefusal(error, credentials)
}

function cleanUpstream(error: UpstreamError, credentials: Credentials): UpstreamError {
  const { vendorMessage, cause } = error
  const clean = {
    code: wordOf(error.code, credentials),
    type: wordOf(error.type, credentials),
    param: wordOf(error.param, credentials),
    vendorMessage: vendorMessage === undefined ? undefined : credentials.without(vendorMessage),
    cause: cleanCause(cause, credentials),
  }
  const message = credentials.without(error.message)
  const same =
    message === error.message &&
    clean.code === error.code &&
    clean.type === error.type &&
    clean.param === error.param &&
    clean.vendorMessage === vendorMessage &&
    clean.cause === cause
  if (same) return error
  const told = new UpstreamError(message, { ...error, ...clean } as UpstreamErrorDetails)
  return withStackOf(error, told, credentials)
}

/** What a provider refuses with reaches the caller as it stands. */
function cleanRefusal(error: GatewayError, credentials: Credentials): GatewayError {
  const { reason: refusal, message, param, headers } = error
  const cause = cleanCause(error.cause, credentials)
  const told = [message, param ?? '', ...Object.values(headers)]
  if (cause === error.cause && !told.some(text => credentials.in(text))) return error
  const clean = new GatewayError(refusal, {
    message: credentials.without(message),
    param: param === null ? null : credentials.without(param),
    headers: Object.fromEntries(Object.entries(headers).filter(([, value]) => !credentials.in(value))),
    ...(cause === undefined ? {} : { cause }),
  })
  return withStackOf(error, clean, credentials)
}

/** A code, a type or a path of a vendor's making; `null` where it is none, but a sentence or a secret. */
function wordOf(word: string | null, credentials: Credentials): string | null {
  if (typeof word !== 'string' || !/^[\w.:/#[\]-]{1,200}$/.test(word)) return null
  return credentials.in(word) || redact(word) !== word ? null : word
}

/** A cause, or what may be told of it: a parser's error quotes the text that it read. */
function cleanCause(cause: unknown, credentials: Credentials): unknown {
  if (cause === undefined) return undefined
  const seen = new Set<unknown>()
  if (!quotes(cause, credentials, seen)) return cause
  const name = cause instanceof Error && /^\w{1,40}$/.test(cause.name) ? cause.name : 'Error'
  const code = codeOf(cause, credentials)
  const clean = new Error(
    `${name}${code === undefined ? '' : ` ${code}`}, whose words are left out: they may quote what was read or sent.`,
  )
  if (code !== undefined) Object.assign(clean, { code })
  return cause instanceof Error ? withStackOf(cause, clean, credentials) : clean
}

/** A code such as ECONNREFUSED says what went wrong, and not with whom. */
function codeOf(cause: unknown, credentials: Credentials): string | undefined {
  const code = cause instanceof Error && 'code' in cause ? cause.code : undefined
  if (typeof code !== 'string' || !/^[A-Z][A-Z\d_]{2,60}$/.test(code)) return undefined
  return wordOf(code, credentials) ?? undefined
}

const mostSeen = 1_000

/** Whether a value, or what it is made of, holds a credential or is a parser's error. */
function quotes(value: unknown, credentials: Credentials, seen: Set<unknown>): boolean {
  if (typeof value === 'string') return credentials.in(value)
  if (typeof value !== 'object' || value === null || seen.has(value) || seen.size > mostSeen) return false
  seen.add(value)
  if (value instanceof Error) {
    const { name, message, stack, cause } = value
    if (name === 'SyntaxError') return true
    const { errors } = value as { errors?: unknown }
    if ([message, stack, cause, errors].some(part => quotes(part, credentials, seen))) return true
  }
  return Object.values(value).some(part => quotes(part, credentials, seen))
}

/** The frames of the error that happened, under the words of the one that tells of it. */
function withStackOf<T extends Error>(happened: Error, told: T, credentials: Credentials): T {
  const { stack, message } = happened
  const at = stack?.indexOf(message) ?? -1
  if (stack === undefined || at === -1) return told
  const frames = stack.slice(at + message.length)
  const value = `${told.name}: ${told.message}${credentials.in(frames) ? '' : frames}`
  Object.defineProperty(told, 'stack', { value, writable: true, configurable: true })
  return told
}

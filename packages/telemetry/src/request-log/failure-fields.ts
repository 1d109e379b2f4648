import { GatewayError, UpstreamError } from '@sluice/core'
import type { LogFields } from './logger.ts'
import { shortText } from './plain-text.ts'

const maxMessageLength = 1_000

/** The number of stack frames in a log entry. */
const maxFrames = 10

/** Codes of systems and drivers, such as `ECONNREFUSED` or `23505`. */
const systemCode = /^[A-Z0-9_]{1,40}$/

/**
 * Returns the log fields of an error. For gateway errors: the reason, and the system code of the cause. For other errors:
 * the name, the system code and the stack; their messages may quote a caller's input, a key or an address, and are logged
 * only with `messages`. A vendor's messages are never logged.
 */
export function failureFields(
  error: unknown,
  { stack, messages }: { readonly stack: boolean; readonly messages: boolean },
): LogFields {
  if (UpstreamError.is(error)) {
    return {
      error: error.kind,
      errorStatus: error.status ?? null,
      errorMessage: shortText(error.message, maxMessageLength),
    }
  }
  if (GatewayError.is(error)) return { error: error.reason, ...foreignFields(error.cause, messages) }
  if (!(error instanceof Error)) return { error: error === undefined ? null : typeof error }
  return {
    error: shortText(error.name),
    ...foreignFields(error, messages),
    ...(stack && { errorStack: framesOf(error) }),
  }
}

function foreignFields(error: unknown, messages: boolean): LogFields {
  if (!(error instanceof Error)) return {}
  const code = 'code' in error ? String(error.code) : ''
  return {
    ...(systemCode.test(code) && { errorCode: code }),
    ...(messages && { errorMessage: shortText(error.message, maxMessageLength) }),
  }
}

/**
 * Returns the stack frames after the message, which may have lines that look like frames. Empty where the message has
 * changed since the error was thrown.
 */
function framesOf({ stack, message }: Error): string {
  const at = typeof stack === 'string' ? stack.indexOf(message) : -1
  if (at === -1) return ''
  const frames = stack!
    .slice(at + message.length)
    .split('\n')
    .filter(line => /^ {4}at [^\n]+:\d+\)?$/.test(line))
  return frames
    .slice(0, maxFrames)
    .map(line => line.trim())
    .join(' < ')
}

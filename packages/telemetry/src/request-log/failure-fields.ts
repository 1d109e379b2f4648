import { GatewayError, UpstreamError } from '@sluice/core'
import type { LogFields } from './logger.ts'
import { shortText } from './plain-text.ts'

const longestMessage = 1_000

/** So many calls of a stack are told. */
const mostFrames = 10

/** Codes of systems and drivers, such as `ECONNREFUSED` or `23505`: no text that a person wrote. */
const systemCode = /^[A-Z0-9_]{1,40}$/

/**
 * What a log may tell of an error. Of one that is the gateway's own: its name for it, and a system's code of its
 * cause. Of others the kind, a system's code, and where it was thrown; their messages may quote what a caller sent, a key or an address, and are told where
 * `messages` asks for it. What a vendor said is never told.
 */
export function failureFields(
  error: unknown,
  { stack, messages }: { readonly stack: boolean; readonly messages: boolean },
): LogFields {
  if (UpstreamError.is(error)) {
    return {
      error: error.kind,
      errorStatus: error.status ?? null,
      errorMessage: shortText(error.message, longestMessage),
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
    ...(messages && { errorMessage: shortText(error.message, longestMessage) }),
  }
}

/**
 * Where it was thrown: what stands after the message, which may have lines of its own that look the same. Nothing where
 * the message is another than when it was thrown.
 */
function framesOf({ stack, message }: Error): string {
  const at = typeof stack === 'string' ? stack.indexOf(message) : -1
  if (at === -1) return ''
  const frames = stack!
    .slice(at + message.length)
    .split('\n')
    .filter(line => /^ {4}at [^\n]+:\d+\)?$/.test(line))
  return frames
    .slice(0, mostFrames)
    .map(line => line.trim())
    .join(' < ')
}

import type { GatewayError } from '../errors.ts'
import type { Answer } from '../host.ts'
import type { ChatCompletion } from '../protocol/chat.ts'

/** Headers of an answer, by lower-case name. */
export type AnswerHeaders = Record<string, string>

/**
 * What others say stands before what is said here, less what HTTP cannot carry: that must not cost the caller the
 * answer. They are written one by one: to add names to a spread object costs microseconds.
 */
function headersOf(
  contentType: string,
  cacheControl: string,
  requestId: string,
  more: Readonly<AnswerHeaders>,
): AnswerHeaders {
  const headers: AnswerHeaders = {
    'content-type': contentType,
    'x-request-id': requestId,
    'cache-control': cacheControl,
    'x-content-type-options': 'nosniff',
    vary: 'authorization',
  }
  for (const name in more) {
    const value: unknown = more[name]
    const told = typeof value === 'string' || typeof value === 'number'
    if (told && Object.hasOwn(more, name) && isName(name) && isText(String(value))) {
      headers[name] = value as string
    }
  }
  return headers
}

/** An answer of JSON. */
export function respondJson(
  status: number,
  value: unknown,
  requestId: string,
  more: Readonly<AnswerHeaders> = {},
): Answer {
  return {
    status,
    headers: headersOf('application/json', 'no-store', requestId, more),
    body: JSON.stringify(value),
  }
}

/** The answer to a request that is refused (protocol section 4). */
export function respondError(
  error: GatewayError,
  requestId: string,
  more: Readonly<AnswerHeaders> = {},
): Answer {
  return respondJson(error.status, error.toBody(), requestId, { ...more, ...error.headers })
}

/** A whole completion (protocol section 2). */
export function respondCompletion(
  completion: ChatCompletion,
  requestId: string,
  more: Readonly<AnswerHeaders>,
): Answer {
  return respondJson(200, completion, requestId, more)
}

/** A whole completion of which the text was kept. */
export function respondKept(text: string, requestId: string, more: Readonly<AnswerHeaders>): Answer {
  return { status: 200, headers: headersOf('application/json', 'no-store', requestId, more), body: text }
}

/**
 * A streamed completion (protocol section 3.1). `no-transform` keeps compressing middleware from holding
 * events back, `x-accel-buffering` does so for nginx.
 */
export function respondStream(
  body: AsyncIterable<string>,
  requestId: string,
  more: Readonly<AnswerHeaders>,
): Answer {
  const cacheControl = 'no-cache, no-store, no-transform'
  const headers = headersOf('text/event-stream; charset=utf-8', cacheControl, requestId, more)
  headers['x-accel-buffering'] ??= 'no'
  return { status: 200, headers, body }
}

/** Names are few, and the same on each answer. */
const soundNames = new Set<string>()

function isName(name: string): boolean {
  if (soundNames.has(name)) return true
  const sound = headerName.test(name)
  if (sound && soundNames.size < 100) soundNames.add(name)
  return sound
}

/** Tabs, and what is printable of Latin-1. Most are a few digits: for them a loop costs less than an expression. */
function isText(value: string): boolean {
  for (let at = 0; at < value.length; at++) {
    const code = value.charCodeAt(at)
    if ((code < 0x20 && code !== 0x09) || code === 0x7f || code > 0xff) return false
  }
  return true
}

const headerName = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/

import { configurationError } from '../errors/configuration-error.ts'
import type { UpstreamError, UpstreamFailure } from '../errors/upstream-error.ts'

/**
 * Failures by their sort: a status (`429`), a class of statuses (`'5xx'`), a kind (`'unreachable'`), every time-out
 * (`'timeout'`), or `{ code }`, the vendor's own.
 */
export type FailureSpec = number | `${4 | 5}xx` | 'timeout' | UpstreamFailure | { readonly code: string }

const kinds: Readonly<Record<UpstreamFailure, true>> = {
  unreachable: true,
  connect_timeout: true,
  first_byte_timeout: true,
  idle_timeout: true,
  response_timeout: true,
  total_timeout: true,
  refused: true,
  truncated: true,
  garbled: true,
}

/** Whether a failure is of a sort that is named. Throws `ConfigurationError` for what names none. */
export function failureTest(on: unknown, owner: string): (failure: UpstreamError) => boolean {
  if (typeof on === 'function') return on as (failure: UpstreamError) => boolean
  if (!Array.isArray(on) || on.length === 0) {
    throw configurationError(owner, ['on'], on, "a function, or a list such as [429, '5xx', 'timeout']")
  }
  const tests = on.map((spec, at) => testOf(spec, at, owner))
  return failure => tests.some(test => test(failure))
}

function testOf(spec: unknown, at: number, owner: string): (failure: UpstreamError) => boolean {
  if (spec === '4xx' || spec === '5xx') {
    const first = spec === '4xx' ? 4 : 5
    return ({ status }) => status !== undefined && Math.floor(status / 100) === first
  }
  if (spec === 'timeout') return ({ kind }) => kind.endsWith('_timeout')
  if (typeof spec === 'string' && Object.hasOwn(kinds, spec)) return ({ kind }) => kind === spec
  if (typeof spec === 'number' && Number.isInteger(spec) && spec >= 400 && spec <= 599) {
    return ({ status }) => status === spec
  }
  if (typeof spec === 'object' && spec !== null && 'code' in spec && typeof spec.code === 'string') {
    const wanted = spec.code
    return ({ code }) => code === wanted
  }
  const expected = `a status from 400 to 599, '4xx', '5xx', 'timeout', { code }, or one of ${Object.keys(kinds).join(', ')}`
  throw configurationError(owner, ['on', at], spec, expected)
}

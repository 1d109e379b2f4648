import type { RoutedTarget } from '../contracts/route.ts'
import { configurationError } from '../errors/configuration-error.ts'
import type { UpstreamError, UpstreamFailure } from '../errors/upstream-error.ts'
import {
  type CombinedRoute,
  combinedRoute,
  type ModelEntry,
  type NamesIn,
  partsOf,
} from './combined-route.ts'
import { withOptions } from './entry-checks.ts'
import { inOrder } from './linked-combinations.ts'
import { type Candidates, type LinkedRoute, mappedStep } from './linked-route.ts'

/** Options of `fallback`. */
export interface FallbackOptions {
  /**
   * The failures to fall back on: statuses, kinds, codes of the vendor, or a function. Default: every failure that the request
   * itself did not cause.
   */
  readonly on: readonly FailureSpec[] | ((failure: UpstreamError) => boolean)
}

/**
 * Tries entries in order: if a target fails before its first content, the next one is called. A list means the
 * same. `fallback(a, b, { on: [429, 503, 'first_byte_timeout'] })` falls back on those failures only. A nested `fallback`
 * with its own `on` uses that between its own targets.
 *
 * Throws `ConfigurationError` for an invalid entry or `on`.
 */
export function fallback<const Entries extends readonly (ModelEntry | FallbackOptions)[]>(
  ...entries: Entries
): CombinedRoute<NamesIn<Entries[number]>> {
  const [places, options] = withOptions<FallbackOptions>('fallback()', entries, ['on'])
  const fallsBack = options && failureTest(options.on, 'fallback()')
  return combinedRoute(partsOf(places, 'fallback()'), steps => {
    const step = inOrder(steps)
    return fallsBack === undefined ? step : mappedStep(inOrder(steps.map(leaveWhen(fallsBack))), withoutLast)
  })
}

type FailureTest = (failure: UpstreamError) => boolean

/** Applies a test to the last target of a step, and to those without a test of their own. */
function leaveWhen(fallsBack: FailureTest): (step: LinkedRoute) => LinkedRoute {
  const map = (candidates: Candidates) =>
    candidates.map((candidate, at): RoutedTarget => {
      const own = at < candidates.length - 1 ? candidate.fallbackOn : undefined
      return { ...candidate, fallbackOn: own ?? fallsBack }
    })
  return step => mappedStep(step, map)
}

/** Removes the test of the last target: what follows it is decided by an enclosing entry. */
function withoutLast(candidates: Candidates): Candidates {
  const last = candidates.at(-1)
  if (last === undefined) return candidates
  const { fallbackOn: _, ...open } = last
  return [...candidates.slice(0, -1), open]
}

/**
 * Selects failures: a status (`429`), a class of statuses (`'5xx'`), a kind (`'unreachable'`), any timeout (`'timeout'`), or
 * an error code of the vendor (`{ code }`).
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

/** Returns a test for failures. Throws `ConfigurationError` for an invalid spec. */
function failureTest(on: unknown, owner: string): (failure: UpstreamError) => boolean {
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

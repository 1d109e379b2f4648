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
import { inOrder } from './combined-steps.ts'
import { withOptions } from './entry-checks.ts'
import { type Candidates, type LinkedRoute, mappedStep } from './step.ts'

export interface FallbackOptions {
  /**
   * After which failures the next place is asked: statuses, kinds, or codes of the vendor, or a function. Default: after
   * all that are not the request's own fault.
   */
  readonly on: readonly FailureSpec[] | ((failure: UpstreamError) => boolean)
}

/**
 * One entry after the other: where a place fails before anything of its answer was sent, the next one is asked. A list
 * means the same. `fallback(a, b, { on: [429, 503, 'first_byte_timeout'] })` goes on after those failures alone; an
 * entry that is a `fallback` with an `on` of its own keeps that between its own places.
 *
 * Throws `TypeError` for what is no entry, and for an `on` that cannot be.
 */
export function fallback<const Entries extends readonly (ModelEntry | FallbackOptions)[]>(
  ...entries: Entries
): CombinedRoute<NamesIn<Entries[number]>> {
  const [places, options] = withOptions<FallbackOptions>('fallback()', entries, ['on'])
  const moves = options && failureTest(options.on, 'fallback()')
  return combinedRoute(partsOf(places, 'fallback()'), steps => {
    const step = inOrder(steps)
    return moves === undefined ? step : mappedStep(inOrder(steps.map(leaving(moves))), withoutLast)
  })
}

type Moves = (failure: UpstreamError) => boolean

/** What a step gives where, to leave it, `moves` decides; within it, what it says itself. */
function leaving(moves: Moves): (step: LinkedRoute) => LinkedRoute {
  const map = (candidates: Candidates) =>
    candidates.map((candidate, at): RoutedTarget => {
      const own = at < candidates.length - 1 ? candidate.fallbackOn : undefined
      return { ...candidate, fallbackOn: own ?? moves }
    })
  return step => mappedStep(step, map)
}

/** Nothing of the last place's failures is decided here: an entry around this one may have others after it. */
function withoutLast(candidates: Candidates): Candidates {
  const last = candidates.at(-1)
  if (last === undefined) return candidates
  const { fallbackOn: _, ...open } = last
  return [...candidates.slice(0, -1), open]
}

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

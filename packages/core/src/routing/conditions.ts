import type { Draft } from '../contracts/draft.ts'
import type { RouteContext } from '../contracts/route.ts'
import { configurationError } from '../errors/configuration-error.ts'
import { matchesPattern } from '../primitives/matches-pattern.ts'
import { tagOf } from '../primitives/principal-key.ts'
import { estimatePromptTokens } from '../usage/prompt-estimate.ts'
import type { InputKind } from '../validation/capable-targets.ts'
import {
  type CombinedRoute,
  combinedRoute,
  linkRoute,
  type ModelEntry,
  type NamesIn,
} from './combined-route.ts'
import { checkTokens } from './entry-checks.ts'
import { oneOf } from './linked-combinations.ts'

/** Matches the requested model against patterns (`*` matches any text). Throws `ConfigurationError` without patterns. */
export function modelMatches(...patterns: readonly [string, ...string[]]): RouteCondition {
  checkTexts(patterns, 'modelMatches()', 'patterns of names')
  return ({ model }) => patterns.some(pattern => matchesPattern(pattern, model))
}

/** Matches principals with a tag; with values, only those. Throws `ConfigurationError` for an empty name or value. */
export function hasTag(tag: string, ...values: readonly string[]): RouteCondition {
  checkTexts([tag, ...values], 'hasTag()', "a tag's name and values")
  return (_, { principal }) => {
    const value = tagOf(principal, tag)
    return value !== undefined && (values.length === 0 || values.includes(value))
  }
}

/** Matches request bodies of more than `bytes` bytes. Throws `ConfigurationError` unless `bytes` is an integer of at least 1. */
export function bodyLargerThan(bytes: number): RouteCondition {
  checkTokens('bodyLargerThan()', 'bytes', bytes)
  return draft => draft.bytes > bytes
}

/**
 * Matches prompts of likely more than `tokens` tokens. The estimate is one token per four bytes of the body without its media,
 * plus an allowance per image, audio, file and video. Throws `ConfigurationError` unless `tokens` is an integer of at least 1.
 */
export function promptLongerThan(tokens: number): RouteCondition {
  checkTokens('promptLongerThan()', 'tokens', tokens)
  return draft => estimatePromptTokens(draft) > tokens
}

/** Matches requests that offer tools to the model. */
export const hasTools: RouteCondition = ({ outline }) => outline.hasTools === true

const mediaKinds: readonly InputKind[] = ['image', 'audio', 'file', 'video']

/** Matches requests with an image, audio, file or video; without kinds, any. Throws `ConfigurationError` for other kinds. */
export function hasMedia(...kinds: readonly InputKind[]): RouteCondition {
  for (const kind of kinds) {
    if (mediaKinds.includes(kind)) continue
    throw configurationError('hasMedia()', [kinds.indexOf(kind)], kind, "'image', 'audio', 'file' or 'video'")
  }
  return kinds.length === 0
    ? ({ outline: { media = [] } }) => media.length > 0
    : ({ outline: { media = [] } }) => media.some(({ kind }) => kinds.includes(kind))
}

/** Matches if every condition matches. Throws `ConfigurationError` for an invalid condition. */
export function allOf(...conditions: readonly RouteCondition[]): RouteCondition {
  checkConditions(conditions, 'allOf()')
  return (...asked) => conditions.every(condition => matchesCondition(condition, ...asked))
}

/** Matches if at least one condition matches. Throws `ConfigurationError` for an invalid condition. */
export function anyOf(...conditions: readonly RouteCondition[]): RouteCondition {
  checkConditions(conditions, 'anyOf()')
  return (...asked) => conditions.some(condition => matchesCondition(condition, ...asked))
}

/** Matches if no condition matches. Throws `ConfigurationError` for an invalid condition. */
export function noneOf(...conditions: readonly RouteCondition[]): RouteCondition {
  checkConditions(conditions, 'noneOf()')
  return (...asked) => !conditions.some(condition => matchesCondition(condition, ...asked))
}

function checkTexts(texts: readonly unknown[], owner: string, expected: string): void {
  if (texts.length > 0 && texts.every(text => typeof text === 'string' && text !== '')) return
  throw configurationError(owner, [], texts, expected)
}

/** Returns whether a request matches. The body is not validated yet. */
export type RouteCondition = (draft: Draft, context: RouteContext) => boolean

/** Throws `TypeError` if a condition returns no boolean: a promise is truthy and would always match. */
function matchesCondition(condition: RouteCondition, draft: Draft, context: RouteContext): boolean {
  const answer: unknown = condition(draft, context)
  if (typeof answer === 'boolean') return answer
  throw new TypeError(`A condition of a route returned ${typeof answer}, expected true or false.`)
}

/** Throws `ConfigurationError` for an invalid condition. */
function checkConditions(conditions: readonly unknown[], owner: string): void {
  for (const [at, condition] of conditions.entries()) {
    if (typeof condition === 'function' && !('provider' in condition)) continue
    throw configurationError(owner, [at], condition, 'a condition, such as promptLongerThan(10_000)')
  }
  if (conditions.length === 0) throw configurationError(owner, [], conditions, 'at least one condition')
}

/**
 * Routes requests that match a condition to the first entry, all others to the second: `when(hasMedia('image'), vision, text)`.
 * Neither is a fallback for the other.
 *
 * Throws `ConfigurationError` for an invalid condition or entry.
 */
export function when<const Then extends ModelEntry, const Otherwise extends ModelEntry>(
  condition: RouteCondition,
  then: Then,
  otherwise: Otherwise,
): CombinedRoute<NamesIn<Then> | NamesIn<Otherwise>> {
  checkConditions([condition], 'when()')
  const parts = [
    linkRoute(then, { source: 'when()', path: ['use'] }),
    linkRoute(otherwise, { source: 'when()', path: ['otherwise'] }),
  ]
  return combinedRoute(parts, steps =>
    oneOf(steps, (...asked) => (matchesCondition(condition, ...asked) ? 0 : 1)),
  )
}

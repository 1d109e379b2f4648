import type { Draft } from '../contracts/draft.ts'
import type { RouteContext } from '../contracts/route.ts'
import { configurationError } from '../errors/configuration-error.ts'
import { matchesPattern } from '../primitives/matches-pattern.ts'
import { tagOf } from '../primitives/principal-key.ts'
import { jsonItems, jsonMember } from '../protocol/json-members.ts'
import { likelyPromptTokens } from '../usage/reservation.ts'
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

/** The name that the caller used fits one of the patterns, in which `*` stands for any text. Throws `TypeError` for none. */
export function modelMatches(...patterns: readonly [string, ...string[]]): RouteCondition {
  checkTexts(patterns, 'askedAs()', 'patterns of names')
  return ({ model }) => patterns.some(pattern => matchesPattern(pattern, model))
}

/** The caller has the tag; where values are given, one of those. Throws `TypeError` for what is no name. */
export function hasTag(tag: string, ...values: readonly string[]): RouteCondition {
  checkTexts([tag, ...values], 'taggedWith()', "a tag's name and values")
  return (_, { principal }) => {
    const value = tagOf(principal, tag)
    return value !== undefined && (values.length === 0 || values.includes(value))
  }
}

/** The request's body has more than so many bytes. Throws `TypeError` for what is no whole number from 1. */
export function bodyLargerThan(bytes: number): RouteCondition {
  checkTokens('bodyAbove()', 'bytes', bytes)
  return draft => draft.bytes > bytes
}

/**
 * The prompt is likely to have more than so many tokens: one for every four bytes of text, and an allowance for each
 * image, audio and file. Throws `TypeError` for what is no whole number from 1.
 */
export function promptLongerThan(tokens: number): RouteCondition {
  checkTokens('promptAbove()', 'tokens', tokens)
  return draft => likelyPromptTokens(draft) > tokens
}

/** The request offers tools, or functions, which is their older name. */
export const hasTools: RouteCondition = ({ body }) =>
  jsonItems(jsonMember(body, 'tools')).length > 0 || jsonItems(jsonMember(body, 'functions')).length > 0

const partTypes: Readonly<Record<InputKind, string>> = {
  image: 'image_url',
  audio: 'input_audio',
  file: 'file',
}

/** A message holds an image, audio or a file; without kinds, any of them. Throws `TypeError` for other kinds. */
export function hasMedia(...kinds: readonly InputKind[]): RouteCondition {
  for (const kind of kinds) {
    if (Object.hasOwn(partTypes, kind)) continue
    throw configurationError('holdsMedia()', [kinds.indexOf(kind)], kind, "'image', 'audio' or 'file'")
  }
  const types = (kinds.length === 0 ? (Object.keys(partTypes) as InputKind[]) : kinds).map(
    kind => partTypes[kind],
  )
  return ({ body }) =>
    jsonItems(jsonMember(body, 'messages')).some(message =>
      jsonItems(jsonMember(message, 'content')).some(part =>
        types.some(type => jsonMember(part, 'type') === type),
      ),
    )
}

/** Every condition holds. Throws `TypeError` for what is no condition. */
export function allOf(...conditions: readonly RouteCondition[]): RouteCondition {
  checkConditions(conditions, 'allOf()')
  return (...asked) => conditions.every(condition => matchesCondition(condition, ...asked))
}

/** One condition holds, or more. Throws `TypeError` for what is no condition. */
export function anyOf(...conditions: readonly RouteCondition[]): RouteCondition {
  checkConditions(conditions, 'anyOf()')
  return (...asked) => conditions.some(condition => matchesCondition(condition, ...asked))
}

/** No condition holds. Throws `TypeError` for what is no condition. */
export function noneOf(...conditions: readonly RouteCondition[]): RouteCondition {
  checkConditions(conditions, 'noneOf()')
  return (...asked) => !conditions.some(condition => matchesCondition(condition, ...asked))
}

function checkTexts(texts: readonly unknown[], owner: string, expected: string): void {
  if (texts.length > 0 && texts.every(text => typeof text === 'string' && text !== '')) return
  throw configurationError(owner, [], texts, expected)
}

/** Says something of a request, before it is validated. */
export type RouteCondition = (draft: Draft, context: RouteContext) => boolean

/** Throws `TypeError` for an answer that is neither yes nor no, such as a promise: not all that is truthy is a yes. */
function matchesCondition(condition: RouteCondition, draft: Draft, context: RouteContext): boolean {
  const answer: unknown = condition(draft, context)
  if (typeof answer === 'boolean') return answer
  throw new TypeError(`A condition of a route gave ${typeof answer}, expected true or false.`)
}

/** Throws `ConfigurationError` for what is no condition. */
function checkConditions(conditions: readonly unknown[], owner: string): void {
  for (const [at, condition] of conditions.entries()) {
    if (typeof condition === 'function' && !('provider' in condition)) continue
    throw configurationError(owner, [at], condition, 'a condition, such as promptAbove(10_000)')
  }
  if (conditions.length === 0) throw configurationError(owner, [], conditions, 'a condition at least')
}

/**
 * The first entry for the requests of which the condition holds, the second one for all others:
 * `when(holdsMedia('image'), vision, text)`. Neither stands in for the other.
 *
 * Throws `TypeError` for what is no condition, or no entry.
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

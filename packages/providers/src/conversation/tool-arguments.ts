import type { JsonObject } from '@sluice/core/provider'
import type { AdjustedParameter, ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { exactJsonText, parseExactJson } from '../wire/exact-json.ts'
import { isFields } from '../wire/json-value.ts'

/**
 * A call's arguments as an object, for vendors that take no JSON text. Empty text is a call without arguments.
 * Whole numbers keep all their digits where the request is written by `exactJsonText`. Models make mistakes, and the
 * conversation has to go on: text that is no JSON object becomes no arguments, and half of a surrogate pair U+FFFD, which
 * `adjuster` reports.
 */
export function toolArguments(
  text: string,
  parameter: AdjustedParameter,
  adjuster: ParameterAdjuster,
): JsonObject {
  if (text.trim() === '') return {}
  const wellFormed = withoutHalfPairs(text)
  let value: unknown
  try {
    value = parseExactJson(wellFormed)
  } catch {
    value = undefined
  }
  if (!isFields(value)) {
    adjuster.map(parameter, 'no arguments: they are no JSON object')
    return {}
  }
  if (wellFormed !== text) adjuster.map(parameter, 'U+FFFD for half of a surrogate pair')
  return value as JsonObject
}

/** The text itself is Unicode: only its escapes can hold half a pair. */
function withoutHalfPairs(text: string): string {
  const escapes = /\\(?:ud[89ab][0-9a-f]{2}\\ud[c-f][0-9a-f]{2}|(ud[89a-f][0-9a-f]{2})|.)/gis
  return text.replace(escapes, (found, half?: string) => (half === undefined ? found : '\\ufffd'))
}

/** The arguments of a call that came as an object, as the protocol's JSON text. */
export function argumentsOf(input: unknown): string {
  return isFields(input) ? exactJsonText(input) : '{}'
}

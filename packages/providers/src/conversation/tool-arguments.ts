import { GatewayError } from '@sluice/core'
import type { JsonObject } from '@sluice/core/provider'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { exactJsonText, parseExactJson } from '../wire/exact-json.ts'
import { isFields } from '../wire/json-value.ts'

/**
 * A call's arguments as an object, for vendors that take no JSON text. Empty text is a call without arguments.
 * Whole numbers keep all their digits where the request is written by `exactJsonText`. Models make mistakes, and the
 * conversation has to go on: text that is no JSON object becomes no arguments, and half of a surrogate pair U+FFFD, which
 * `adjuster` reports. Throws `GatewayError` (400, `invalid_value`) for text that is nested too deep to be read.
 */
export function toolArguments(text: string, path: string, adjuster: ParameterAdjuster): JsonObject {
  if (text.trim() === '') return {}
  const wellFormed = withoutHalfPairs(text)
  let value: unknown
  try {
    value = parseExactJson(wellFormed)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw tooDeep(path)
    value = undefined
  }
  if (!isFields(value)) {
    adjuster.map({ path }, 'no arguments: they are no JSON object')
    return {}
  }
  if (wellFormed !== text) adjuster.map({ path }, 'U+FFFD for half of a surrogate pair')
  return value as JsonObject
}

function tooDeep(path: string): GatewayError {
  return new GatewayError('invalid_value', {
    message: `Invalid '${path}': nested too deep for this model, which takes arguments as an object.`,
    param: path,
  })
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

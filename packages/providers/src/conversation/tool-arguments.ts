import { GatewayError } from '@sluice/core'
import type { JsonObject } from '@sluice/core/provider'
import { exactJsonText, parseExactJson } from '../wire/exact-json.ts'
import { isFields } from '../wire/json-value.ts'

/**
 * A call's arguments as an object, for vendors that take no JSON text. Empty text is a call without arguments.
 * Whole numbers keep all their digits where the request is written by `exactJsonText`. Throws `GatewayError`
 * (400, `invalid_value`) for what is no JSON object, and for half a surrogate pair, which no vendor takes.
 */
export function toolArguments(text: string, path: string): JsonObject {
  if (text.trim() === '') return {}
  if (holdsHalfPair(text)) {
    throw invalid(
      path,
      'half of a surrogate pair. Expected Unicode text, in which both halves stand together.',
    )
  }
  let value: unknown
  try {
    value = parseExactJson(text)
  } catch {
    value = undefined
  }
  if (isFields(value)) return value as JsonObject
  throw invalid(path, 'expected the text of a JSON object, since this model takes arguments as an object.')
}

/** The text itself is Unicode: only its escapes can hold half a pair. */
function holdsHalfPair(text: string): boolean {
  const escapes = /\\(?:u(d[89ab][0-9a-f]{2})(?:\\u(d[c-f][0-9a-f]{2}))?|u(d[c-f][0-9a-f]{2})|.)/gis
  for (const [, high, low, loneLow] of text.matchAll(escapes)) {
    if ((high !== undefined && low === undefined) || loneLow !== undefined) return true
  }
  return false
}

function invalid(path: string, what: string): GatewayError {
  return new GatewayError('invalid_value', { message: `Invalid '${path}': ${what}`, param: path })
}

/** The arguments of a call that came as an object, as the protocol's JSON text. */
export function argumentsOf(input: unknown): string {
  return isFields(input) ? exactJsonText(input) : '{}'
}

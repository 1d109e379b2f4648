import { GatewayError, type JsonObject } from '@sluice/core'
import { jsonOf } from '../wire/json-of.ts'
import { isFields } from '../wire/json-value.ts'

/**
 * A call's arguments as an object, for vendors that take no JSON text. Empty text is a call without
 * arguments. Throws `GatewayError` (400, `invalid_value`) for what is no JSON object.
 */
export function toolArguments(text: string, path: string): JsonObject {
  if (text.trim() === '') return {}
  let value: unknown
  try {
    value = jsonOf(text)
  } catch {
    value = undefined
  }
  if (isFields(value)) return value as JsonObject
  throw new GatewayError('invalid_value', {
    message: `Invalid '${path}': expected the text of a JSON object, since this model takes arguments as an object.`,
    param: path,
  })
}

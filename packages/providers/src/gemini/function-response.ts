import type { JsonObject } from '@sluice/core'
import { jsonOf } from '../wire/json-of.ts'
import { isFields } from '../wire/json-value.ts'

/**
 * What a tool answered as an object, which is all that Gemini takes. The text of a JSON object is given as that
 * object, so that the model sees its fields and not a string of escaped quotes. Any other text goes under
 * `result`. So does an object with a number that could lose digits on the way, and one with a `$ref`, such as a
 * schema: Gemini 3 takes that for the name of a file beside it, and refuses the request.
 */
export function functionResponse(texts: readonly string[]): JsonObject {
  const text = texts.join('\n')
  if (/^\s*\{/.test(text) && !/\d{16}|\$ref|\\u0024/.test(text)) {
    try {
      const value = jsonOf(text)
      if (isFields(value)) return value as JsonObject
    } catch {
      // It only looked like JSON.
    }
  }
  return { result: text }
}

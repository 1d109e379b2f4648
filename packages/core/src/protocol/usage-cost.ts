import type { BodyEdit } from './body-edit.ts'
import type { JsonObject, JsonValue } from './chat.ts'
import { jsonMember } from './json-members.ts'
import { spliceJson } from './splice-json.ts'

/** What may know the cost of an answer. `cost` is absent where the caller does not get it. */
interface PricedAnswer {
  cost?(): number | undefined
}

/**
 * Returns the change that puts the cost into the usage of a vendor's own answer. A cost that the vendor has put there is removed
 * if no price is known. None where the caller does not get the cost, or the answer has no usage.
 *
 * @param path - where the usage is: `['response', 'usage']`.
 */
export function costEdits(
  value: JsonValue | undefined,
  path: readonly string[],
  answer: PricedAnswer,
): readonly BodyEdit[] {
  if (answer.cost === undefined) return []
  let usage = value
  for (const name of path) usage = jsonMember(usage, name)
  if (typeof usage !== 'object' || usage === null || Array.isArray(usage)) return []
  return [{ path: [...path, 'cost'], value: answer.cost() }]
}

/** Returns a vendor's JSON text with the cost in its usage; unchanged where `costEdits` has none, or where it is no JSON. */
export function withUsageCost(text: string, path: readonly string[], answer: PricedAnswer): string {
  if (answer.cost === undefined) return text
  const value = parsed(text)
  return value === undefined ? text : spliceJson(text, costEdits(value, path, answer))
}

function parsed(text: string): JsonObject | undefined {
  try {
    return JSON.parse(text) as JsonObject
  } catch {
    return undefined
  }
}

import type { JsonObject, JsonValue } from '@sluice/core'
import { type Making, mostItems, type Place, shallow, within } from './generation.ts'
import { itemSchemas } from './is-valid.ts'
import { isObject, sameJson } from './json.ts'
import { canTryOn, Unsatisfiable } from './unsatisfiable.ts'

/** An array for a schema; the caller checks it. Throws `Unsatisfiable`. */
export function arrayFor(schema: JsonObject, place: Place, making: Making): JsonValue[] {
  const [first, rest] = itemSchemas(schema)
  const least = typeof schema.minItems === 'number' ? schema.minItems : 0
  const most = typeof schema.maxItems === 'number' ? schema.maxItems : mostItems
  if (least > mostItems)
    throw new Unsatisfiable(place.path, `'minItems' asks for more than ${mostItems} items`)
  const contained =
    schema.contains === undefined ? 0 : typeof schema.minContains === 'number' ? schema.minContains : 1
  const spoken = spokenItems(rest, most, place, making)
  if (spoken && spoken.length >= least && contained === 0 && first.length === 0) return spoken
  const wanted = place.depth < shallow && rest !== false ? Math.max(1, first.length) : first.length
  const count = Math.min(most, Math.max(least, Math.min(wanted, mostItems), contained))
  const items: JsonValue[] = []
  for (let at = 0; at < count; at++) {
    const own = (at < first.length ? first[at] : rest) ?? true
    const part = at < contained && schema.contains !== undefined ? { allOf: [own, schema.contains] } : own
    const mustHave = at < least || at < contained
    const item = itemFor(part, items, mustHave, schema.uniqueItems === true, place, making)
    if (item === undefined) break
    items.push(item)
  }
  return items
}

/** An item; `undefined` where an optional one cannot be made. */
function itemFor(
  part: JsonValue,
  before: readonly JsonValue[],
  mustHave: boolean,
  unique: boolean,
  place: Place,
  making: Making,
): JsonValue | undefined {
  const at = before.length
  try {
    for (let salt = unique ? at : 0; salt <= (unique ? at + 8 : 0); salt++) {
      const item = making.make(part, within(place, String(at), place.name, salt + (unique ? 0 : place.salt)))
      if (!unique || !before.some(other => sameJson(other, item))) return item
    }
  } catch (error) {
    if (mustHave || !canTryOn(error)) throw error
    return undefined
  }
  throw new Unsatisfiable(place.path, 'the local provider found too few values that differ')
}

function spokenItems(
  items: JsonValue | undefined,
  most: number,
  place: Place,
  making: Making,
): JsonValue[] | undefined {
  if (!isObject(items) || place.salt > 0) return undefined
  const type = items.type === 'integer' ? 'number' : items.type
  if (type !== 'number' && type !== 'string') return undefined
  const values = making.generation.hints.listOf(type).filter(value => making.fits(value, items))
  const unique = values.filter((value, at) => values.indexOf(value) === at).slice(0, Math.min(most, 100))
  return unique.length > 1 ? unique : undefined
}

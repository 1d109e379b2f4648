import type { JsonObject, JsonValue } from '@sluice/core'
import { isObject, sameJson } from './json.ts'

/**
 * One schema that asks for what two ask for, as far as a value can be made from it: the value is checked
 * against the two afterwards. `undefined` where they exclude each other.
 */
export function mergeSchemas(a: JsonObject, b: JsonObject): JsonObject | undefined {
  const merged: Record<string, JsonValue | undefined> = { ...a }
  for (const [key, value] of Object.entries(b)) {
    const before = Object.hasOwn(a, key) ? a[key] : undefined
    if (before === undefined || value === undefined) merged[key] = value ?? before
    else {
      const both = (Object.hasOwn(mergers, key) ? mergers[key]! : second)(before, value)
      if (both === undefined) return undefined
      merged[key] = both
    }
  }
  return merged
}

type Merge = (a: JsonValue, b: JsonValue) => JsonValue | undefined

const second: Merge = (_, b) => b
const lower: Merge = (a, b) => (typeof a === 'number' && typeof b === 'number' ? Math.min(a, b) : b)
const higher: Merge = (a, b) => (typeof a === 'number' && typeof b === 'number' ? Math.max(a, b) : b)
const bothOf: Merge = (a, b) => (sameJson(a, b) ? a : { allOf: [a, b] })

const mergers: Readonly<Record<string, Merge>> = {
  type: (a, b) => {
    const [left, right] = [asList(a), asList(b)]
    const shared = left.filter(
      type => right.includes(type) || (type === 'integer' && right.includes('number')),
    )
    if (right.includes('integer') && left.includes('number') && !shared.includes('integer'))
      shared.push('integer')
    return shared.length === 0 ? undefined : shared
  },
  const: (a, b) => (sameJson(a, b) ? a : undefined),
  enum: (a, b) => {
    const others = new Set(asList(b).map(item => JSON.stringify(item)))
    const shared = asList(a).filter(item => others.has(JSON.stringify(item)))
    return shared.length === 0 ? undefined : shared
  },
  required: (a, b) => [...new Set([...asList(a), ...asList(b)])],
  properties: (a, b) => (isObject(a) && isObject(b) ? mergeEach(a, b) : b),
  patternProperties: (a, b) => (isObject(a) && isObject(b) ? mergeEach(a, b) : b),
  $defs: second,
  items: bothOf,
  contains: bothOf,
  propertyNames: bothOf,
  additionalProperties: (a, b) => (a === false || b === false ? false : bothOf(a, b)),
  not: (a, b) => ({ anyOf: [a, b] }),
  anyOf: crossed,
  oneOf: crossed,
  minimum: higher,
  exclusiveMinimum: higher,
  minLength: higher,
  minItems: higher,
  minProperties: higher,
  maximum: lower,
  exclusiveMaximum: lower,
  maxLength: lower,
  maxItems: lower,
  maxProperties: lower,
  multipleOf: (a, b) => (typeof a === 'number' && typeof b === 'number' ? commonMultiple(a, b) : b),
}

function crossed(a: JsonValue, b: JsonValue): JsonValue {
  const pairs: JsonValue[] = []
  for (const left of asList(a).slice(0, 8)) {
    for (const right of asList(b).slice(0, 8)) pairs.push({ allOf: [left, right] })
  }
  return pairs
}

function mergeEach(a: JsonObject, b: JsonObject): JsonObject {
  const merged: Record<string, JsonValue | undefined> = Object.assign(Object.create(null), a)
  for (const [key, value] of Object.entries(b)) {
    const before = merged[key]
    merged[key] = before === undefined || value === undefined ? value : bothOf(before, value)
  }
  return merged
}

function asList(value: JsonValue): JsonValue[] {
  return Array.isArray(value) ? [...value] : [value]
}

function commonMultiple(a: number, b: number): number {
  if (!Number.isSafeInteger(a) || !Number.isSafeInteger(b) || a < 1 || b < 1) return Math.max(a, b)
  let [high, low] = [a, b]
  while (low > 0) [high, low] = [low, high % low]
  return (a / high) * b
}

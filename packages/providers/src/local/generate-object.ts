import type { JsonObject, JsonValue } from '@sluice/core'
import { type Making, mostItems, type Place, propertiesOf, shallow, within } from './generation.ts'
import { isObject, own } from './json.ts'
import { readPattern } from './pattern.ts'
import { canTryOn, Unsatisfiable } from './unsatisfiable.ts'
import { writeText } from './write-text.ts'

type Made = Record<string, JsonValue>

/** An object for a schema; the caller checks it. Throws `Unsatisfiable`. */
export function objectFor(schema: JsonObject, place: Place, making: Making): JsonObject {
  // Without a prototype: `__proto__` is a name like any other.
  const made: Made = Object.create(null)
  const properties = propertiesOf(schema)
  const required = new Set(
    Array.isArray(schema.required) ? schema.required.filter(name => typeof name === 'string') : [],
  )
  const most = typeof schema.maxProperties === 'number' ? schema.maxProperties : mostItems
  let optional = 0
  for (const name of Object.keys(properties)) {
    making.budget.spend(place.path)
    const must = required.has(name)
    if (!must && (place.depth >= shallow || required.size + optional >= most)) continue
    const part = own(properties, name) ?? true
    if (!must && !isWanted(name, part, making)) continue
    addProperty(made, name, part, must, place, making)
    if (!must && Object.hasOwn(made, name)) optional++
  }
  for (const name of required) {
    if (!Object.hasOwn(made, name))
      addProperty(made, name, schemaOf(name, schema, making), true, place, making)
  }
  addDependents(made, schema, place, making)
  fill(made, schema, place, making)
  return made
}

function isWanted(name: string, part: JsonValue, making: Making): boolean {
  const { optional, hints } = making.generation
  return optional === 'all' || (isObject(part) && hints.speaksOf(name, part))
}

function addProperty(
  made: Made,
  name: string,
  part: JsonValue,
  must: boolean,
  place: Place,
  making: Making,
): void {
  try {
    made[name] = making.make(part, within(place, name, name, place.salt))
  } catch (error) {
    if (must || !canTryOn(error)) throw error
  }
}

function schemaOf(name: string, schema: JsonObject, making: Making): JsonValue {
  const part = own(propertiesOf(schema), name)
  if (part !== undefined) return part
  const patterns = isObject(schema.patternProperties) ? Object.entries(schema.patternProperties) : []
  for (const [pattern, matched] of patterns) {
    if (matched !== undefined && making.fits(name, { pattern })) return matched
  }
  return schema.additionalProperties ?? true
}

function addDependents(made: Made, schema: JsonObject, place: Place, making: Making): void {
  for (const keyword of ['dependentRequired', 'dependencies'] as const) {
    const dependencies = schema[keyword]
    if (!isObject(dependencies)) continue
    for (let turns = 0; turns < 3; turns++) {
      for (const [name, needed] of Object.entries(dependencies)) {
        if (!Object.hasOwn(made, name) || !Array.isArray(needed)) continue
        for (const other of needed) {
          if (typeof other !== 'string' || Object.hasOwn(made, other)) continue
          addProperty(made, other, schemaOf(other, schema, making), true, place, making)
        }
      }
    }
  }
}

/** Adds properties under names of its own until there are `minProperties`. */
function fill(made: Made, schema: JsonObject, place: Place, making: Making): void {
  const least = typeof schema.minProperties === 'number' ? schema.minProperties : 0
  if (least > mostItems)
    throw new Unsatisfiable(place.path, `'minProperties' asks for more than ${mostItems} properties`)
  const properties = propertiesOf(schema)
  let count = Object.keys(made).length
  for (const name of Object.keys(properties)) {
    if (count >= least) return
    if (Object.hasOwn(made, name)) continue
    addProperty(made, name, own(properties, name) ?? true, false, place, making)
    if (Object.hasOwn(made, name)) count++
  }
  const patterns = isObject(schema.patternProperties) ? Object.keys(schema.patternProperties) : []
  for (let tried = 0; count < least; tried++) {
    making.budget.spend(place.path)
    if (tried > 2 * mostItems)
      throw new Unsatisfiable(place.path, 'the local provider found too few names for properties')
    const name = nameFor(schema, patterns[0], tried, place, making)
    if (name === undefined || Object.hasOwn(made, name)) continue
    addProperty(made, name, schemaOf(name, schema, making), true, place, making)
    count++
  }
}

function nameFor(
  schema: JsonObject,
  source: string | undefined,
  tried: number,
  place: Place,
  making: Making,
): string | undefined {
  if (schema.propertyNames !== undefined) {
    const rule = isObject(schema.propertyNames)
      ? { type: 'string', ...schema.propertyNames }
      : schema.propertyNames
    const name = making.make(rule, { ...place, depth: place.depth + 1, salt: tried + 1 })
    return typeof name === 'string' ? name : undefined
  }
  const pattern =
    source === undefined || schema.additionalProperties !== false ? undefined : readPattern(source)
  if (pattern === undefined) return `property${tried + 1}`
  return writeText(pattern, { extra: 1 + (tried % 20), salt: tried }, 200)
}

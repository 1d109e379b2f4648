import type { JsonObject } from '@sluice/core'
import { isFields } from '../wire/json-value.ts'

/** Keywords whose value is a schema by each of its names. */
const named = ['properties', '$defs', 'definitions'] as const
/** Keywords whose value is a schema, or a list of schemas. */
const plain = ['items', 'anyOf', 'oneOf', 'allOf'] as const

/**
 * Whether a schema asks somewhere for an object whose members it does not name. Structured outputs take only objects
 * that are closed: such a one would always be empty.
 */
export function holdsMap(schema: JsonObject): boolean {
  if (isMap(schema)) return true
  for (const key of named) {
    const schemas = schema[key]
    if (isFields(schemas) && Object.values(schemas).some(holdsMapWithin)) return true
  }
  return plain.some(key => {
    const value = schema[key]
    return Array.isArray(value) ? value.some(holdsMapWithin) : holdsMapWithin(value)
  })
}

function holdsMapWithin(value: unknown): boolean {
  return isFields(value) && holdsMap(value as JsonObject)
}

function isMap({ type, properties, additionalProperties: further, patternProperties }: JsonObject): boolean {
  const isObject = type === 'object' || (Array.isArray(type) && type.includes('object'))
  if (!isObject && !isFields(properties)) return false
  if (isFields(further) || isFields(patternProperties)) return true
  if (!isFields(properties)) return further !== false
  return further === true && Object.keys(properties).length === 0
}

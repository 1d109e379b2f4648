import type { JsonObject, JsonValue } from '@sluice/core/provider'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { isFields } from '../wire/json-value.ts'

/** A JSON Schema as structured outputs take it. */
export interface SupportedSchema {
  readonly schema: JsonObject
  /** Keywords that were left out, or said otherwise, each once; empty where nothing was changed. */
  readonly changed: readonly string[]
}

/** Keywords that are supported with any value. */
const supportedKeywords = new Set([
  'type',
  '$ref',
  'enum',
  'const',
  'default',
  'required',
  'title',
  'description',
])
/** Keywords whose value is a schema by each of its names. */
const named = new Set(['properties', '$defs', 'definitions'])
/** Keywords that say nothing about a value. */
const remarks = new Set([
  '$schema',
  '$id',
  '$comment',
  '$anchor',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
])
const formats = new Set([
  'date-time',
  'time',
  'date',
  'duration',
  'email',
  'hostname',
  'uri',
  'ipv4',
  'ipv6',
  'uuid',
])

/**
 * Makes a schema such as structured outputs take: objects without further properties, no bounds, no patterns.
 * What is left out is said in the description, for the model reads it.
 *
 * Source: the vendor's page on structured outputs, JSON Schema limitations.
 */
export function supportedSchema(schema: JsonObject): SupportedSchema {
  const changed = new Set<string>()
  return { schema: supported(schema, changed), changed: [...changed] }
}

function supported(schema: JsonObject, changed: Set<string>): JsonObject {
  const result: Record<string, JsonValue | undefined> = {}
  const unsaid: string[] = []
  for (const [key, value] of Object.entries(schema)) {
    if (value === undefined || remarks.has(key)) continue
    if (supportedKeywords.has(key)) result[key] = value
    else if (named.has(key) && isFields(value)) result[key] = eachSupported(value as JsonObject, changed)
    else if (key === 'items') result.items = isFields(value) ? supported(value as JsonObject, changed) : value
    else if (key === 'anyOf' || key === 'allOf') result[key] = allSupported(value, changed)
    else if (key === 'oneOf') {
      changed.add(key)
      result.anyOf = allSupported(value, changed)
    } else if (key === 'format' && formats.has(String(value))) result[key] = value
    else if (key === 'minItems' && (value === 0 || value === 1)) result[key] = value
    else if (key !== 'additionalProperties' || value !== false) {
      changed.add(key)
      unsaid.push(`${key}: ${JSON.stringify(value)}`)
    }
  }
  if (isObjectSchema(schema)) {
    result.additionalProperties = false
    if (schema.additionalProperties === undefined) changed.add('additionalProperties')
  }
  if (unsaid.length > 0) {
    const before = typeof schema.description === 'string' ? `${schema.description} ` : ''
    result.description = `${before}(${unsaid.join(', ')})`
  }
  return result
}

function isObjectSchema({ type, properties }: JsonObject): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object')) || isFields(properties)
}

function eachSupported(schemas: JsonObject, changed: Set<string>): JsonObject {
  const result: Record<string, JsonValue | undefined> = {}
  for (const [name, schema] of Object.entries(schemas)) {
    const value = isFields(schema) ? supported(schema as JsonObject, changed) : schema
    Object.defineProperty(result, name, { value, enumerable: true, configurable: true, writable: true })
  }
  return result
}

function allSupported(value: JsonValue, changed: Set<string>): JsonValue {
  if (!Array.isArray(value)) return value
  return value.map(item => (isFields(item) ? supported(item as JsonObject, changed) : item))
}

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

/** The schema of a tool that the caller wants strict. */
export interface StrictTool {
  /** The path of the tool in the caller's request: `tools[0]`. */
  readonly path: string
  /** The schema as the tool has it where it is not strict. */
  readonly schema: JsonObject
  /** The schema that must not ask for an object without named members; `undefined`: none was given. */
  readonly given: JsonObject | undefined
  /** The model has strict tools. */
  readonly structuredOutputs: boolean
}

/**
 * Returns the schema of a strict tool as structured outputs take it. Returns `undefined` for a tool that cannot be
 * strict, and reports that.
 */
export function strictSchema(tool: StrictTool, adjuster: ParameterAdjuster): JsonObject | undefined {
  const { path, given } = tool
  if (!tool.structuredOutputs) {
    adjuster.drop(`${path}.function.strict`, 'this model has no strict tools')
    return undefined
  }
  if (given !== undefined && holdsMap(given)) {
    adjuster.drop(`${path}.function.strict`, 'an object in its schema does not name its members')
    return undefined
  }
  const { schema, changed } = supportedSchema(tool.schema)
  if (changed.length > 0) {
    adjuster.map(`${path}.function.parameters`, `strict tools take no ${changed.join(', ')} as given`)
  }
  return schema
}

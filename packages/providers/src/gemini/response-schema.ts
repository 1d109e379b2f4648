import type { JsonObject, JsonValue } from '@sluice/core/provider'

/** A schema that Gemini takes, and the keywords that had to be left out of it. */
export interface ResponseSchema {
  readonly schema: JsonObject
  readonly leftOut: readonly string[]
}

/** Keywords of `responseJsonSchema` (GenerationConfig), by the kind of their value. */
const plain = [
  '$id',
  '$ref',
  '$anchor',
  'type',
  'format',
  'title',
  'description',
  'enum',
  'minItems',
  'maxItems',
  'minimum',
  'maximum',
  'required',
  'propertyOrdering',
]
const ofSchema: readonly string[] = ['items', 'additionalProperties']
const ofSchemas: readonly string[] = ['prefixItems', 'anyOf', 'oneOf']
const ofNamed: readonly string[] = ['properties', '$defs']
const known: ReadonlySet<string> = new Set([...plain, ...ofSchema, ...ofSchemas, ...ofNamed])

/**
 * A JSON Schema with the keywords that Gemini knows. `definitions` becomes `$defs`, `const` an `enum`; beside a
 * `$ref` only what begins with `$` may stand. Everything else is left out and named.
 */
export function responseSchema(schema: JsonObject): ResponseSchema {
  const leftOut = new Set<string>()
  return { schema: supportedSubset(schema, leftOut), leftOut: [...leftOut] }
}

function supportedSubset(schema: JsonObject, leftOut: Set<string>): JsonObject {
  const entries: [string, JsonValue][] = []
  const refers = typeof schema.$ref === 'string'
  for (const [given, value] of Object.entries(schema)) {
    if (value === undefined) continue
    const [keyword, content] = renamed(given, value)
    if (!known.has(keyword) || (refers && !keyword.startsWith('$'))) leftOut.add(given)
    else entries.push([keyword, inner(keyword, content, leftOut)])
  }
  return Object.fromEntries(entries)
}

function renamed(keyword: string, value: JsonValue): readonly [string, JsonValue] {
  if (keyword === 'definitions') return ['$defs', value]
  if (keyword === 'const') return ['enum', [value]]
  if (keyword === '$ref' && typeof value === 'string') {
    return [keyword, value.replace(/^#\/definitions\//, '#/$defs/')]
  }
  return [keyword, value]
}

function inner(keyword: string, value: JsonValue, leftOut: Set<string>): JsonValue {
  if (ofSchema.includes(keyword)) return one(value, leftOut)
  if (ofSchemas.includes(keyword) && isArray(value)) return value.map(item => one(item, leftOut))
  if (ofNamed.includes(keyword) && isObject(value)) {
    const named = Object.entries(value).map(([name, item]) => [name, one(item ?? null, leftOut)] as const)
    return Object.fromEntries(named)
  }
  return value
}

/** A schema may also be `true` or `false`. */
function one(value: JsonValue, leftOut: Set<string>): JsonValue {
  return isObject(value) ? supportedSubset(value, leftOut) : value
}

function isArray(value: JsonValue): value is readonly JsonValue[] {
  return Array.isArray(value)
}

function isObject(value: JsonValue): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

import { shorten } from './wording.ts'

type Context = readonly string[]

/**
 * What keeps a JSON Schema from being used strictly (protocol section 1.2): every object has to refuse
 * further properties and to require all of its own. `undefined`: nothing.
 */
export function strictSchemaFault(schema: unknown, context: Context = []): string | undefined {
  if (!isObject(schema)) return undefined
  return (
    objectFault(schema, context) ??
    inside(schema.properties, [...context, 'properties']) ??
    inside(schema.$defs, [...context, '$defs']) ??
    inside(schema.definitions, [...context, 'definitions']) ??
    strictSchemaFault(schema.items, [...context, 'items']) ??
    inside(schema.anyOf, [...context, 'anyOf'])
  )
}

function objectFault(schema: Record<string, unknown>, context: Context): string | undefined {
  const { type, properties } = schema
  const isObjectSchema = type === 'object' || (Array.isArray(type) && type.includes('object'))
  if (!isObjectSchema && !isObject(properties)) return undefined
  if (schema.additionalProperties !== false) {
    return `In context=${contextText(context)}, 'additionalProperties' is required to be supplied and to be false.`
  }
  const required = new Set<unknown>(Array.isArray(schema.required) ? schema.required : [])
  const missing = isObject(properties) ? Object.keys(properties).find(key => !required.has(key)) : undefined
  if (missing === undefined) return undefined
  return `In context=${contextText(context)}, 'required' is required to be supplied and to be an array including every key in properties. Missing '${shorten(missing)}'.`
}

/** Looks into the schemas of a map or a list. */
function inside(schemas: unknown, context: Context): string | undefined {
  if (typeof schemas !== 'object' || schemas === null) return undefined
  for (const [key, schema] of Object.entries(schemas)) {
    const fault = strictSchemaFault(schema, [...context, key])
    if (fault !== undefined) return fault
  }
  return undefined
}

/** `('properties', 'city')`, of which a long one keeps its end. */
function contextText(context: Context): string {
  const shown = context.slice(-8).map(step => `'${shorten(step)}'`)
  return `(${context.length > 8 ? '..., ' : ''}${shown.join(', ')})`
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

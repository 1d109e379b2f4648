import { shorten } from '../protocol/error-messages.ts'

/** A path in a schema, as a linked list. It is formatted only for an error. */
interface Context {
  readonly outer: Context | undefined
  readonly step: string
}

/**
 * Returns why a JSON Schema cannot be used with `strict`, or `undefined` if it can: every object must
 * reject additional properties and require all of its own.
 */
export function strictSchemaIssue(schema: unknown, context?: Context): string | undefined {
  if (!isObject(schema)) return undefined
  return (
    objectIssue(schema, context) ??
    inside(schema.properties, 'properties', context) ??
    inside(schema.$defs, '$defs', context) ??
    inside(schema.definitions, 'definitions', context) ??
    (isObject(schema.items)
      ? strictSchemaIssue(schema.items, { outer: context, step: 'items' })
      : undefined) ??
    inside(schema.anyOf, 'anyOf', context)
  )
}

function objectIssue(schema: Record<string, unknown>, context: Context | undefined): string | undefined {
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

/** Checks the schemas of a map or a list. */
function inside(schemas: unknown, step: string, outer: Context | undefined): string | undefined {
  if (typeof schemas !== 'object' || schemas === null) return undefined
  const within = { outer, step }
  for (const [key, schema] of Object.entries(schemas)) {
    const fault = strictSchemaIssue(schema, { outer: within, step: key })
    if (fault !== undefined) return fault
  }
  return undefined
}

/** Formats a path: `('properties', 'city')`. Of a long one only the end is shown. */
function contextText(context: Context | undefined): string {
  const steps: string[] = []
  for (let at = context; at !== undefined; at = at.outer) steps.unshift(at.step)
  const shown = steps.slice(-8).map(step => `'${shorten(step)}'`)
  return `(${steps.length > 8 ? '..., ' : ''}${shown.join(', ')})`
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

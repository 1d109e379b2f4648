import { isFields } from './shape.ts'

/** A value that is valid for a JSON Schema, in its words of JSON Schema or of OpenAPI; always the same. */
export function exampleValue(schema: unknown, root = schema): unknown {
  if (!isFields(schema)) return null
  if (typeof schema.$ref === 'string') return exampleValue(resolved(schema.$ref, root), root)
  if (schema.const !== undefined) return schema.const
  if (Array.isArray(schema.enum)) return schema.enum[0]
  for (const key of ['anyOf', 'oneOf', 'allOf']) {
    const options = schema[key]
    if (Array.isArray(options) && options.length > 0) return exampleValue(options[0], root)
  }
  const type = Array.isArray(schema.type) ? schema.type[0] : schema.type
  switch (String(type).toLowerCase()) {
    case 'string':
      return 'Ada'
    case 'integer':
    case 'number':
      return 36
    case 'boolean':
      return true
    case 'null':
      return null
    case 'array':
      return [exampleValue(schema.items ?? { type: 'string' }, root)]
    default:
      return Object.fromEntries(
        Object.entries(isFields(schema.properties) ? schema.properties : {}).map(([key, inner]) => [
          key,
          exampleValue(inner, root),
        ]),
      )
  }
}

/** What a reference within the same schema points to: `#/$defs/person`. */
function resolved(reference: string, root: unknown): unknown {
  return reference
    .split('/')
    .slice(1)
    .reduce<unknown>((value, step) => (isFields(value) ? value[step] : undefined), root)
}

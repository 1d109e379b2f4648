import { suggest } from '../issues/issue-list.ts'
import { isPlainObject, openObject, ownValue } from '../shape/collections.ts'
import type { Definitions, JsonSchema } from '../shape/json-schema.ts'
import type { Shape } from '../shape/shape.ts'
import { vendors } from './vendors.ts'

const types = Object.keys(vendors)
const typeMember = { shape: { read: (value: unknown) => value, schema: () => ({ enum: types }) } }

/** A vendor and its options, under a name; a function is one that is made already. */
export const providerShape: Shape = {
  read: (value, location) => {
    if (typeof value === 'function') return value
    if (!isPlainObject(value)) {
      // It is likely to be a key.
      const got = typeof value === 'string' ? 'a string' : location.describe(value)
      return location.add({ got, expected: 'an object with its options, such as { apiKey }' })
    }
    const name = String(location.path.at(-1))
    const given = ownValue(value, 'type')
    const type = given ?? name
    if (typeof type === 'string' && Object.hasOwn(vendors, type)) {
      return openObject({ type: typeMember, ...vendors[type]!.members }).read(value, location)
    }
    const expected = `a vendor: one of ${types.join(', ')}`
    if (given !== undefined) {
      const fix = typeof given === 'string' ? suggest(given, types) : undefined
      return location.at('type').reject(given, expected, fix)
    }
    const fix = "If it speaks the chat-completions protocol, add type: 'openai-compatible' and a baseURL."
    return location.add({
      got: 'a name that is not a vendor, and no type',
      expected,
      fix: suggest(name, types) ?? fix,
    })
  },
  schema: typedProvider,
}

/** All providers: those whose name is a vendor's need no type. */
export const providersSchema = (definitions: Definitions): JsonSchema => ({
  type: 'object',
  properties: Object.fromEntries(
    types.map(type => [type, { anyOf: [vendorSchema(type, definitions), typedProvider(definitions)] }]),
  ),
  additionalProperties: typedProvider(definitions),
})

function typedProvider(definitions: Definitions): JsonSchema {
  return definitions.refer('TypedProvider', () => ({
    anyOf: types.map(type => ({ allOf: [vendorSchema(type, definitions)], required: ['type'] })),
  }))
}

function vendorSchema(type: string, definitions: Definitions): JsonSchema {
  return definitions.refer(`provider-${type}`, () =>
    openObject({
      type: { shape: { read: value => value, schema: () => ({ const: type }) } },
      ...vendors[type]!.members,
    }).schema(definitions),
  )
}

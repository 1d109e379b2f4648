import * as z from 'zod/mini'
import type { JsonObject, JsonValue } from '../protocol/chat.ts'
import { type SchemaShape, shapeOf } from './fast-schema.ts'

type AnySchema = z.core.$ZodType

/** Names of the schemas that become components of the document. */
export type SchemaNames = ReadonlyMap<AnySchema, string>

/** JSON Schemas of the rules that are functions. */
export type DescribedRules = ReadonlyMap<unknown, JsonObject>

/** The path of components in the document. */
export const componentsPath = '#/components/schemas/'

/** Converts request schemas to JSON Schema (draft 2020-12). Named schemas are collected and referenced. */
export class JsonSchemas {
  /** The named schemas that were converted so far. */
  readonly named: Record<string, JsonObject> = {}
  readonly #names: SchemaNames
  readonly #rules: DescribedRules

  constructor(names: SchemaNames, rules: DescribedRules) {
    this.#names = names
    this.#rules = rules
  }

  /** Converts a schema. Throws `Error` for a rule without a description. */
  of(schema: AnySchema): JsonObject {
    const name = this.#names.get(schema)
    return name === undefined
      ? this.#unnamed(schema)
      : this.#referred(name, () => this.#unnamed(schema, name))
  }

  #referred(name: string, make: () => JsonObject): JsonObject {
    if (!Object.hasOwn(this.named, name)) {
      // Set first, so that outer schemas come before the inner ones.
      this.named[name] = {}
      this.named[name] = make()
    }
    return { $ref: componentsPath + name }
  }

  #unnamed(schema: AnySchema, name?: string): JsonObject {
    const form = shapeOf(schema)
    if (form === undefined) return zodSchema(schema)
    if ('object' in form) return this.object(form.object)
    if ('list' in form) return this.#list(form)
    if ('map' in form) {
      return { type: 'object', additionalProperties: this.of(form.map), ...this.#ruleOf(form.keys) }
    }
    if ('either' in form) return { anyOf: form.either.map(kind => this.of(kind)) }
    if ('variants' in form) return this.#tagged(form, name)
    if ('nullable' in form) return orNull(this.of(form.nullable))
    if ('maybe' in form) return orNull(this.of(form.maybe))
    return { ...this.of(form.base), ...this.#ruleOf(form.rule) }
  }

  /** Converts an object with these members, and any others. */
  object(shape: Readonly<Record<string, AnySchema>>): JsonObject {
    const members = Object.entries(shape)
    if (members.length === 0) return { type: 'object' }
    const required = members.flatMap(([name, schema]) => (isOptional(schema) ? [] : [name]))
    return {
      type: 'object',
      properties: Object.fromEntries(members.map(([name, schema]) => [name, this.of(schema)])),
      ...(required.length === 0 ? {} : { required }),
    }
  }

  #list({ list, min, max }: Extract<SchemaShape, { list: unknown }>): JsonObject {
    return {
      type: 'array',
      items: this.of(list),
      ...(min > 0 ? { minItems: min } : {}),
      ...(Number.isFinite(max) ? { maxItems: max } : {}),
    }
  }

  #tagged({ tag, variants }: Extract<SchemaShape, { tag: string }>, name: string | undefined): JsonObject {
    const all = Object.entries(variants).map(([value, schema]) => {
      const make = () => withTag(this.of(schema), tag, value)
      return { value, schema: name === undefined ? make() : this.#referred(pascal(value) + name, make) }
    })
    if (all.length === 1) return all[0]!.schema
    const oneOf = all.map(({ schema }) => schema)
    if (name === undefined) return { oneOf }
    const mapping = Object.fromEntries(all.map(({ value, schema }) => [value, schema.$ref]))
    return { oneOf, discriminator: { propertyName: tag, mapping } }
  }

  #ruleOf(rule: unknown): JsonObject {
    if (rule === undefined) return {}
    const described = this.#rules.get(rule)
    if (described === undefined) throw new Error('A rule of the schemas has no description.')
    return described
  }
}

/** Returns a schema that also accepts `null`. */
export function orNull(schema: JsonObject): JsonObject {
  const { type, anyOf } = schema
  if (Array.isArray(type) && type.includes('null')) return schema
  if (typeof type === 'string' && !('const' in schema)) {
    const values = Array.isArray(schema.enum) ? { enum: [...schema.enum, null] } : {}
    return { ...schema, type: [type, 'null'], ...values }
  }
  const kinds: readonly JsonValue[] = Array.isArray(anyOf) && type === undefined ? anyOf : [schema]
  return { anyOf: [...kinds, { type: 'null' }] }
}

function isOptional(schema: AnySchema): boolean {
  const form = shapeOf(schema)
  return form !== undefined && 'maybe' in form
}

function withTag(schema: JsonObject, tag: string, value: string): JsonObject {
  const properties = schema.properties as JsonObject | undefined
  if (properties?.[tag] !== undefined) return schema
  return { ...schema, properties: { ...properties, [tag]: { const: value } }, required: [tag] }
}

/** Converts a schema of zod. Omits infinite bounds, which zod converts to `null`. */
function zodSchema(schema: AnySchema): JsonObject {
  const { $schema, ...made } = z.toJSONSchema(schema, { io: 'input' })
  return Object.fromEntries(Object.entries(made).filter(([, value]) => value !== null)) as JsonObject
}

function pascal(text: string): string {
  return text.replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
}

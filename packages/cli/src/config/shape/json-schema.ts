/** A JSON Schema of draft 2020-12, as far as it is used. */
export type JsonSchema = { readonly [keyword: string]: unknown }

/** Parts of a schema that others refer to. */
export class Definitions {
  readonly all = new Map<string, JsonSchema | undefined>()

  /** A reference to a part, which is written once. It may hold itself. */
  refer(name: string, make: () => JsonSchema): JsonSchema {
    if (!this.all.has(name)) {
      this.all.set(name, undefined)
      this.all.set(name, make())
    }
    return { $ref: `#/$defs/${name}` }
  }
}

/** The same schema, described. Beside a reference other keywords hold too. */
export function described(schema: JsonSchema, description: string | undefined): JsonSchema {
  return description === undefined ? schema : { description, ...schema }
}

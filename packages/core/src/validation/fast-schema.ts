import type * as z from 'zod/mini'
// By name: all of `z.core` as a value would bring every locale into a bundle.
import { $constructor, $ZodType } from 'zod/v4/core'

export type Schema<T> = z.ZodMiniType<T>
export type Issue = z.core.$ZodRawIssue

/** Adds the issues of a value to an empty list. It allocates nothing for a valid value. */
export type Checker = (value: unknown, issues: Issue[]) => void

/** The structure of a `FastSchema`, from which the API description is generated. Validation does not use it. */
export type SchemaShape =
  | { readonly object: z.core.$ZodLooseShape }
  | { readonly list: z.core.$ZodType; readonly min: number; readonly max: number }
  /** `keys`: the rule for the keys, if there is one. */
  | { readonly map: z.core.$ZodType; readonly keys: unknown }
  | { readonly either: readonly z.core.$ZodType[] }
  | { readonly tag: string; readonly variants: Readonly<Record<string, z.core.$ZodType>> }
  | { readonly nullable: z.core.$ZodType }
  | { readonly maybe: z.core.$ZodType }
  /** `rule`: the additional rule. Absent: the same as the base schema, with a faster check. */
  | { readonly base: z.core.$ZodType; readonly rule?: unknown }

interface FastSchemaDef extends z.core.$ZodTypeDef {
  readonly check: Checker
  readonly form: SchemaShape
}

interface FastSchema extends z.core.$ZodType {
  readonly _zod: z.core.$ZodTypeInternals & { readonly def: FastSchemaDef }
}

/** A schema that is a single function. It is faster than `z.unknown().check(...)`, which matters per message. */
const FastSchema = $constructor<FastSchema, FastSchemaDef>('Judge', (inst, def) => {
  $ZodType.init(inst, def)
  inst._zod.parse = payload => {
    def.check(payload.value, payload.issues)
    return payload
  }
})

export function fastSchema<T>(form: SchemaShape, check: Checker): Schema<T> {
  return new FastSchema({ type: 'custom', check, form }) as unknown as Schema<T>
}

/** Returns the structure of a `FastSchema`, or `undefined` for any other schema. */
export function shapeOf(schema: z.core.$ZodType): SchemaShape | undefined {
  return schema instanceof FastSchema ? schema._zod.def.form : undefined
}

const context: z.core.ParseContextInternal = { async: false }

/** Returns the check of a schema. */
export function checkerOf(schema: z.core.$ZodType): Checker {
  if (schema instanceof FastSchema) return schema._zod.def.check
  return (value, issues) => {
    const result = schema._zod.run({ value, issues: [] }, context) as z.core.ParsePayload
    issues.push(...result.issues)
  }
}

/** Returns a schema that accepts values that pass `plain`, and validates all others with `schema`, which creates the issues. */
export function unless<T>(plain: (value: unknown) => boolean, schema: Schema<T>): Schema<T> {
  const check = checkerOf(schema)
  return fastSchema({ base: schema }, (value, issues) => {
    if (!plain(value)) check(value, issues)
  })
}

/** Prepends a step to the paths of issues. */
export function under(step: PropertyKey, issues: Issue[]): void {
  for (const [index, issue] of issues.entries()) {
    issues[index] = { ...issue, path: [step, ...(issue.path ?? [])] }
  }
}

import type * as z from 'zod/mini'
// By name: all of `z.core` as a value would bring every locale into a bundle.
import { $constructor, $ZodType } from 'zod/v4/core'

export type Schema<T> = z.ZodMiniType<T>
export type Issue = z.core.$ZodRawIssue

/** Adds what is wrong with a value to the issues, of which there are none yet. It makes nothing for a sound one. */
export type Checker = (value: unknown, issues: Issue[]) => void

/** What a judge is made of, so that a description of the API can be made of it too. Checks do not look at it. */
export type SchemaShape =
  | { readonly object: z.core.$ZodLooseShape }
  | { readonly list: z.core.$ZodType; readonly min: number; readonly max: number }
  /** `keys`: the rule for the keys, where there is one. */
  | { readonly map: z.core.$ZodType; readonly keys: unknown }
  | { readonly either: readonly z.core.$ZodType[] }
  | { readonly tag: string; readonly variants: Readonly<Record<string, z.core.$ZodType>> }
  | { readonly nullable: z.core.$ZodType }
  | { readonly maybe: z.core.$ZodType }
  /** `rule`: the function that finds a fault. Absent: the schema itself, said quicker. */
  | { readonly base: z.core.$ZodType; readonly rule?: unknown }

interface JudgeDef extends z.core.$ZodTypeDef {
  readonly check: Checker
  readonly form: SchemaShape
}

interface Judge extends z.core.$ZodType {
  readonly _zod: z.core.$ZodTypeInternals & { readonly def: JudgeDef }
}

/** A schema that is one function. Cheaper than `z.unknown().check(...)`, which matters once per message. */
const Judge = $constructor<Judge, JudgeDef>('Judge', (inst, def) => {
  $ZodType.init(inst, def)
  inst._zod.parse = payload => {
    def.check(payload.value, payload.issues)
    return payload
  }
})

export function fastSchema<T>(form: SchemaShape, check: Checker): Schema<T> {
  return new Judge({ type: 'custom', check, form }) as unknown as Schema<T>
}

/** What a judge is made of; `undefined` for any other schema. */
export function shapeOf(schema: z.core.$ZodType): SchemaShape | undefined {
  return schema instanceof Judge ? schema._zod.def.form : undefined
}

const context: z.core.ParseContextInternal = { async: false }

/** The check that a schema makes: a judge's own, or a run of any other. */
export function checkerOf(schema: z.core.$ZodType): Checker {
  if (schema instanceof Judge) return schema._zod.def.check
  return (value, issues) => {
    const result = schema._zod.run({ value, issues: [] }, context) as z.core.ParsePayload
    issues.push(...result.issues)
  }
}

/** A schema that is only asked about what is not plainly sound: it has the words for what is wrong. */
export function unless<T>(plain: (value: unknown) => boolean, schema: Schema<T>): Schema<T> {
  const check = checkerOf(schema)
  return fastSchema({ base: schema }, (value, issues) => {
    if (!plain(value)) check(value, issues)
  })
}

/** Puts a step before the paths of the issues. */
export function under(step: PropertyKey, issues: Issue[]): void {
  for (const [index, issue] of issues.entries()) {
    issues[index] = { ...issue, path: [step, ...(issue.path ?? [])] }
  }
}

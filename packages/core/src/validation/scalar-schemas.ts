import * as z from 'zod/mini'
import { checkerOf, fastSchema, type Schema, unless } from './fast-schema.ts'

/*
 * Schemas of strings, numbers and booleans. The message of each names the expected type, which validation-error.ts
 * puts into the error message.
 */

/** Returns a schema of a string. `maxLength` counts code points. */
export function text(maxLength = Number.POSITIVE_INFINITY, pattern?: RegExp): Schema<string> {
  const string = z.string({ error: 'a string' }).check(z.maxLength(maxLength, { abort: true }))
  return unless(
    value =>
      typeof value === 'string' &&
      value.length <= maxLength &&
      (pattern === undefined || pattern.test(value)),
    pattern === undefined ? string : string.check(z.regex(pattern)),
  )
}

/** Returns a schema of the name of a function, a tool or a schema. */
export function name(): Schema<string> {
  return text(64, /^[a-zA-Z0-9_-]+$/)
}

export function flag(): Schema<boolean> {
  return unless(value => typeof value === 'boolean', z.boolean({ error: 'a boolean' }))
}

export function decimal(minimum: number, maximum: number): Schema<number> {
  return unless(
    value => typeof value === 'number' && value >= minimum && value <= maximum,
    z
      .number({ error: 'a decimal' })
      .check(z.gte(minimum, { error: 'decimal' }), z.lte(maximum, { error: 'decimal' })),
  )
}

export function integer(minimum: number, maximum: number): Schema<number> {
  return unless(
    value => Number.isSafeInteger(value) && (value as number) >= minimum && (value as number) <= maximum,
    z
      .int({ error: 'an integer' })
      .check(z.gte(minimum, { error: 'integer' }), z.lte(maximum, { error: 'integer' })),
  )
}

/** Returns a schema of one of several strings. Errors list them in this order. */
export function oneOf<const T extends readonly string[]>(values: T): Schema<T[number]> {
  return unless(value => values.includes(value as string), z.enum(values))
}

/** Returns a schema of a single string, for the tag of a discriminated union. */
export function only<const T extends string>(value: T): Schema<T> {
  return unless(given => given === value, z.literal(value))
}

export function nullable<T>(schema: Schema<T>): Schema<T | null> {
  const check = checkerOf(schema)
  return fastSchema({ nullable: schema }, (value, issues) => {
    if (value !== null) check(value, issues)
  })
}

/** Returns a schema of an optional field. `null` means absent. */
export function maybe<T extends z.ZodMiniType>(schema: T): z.ZodMiniExactOptional<T> {
  const check = checkerOf(schema)
  const optional = fastSchema({ maybe: schema }, (value, issues) => {
    if (value !== null && value !== undefined) check(value, issues)
  })
  // The type is that after `withoutNulls`.
  return optional as unknown as z.ZodMiniExactOptional<T>
}

import * as z from 'zod/mini'

/*
 * Strings, numbers and booleans of a request. The message of each schema is the noun that the error texts use
 * for what was expected, as refusal-of-issue.ts wants it.
 */

/** A string. `maxLength` counts UTF-16 units. */
export function text(maxLength?: number, pattern?: RegExp): z.ZodMiniString {
  const schema = z.string({ error: 'a string' })
  const bounded = maxLength === undefined ? schema : schema.check(z.maxLength(maxLength, { abort: true }))
  return pattern === undefined ? bounded : bounded.check(z.regex(pattern))
}

/** The name of a function, a tool or a schema. */
export function name(): z.ZodMiniString {
  return text(64, /^[a-zA-Z0-9_-]+$/)
}

export function flag(): z.ZodMiniBoolean {
  return z.boolean({ error: 'a boolean' })
}

export function decimal(minimum: number, maximum: number): z.ZodMiniNumber {
  return z
    .number({ error: 'a decimal' })
    .check(z.gte(minimum, { error: 'decimal' }), z.lte(maximum, { error: 'decimal' }))
}

export function integer(minimum: number, maximum: number): z.ZodMiniNumber {
  return z
    .int({ error: 'an integer' })
    .check(z.gte(minimum, { error: 'integer' }), z.lte(maximum, { error: 'integer' }))
}

/** One of several strings, which the error text lists in this order. */
export function oneOf<const T extends readonly string[]>(values: T): z.ZodMiniType<T[number]> {
  return z.enum(values)
}

/** A field that may be left out. `null` is the same as left out. */
export function maybe<T extends z.ZodMiniType>(schema: T): z.ZodMiniExactOptional<T> {
  // The type tells what is left when `withoutNulls` has run.
  return z.nullish(schema) as unknown as z.ZodMiniExactOptional<T>
}

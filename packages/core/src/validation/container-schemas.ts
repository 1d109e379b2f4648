import type * as z from 'zod/mini'
import type { ErrorReason } from '../errors/errors.ts'
import type { JsonObject } from '../protocol/chat.ts'
import { type Checker, checkerOf, fastSchema, type Issue, type Schema, under } from './fast-schema.ts'

/*
 * Schemas of objects, lists and alternatives. They copy nothing, allow unknown members, and stop at the first error, so that a
 * hostile body cannot cause thousands of issues.
 */

/** An error with its own message. `where` is the path of the value as in error messages. */
export interface SchemaIssue {
  readonly reason: ErrorReason
  readonly message: (where: string) => string
  /** Returns a path to report instead of that of the value. */
  readonly param?: (where: string) => string
}

/** Returns a schema of an object with these members, and any others. */
export function object<T extends z.core.$ZodLooseShape>(shape: T): z.ZodMiniObject<T, z.core.$strip> {
  const names = Object.keys(shape)
  const checks = names.map(name => checkerOf(shape[name] as z.core.$ZodType))
  const schema = fastSchema({ object: shape }, (value, issues) => {
    if (!isObject(value)) {
      issues.push(wrongType(value, 'an object'))
      return
    }
    for (let index = 0; index < names.length; index++) {
      checks[index]!(value[names[index]!], issues)
      if (issues.length > 0) return under(names[index]!, issues)
    }
  })
  return schema as unknown as z.ZodMiniObject<T, z.core.$strip>
}

/** Returns a schema of any object. */
export function anyObject(): Schema<JsonObject> {
  return fastSchema({ object: {} }, (value, issues) => {
    if (!isObject(value)) issues.push(wrongType(value, 'an object'))
  })
}

/** Adds a rule to a schema. It is applied to valid values only. */
export function where<T>(schema: Schema<T>, fault: (value: T) => SchemaIssue | undefined): Schema<T> {
  const check = checkerOf(schema)
  return fastSchema({ base: schema, rule: fault }, (value, issues) => {
    check(value, issues)
    if (issues.length > 0) return
    const found = fault(value as T)
    if (found !== undefined) issues.push(toIssue(value, found))
  })
}

/** Returns a schema of an array. `noun` is used in errors: "an array of objects". */
export function list<T>(item: Schema<T>, noun: string, min = 0, max = Number.POSITIVE_INFINITY): Schema<T[]> {
  const check = checkerOf(item)
  return fastSchema({ list: item, min, max }, (value, issues) => {
    if (!Array.isArray(value)) {
      issues.push(wrongType(value, noun))
    } else if (value.length < min) {
      issues.push({ code: 'too_small', origin: 'array', minimum: min, inclusive: true, input: value })
    } else if (value.length > max) {
      issues.push({ code: 'too_big', origin: 'array', maximum: max, inclusive: true, input: value })
    } else {
      for (let index = 0; index < value.length; index++) {
        check(value[index], issues)
        if (issues.length > 0) return under(index, issues)
      }
    }
  })
}

/** Returns a schema of a map from any keys to values of one schema. `fault` validates the keys first. */
export function mapOf<T>(
  item: Schema<T>,
  fault?: (keys: readonly string[]) => SchemaIssue | undefined,
): Schema<Record<string, T>> {
  const check = checkerOf(item)
  return fastSchema({ map: item, keys: fault }, (value, issues) => {
    if (!isObject(value)) {
      issues.push(wrongType(value, 'an object'))
      return
    }
    const keys = Object.keys(value)
    const found = fault?.(keys)
    if (found !== undefined) {
      issues.push(toIssue(value, found))
      return
    }
    for (const key of keys) {
      check(value[key], issues)
      if (issues.length > 0) return under(key, issues)
    }
  })
}

/** Returns a schema of a string, an array or an object, each with its own schema. `noun`: "one of a string or object". */
export function either<S = never, A = never, O = never>(
  noun: string,
  kinds: { readonly string?: Schema<S>; readonly array?: Schema<A>; readonly object?: Schema<O> },
): Schema<S | A | O> {
  const string = kinds.string && checkerOf(kinds.string)
  const array = kinds.array && checkerOf(kinds.array)
  const members = kinds.object && checkerOf(kinds.object)
  return fastSchema({ either: Object.values(kinds) }, (value, issues) => {
    const check =
      typeof value === 'string'
        ? string
        : Array.isArray(value)
          ? array
          : isObject(value)
            ? members
            : undefined
    if (check === undefined) issues.push(wrongType(value, noun))
    else check(value, issues)
  })
}

/** Returns a schema of a discriminated union by the member `tag`. */
export function tagged<T extends Record<string, Schema<unknown>>>(
  tag: string,
  variants: T,
): Schema<z.output<T[keyof T]>> {
  const checks = new Map<unknown, Checker>()
  for (const [name, schema] of Object.entries(variants)) checks.set(name, checkerOf(schema))
  const values = Object.keys(variants)
  return fastSchema({ tag, variants }, (value, issues) => {
    if (!isObject(value)) {
      issues.push(wrongType(value, 'an object'))
      return
    }
    const given = Object.hasOwn(value, tag) ? value[tag] : undefined
    const check = checks.get(given)
    if (check !== undefined) check(value, issues)
    else if (typeof given === 'string')
      issues.push({ code: 'invalid_value', values, input: given, path: [tag] })
    else issues.push({ ...wrongType(given, 'a string'), path: [tag] })
  })
}

/**
 * Returns a schema of objects that differ by a name of their kind. One of a kind that is not among the variants needs to be valid by
 * `other` only.
 */
export function ofKind(
  kindOf: (value: Record<string, unknown>) => unknown,
  variants: Readonly<Record<string, Schema<unknown>>>,
  other: Schema<unknown>,
): Schema<object> {
  const checks = new Map<unknown, Checker>()
  for (const [name, schema] of Object.entries(variants)) checks.set(name, checkerOf(schema))
  const otherwise = checkerOf(other)
  return fastSchema({ either: [...Object.values(variants), other] }, (value, issues) => {
    if (isObject(value)) (checks.get(kindOf(value)) ?? otherwise)(value, issues)
    else issues.push(wrongType(value, 'an object'))
  })
}

function wrongType(input: unknown, noun: string): Issue {
  return { code: 'invalid_type', expected: 'custom', input, message: noun }
}

function toIssue(input: unknown, fault: SchemaIssue): Issue {
  return { code: 'custom', input, params: { fault } }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

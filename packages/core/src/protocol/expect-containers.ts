import * as z from 'zod/mini'
// By name: all of `z.core` as a value would bring every locale into a bundle.
import { $constructor, $ZodType } from 'zod/v4/core'
import type { Refusal } from '../errors.ts'
import type { JsonObject } from './chat.ts'

/*
 * Objects, lists and alternatives of a request. They copy nothing, keep what they do not know, and lists and
 * maps stop at their first fault, so that a hostile body cannot collect thousands.
 */

type Schema<T> = z.ZodMiniType<T>
type Issue = z.core.$ZodRawIssue

/** A refusal in words of its own. `where` is the path of the value, as the error texts write it. */
export interface Fault {
  readonly refusal: Refusal
  readonly message: (where: string) => string
  /** Replaces the value's path. */
  readonly param?: (where: string) => string
}

/** An object with these members, and any others. */
export function object<T extends z.core.$ZodLooseShape>(shape: T): z.ZodMiniObject<T, z.core.$strip> {
  return z.object(shape, { error: 'an object' })
}

/** An object of which no more is asked. */
export function anyObject(): Schema<JsonObject> {
  return judge((value, issues) => {
    if (!isObject(value)) issues.push(wrongType(value, 'an object'))
  })
}

/** Adds a rule to a schema. It is asked only of values that the schema takes. */
export function where<T>(schema: Schema<T>, fault: (value: T) => Fault | undefined): Schema<T> {
  return judge((value, issues) => {
    run(schema, value, issues)
    if (issues.length > 0) return
    const found = fault(value as T)
    if (found !== undefined) issues.push(faultIssue(value, found))
  })
}

/** An array. `noun` says what was expected where there is none: "an array of objects". */
export function list<T>(item: Schema<T>, noun: string, min = 0, max = Number.POSITIVE_INFINITY): Schema<T[]> {
  return judge((value, issues) => {
    if (!Array.isArray(value)) {
      issues.push(wrongType(value, noun))
    } else if (value.length < min) {
      issues.push({ code: 'too_small', origin: 'array', minimum: min, inclusive: true, input: value })
    } else if (value.length > max) {
      issues.push({ code: 'too_big', origin: 'array', maximum: max, inclusive: true, input: value })
    } else {
      for (let index = 0; index < value.length && issues.length === 0; index++) {
        run(item, value[index], issues, index)
      }
    }
  })
}

/** An object whose keys are data and whose values are alike. `fault` is asked before the values are. */
export function mapOf<T>(
  item: Schema<T>,
  fault: (keys: readonly string[]) => Fault | undefined = () => undefined,
): Schema<Record<string, T>> {
  return judge((value, issues) => {
    if (!isObject(value)) {
      issues.push(wrongType(value, 'an object'))
      return
    }
    const keys = Object.keys(value)
    const found = fault(keys)
    if (found !== undefined) issues.push(faultIssue(value, found))
    for (let index = 0; index < keys.length && issues.length === 0; index++) {
      run(item, value[keys[index]!], issues, keys[index])
    }
  })
}

/** A string, an array or an object, each with its own schema. `noun`: "one of a string or object". */
export function either<S = never, A = never, O = never>(
  noun: string,
  kinds: { readonly string?: Schema<S>; readonly array?: Schema<A>; readonly object?: Schema<O> },
): Schema<S | A | O> {
  return judge((value, issues) => {
    const schema =
      typeof value === 'string'
        ? kinds.string
        : Array.isArray(value)
          ? kinds.array
          : isObject(value)
            ? kinds.object
            : undefined
    if (schema === undefined) issues.push(wrongType(value, noun))
    else run(schema, value, issues)
  })
}

/** An object whose member `tag` says which of several schemas is its own. */
export function tagged<T extends Record<string, Schema<unknown>>>(
  tag: string,
  variants: T,
): Schema<z.output<T[keyof T]>> {
  const schemas = new Map<unknown, Schema<unknown>>(Object.entries(variants))
  const values = Object.keys(variants)
  return judge((value, issues) => {
    if (!isObject(value)) {
      issues.push(wrongType(value, 'an object'))
      return
    }
    const given = Object.hasOwn(value, tag) ? value[tag] : undefined
    const schema = schemas.get(given)
    if (schema !== undefined) run(schema, value, issues)
    else if (typeof given === 'string')
      issues.push({ code: 'invalid_value', values, input: given, path: [tag] })
    else issues.push({ ...wrongType(given, 'a string'), path: [tag] })
  })
}

type Check = (value: unknown, issues: Issue[]) => void

interface JudgeDef extends z.core.$ZodTypeDef {
  readonly check: Check
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

function judge<T>(check: Check): Schema<T> {
  return new Judge({ type: 'custom', check }) as unknown as Schema<T>
}

const context: z.core.ParseContextInternal = { async: false }

/** Runs a schema and adds its issues, whose paths begin with `step`. */
function run(schema: z.core.$ZodType, value: unknown, issues: Issue[], step?: PropertyKey): void {
  const result = schema._zod.run({ value, issues: [] }, context) as z.core.ParsePayload
  for (const issue of result.issues) {
    issues.push(step === undefined ? issue : { ...issue, path: [step, ...(issue.path ?? [])] })
  }
}

function wrongType(input: unknown, noun: string): Issue {
  return { code: 'invalid_type', expected: 'custom', input, message: noun }
}

function faultIssue(input: unknown, fault: Fault): Issue {
  return { code: 'custom', input, params: { fault } }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

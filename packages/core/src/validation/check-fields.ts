import * as z from 'zod/mini'
import { GatewayError } from '../errors/errors.ts'
import { type Checker, checkerOf, type Issue } from './fast-schema.ts'
import { toValidationError } from './validation-error.ts'

interface Field {
  readonly schema: z.ZodMiniType
  readonly check: Checker
  /** Its place in the order in which faults are reported. */
  readonly place: number
}

/** The top-level fields that a request may have, by name. */
export type Fields = ReadonlyMap<string, Field>

/** Prepares the schemas of fields, in the order in which their faults are reported. Takes milliseconds: do it once. */
export function fieldsFrom(schemas: Readonly<Record<string, z.ZodMiniType>>): Fields {
  return new Map(
    Object.entries(schemas).map(([name, schema], place) => [
      name,
      { schema, check: checkerOf(schema), place },
    ]),
  )
}

/**
 * Holds every field of a request to its schema. Returns the names of those that have none; `undefined` where all have
 * one.
 *
 * @param given - the fields that the caller sent, without those that are `null`.
 * @throws GatewayError 400 for the fault of the field that comes first in `fields`.
 */
export function checkFields(
  given: Readonly<Record<string, unknown>>,
  fields: Fields,
): readonly string[] | undefined {
  let faulty: string | undefined
  let place = Number.POSITIVE_INFINITY
  let issues: Issue[] = []
  let extra: string[] | undefined
  for (const key of Object.keys(given)) {
    const field = fields.get(key)
    if (field === undefined) {
      extra ??= []
      extra.push(key)
      continue
    }
    if (field.place > place) continue
    field.check(given[key], issues)
    if (issues.length === 0) continue
    issues = []
    faulty = key
    place = field.place
  }
  if (faulty === undefined) return extra
  const { schema } = fields.get(faulty)!
  const [issue] = z.safeParse(schema, given[faulty], { reportInput: true }).error?.issues ?? []
  throw issue === undefined ? new GatewayError('invalid_request') : toValidationError(faulty, issue)
}

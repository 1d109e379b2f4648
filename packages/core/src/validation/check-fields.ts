import * as z from 'zod/mini'
import { GatewayError } from '../errors/errors.ts'
import { type Checker, checkerOf, type Issue } from './fast-schema.ts'
import { toValidationError } from './validation-error.ts'

interface Field {
  readonly schema: z.ZodMiniType
  readonly check: Checker
  /** Its position in the order in which errors are reported. */
  readonly position: number
}

/** The top-level fields that a request may have, by name. */
export type Fields = ReadonlyMap<string, Field>

/** Prepares the schemas of fields, in the order in which errors are reported. It takes milliseconds: do it once. */
export function fieldsFrom(schemas: Readonly<Record<string, z.ZodMiniType>>): Fields {
  return new Map(
    Object.entries(schemas).map(([name, schema], position) => [
      name,
      { schema, check: checkerOf(schema), position },
    ]),
  )
}

/**
 * Validates each field of a request. Returns the names of unknown fields, or `undefined` if there are none.
 *
 * @param given - the fields of the request, without those that are `null`.
 * @throws GatewayError 400 for the invalid field that comes first in `fields`.
 */
export function checkFields(
  given: Readonly<Record<string, unknown>>,
  fields: Fields,
): readonly string[] | undefined {
  let invalidField: string | undefined
  let position = Number.POSITIVE_INFINITY
  let issues: Issue[] = []
  let extra: string[] | undefined
  for (const key of Object.keys(given)) {
    const field = fields.get(key)
    if (field === undefined) {
      extra ??= []
      extra.push(key)
      continue
    }
    if (field.position > position) continue
    field.check(given[key], issues)
    if (issues.length === 0) continue
    issues = []
    invalidField = key
    position = field.position
  }
  if (invalidField === undefined) return extra
  const { schema } = fields.get(invalidField)!
  const [issue] = z.safeParse(schema, given[invalidField], { reportInput: true }).error?.issues ?? []
  throw issue === undefined ? new GatewayError('invalid_request') : toValidationError(invalidField, issue)
}

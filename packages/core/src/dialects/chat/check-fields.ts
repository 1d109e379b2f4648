import * as z from 'zod/mini'
import { GatewayError } from '../../errors/errors.ts'
import { type Check, checkOf, type Issue } from '../../validation/judge.ts'
import { refusalOfIssue } from '../../validation/refusal-of-issue.ts'
import { type FieldSchemas, fieldSchemas } from './schema.ts'

interface Field {
  readonly schema: z.ZodMiniType
  readonly check: Check
  /** Its place in the order in which faults are reported. */
  readonly place: number
}

type Fields = ReadonlyMap<string, Field>

/** Made when first asked for: a service uses one profile, and making schemas takes milliseconds. */
const profiles: { schema?: Fields; live?: Fields } = {}

/**
 * Holds every field of a request to its schema. Returns the names of those that the protocol does not have; `undefined`
 * where there are none.
 *
 * @param given - the fields that the caller sent, without those that are `null`.
 * @throws GatewayError 400 for the fault that comes first in protocol section 4.3.
 */
export function checkFields(
  given: Readonly<Record<string, unknown>>,
  live: boolean,
): readonly string[] | undefined {
  const fields = fieldsOf(live)
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
  throw issue === undefined ? new GatewayError('invalid_request') : refusalOfIssue(faulty, issue)
}

/** Whether the protocol names a top-level field. */
export function isKnownField(key: string): boolean {
  return fieldsOf(false).has(key)
}

function fieldsOf(live: boolean): Fields {
  const profile = live ? 'live' : 'schema'
  profiles[profile] ??= byName(fieldSchemas(live))
  return profiles[profile]
}

function byName(schemas: FieldSchemas): Fields {
  return new Map(
    Object.entries(schemas).map(([name, schema], place) => [name, { schema, check: checkOf(schema), place }]),
  )
}

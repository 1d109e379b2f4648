import { dereference, type Schema, validate } from '@cfworker/json-schema'
import { type JsonObject, type JsonValue, objectOf } from '../json-value.ts'

/** Returns where a value does not fit a schema, as a path in the schema; `undefined` if it fits. */
export type SchemaCheck = (value: unknown) => string | undefined

const draft = '2020-12'
const maxPathLength = 200

/** Thrown for a schema that is invalid, or takes too long to check. */
export class SchemaError extends Error {}

/** Returns the check of a schema that is trusted. Throws `SchemaError` for an invalid one. */
export function schemaCheck(schema: unknown): SchemaCheck {
  // Checks add members to a schema.
  return checkerOf(structuredClone(schema))
}

/**
 * Returns the check of a caller's schema, which may be made to take long. It ignores `pattern`, `patternProperties`, `format` and
 * `uniqueItems`, and throws `SchemaError` after a number of steps.
 *
 * @param now - returns milliseconds.
 */
export function guardedSchemaCheck(schema: unknown, now: () => number): SchemaCheck {
  const budget = new Budget(now)
  const check = checkerOf(guarded(schema as JsonValue, budget))
  return value => {
    budget.start()
    return check(value)
  }
}

function checkerOf(schema: unknown): SchemaCheck {
  if (objectOf(schema) === undefined && typeof schema !== 'boolean')
    throw new SchemaError('The JSON schema is no object.')
  const given = schema as Schema | boolean
  const known = attempt(() => dereference(given))
  for (const each of Object.values(known)) {
    const reference = typeof each === 'object' ? (each.__absolute_ref__ ?? each.$ref) : undefined
    if (reference !== undefined && known[reference] === undefined) {
      throw new SchemaError('The JSON schema refers to another one, which is not in it.')
    }
  }
  return value => {
    const { valid, errors } = attempt(() => validate(value, given, draft, known))
    return valid ? undefined : (errors.at(-1)?.keywordLocation ?? '#').slice(0, maxPathLength)
  }
}

/** Also a schema that refers to itself without an end. */
function attempt<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    if (error instanceof SchemaError) throw error
    throw new SchemaError('The JSON schema is invalid.', { cause: error })
  }
}

const maxSteps = 200_000
const maxMs = 200

/** How much a check may still do. */
class Budget {
  readonly #now: () => number
  #steps = 0
  #until = 0

  constructor(now: () => number) {
    this.#now = now
  }

  start(): void {
    this.#steps = 0
    this.#until = this.#now() + maxMs
  }

  spend(steps: number): void {
    this.#steps += steps
    if (this.#steps > maxSteps || this.#now() > this.#until)
      throw new SchemaError('The JSON schema takes too long to check.')
  }
}

/** Their time is not bounded by the length of the response. */
const ignored: ReadonlySet<string> = new Set(['pattern', 'patternProperties', 'format', 'uniqueItems'])
/** Members whose values are schemas: one or a list of them, or an object with schemas as members. */
const single: ReadonlySet<string> = new Set(
  (
    'additionalItems unevaluatedItems items contains additionalProperties unevaluatedProperties propertyNames not if then else ' +
    'prefixItems allOf anyOf oneOf'
  ).split(' '),
)
const mapped: ReadonlySet<string> = new Set([
  '$defs',
  'definitions',
  'properties',
  'dependentSchemas',
  'dependencies',
])

/** Returns a copy of a schema each of whose parts spends of a budget whenever it is applied. */
function guarded(schema: JsonValue, budget: Budget): JsonValue {
  if (schema === true) return guarded({}, budget)
  if (schema === false) return guarded({ not: {} }, budget)
  const given = objectOf(schema)
  if (given === undefined) return schema
  const { type } = given
  let steps = 1
  const members = Object.entries(given).flatMap(([name, value]): [string, unknown][] => {
    if (value === undefined || ignored.has(name)) return []
    const object = objectOf(value)
    steps += Array.isArray(value) ? value.length : object === undefined ? 0 : Object.keys(object).length
    if (single.has(name))
      return [
        [
          name,
          Array.isArray(value)
            ? value.map(each => guarded(each as JsonValue, budget))
            : guarded(value, budget),
        ],
      ]
    if (mapped.has(name) && object !== undefined) return [[name, guardedMembers(object, budget)]]
    return [[name, value]]
  })
  // It is read whenever the schema is applied, and at no other time.
  return Object.defineProperty(Object.fromEntries(members), 'type', {
    enumerable: true,
    get: () => {
      budget.spend(steps)
      return type
    },
  }) as JsonValue
}

function guardedMembers(object: JsonObject, budget: Budget): JsonObject {
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [
      name,
      Array.isArray(value) ? value : guarded(value ?? {}, budget),
    ]),
  )
}

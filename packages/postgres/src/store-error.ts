import type { Schema } from './schema.ts'

/** PostgreSQL's names for a table, a schema or a column that is not there. */
const missing = new Set(['42P01', '3F000', '42703'])

/** Messages of `pg` errors without a code. */
const knownMessages = new Set([
  'timeout exceeded when trying to connect',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Connection terminated',
  'Query read timeout',
  'Cannot use a pool after calling end on the pool',
])

/**
 * A failed query. Its message has only the error's code: the client's own message can contain SQL, values, hosts and user
 * names.
 */
export class PostgresError extends Error {
  /** The SQLSTATE (five characters), or the system's code of a failed connection, such as `ECONNREFUSED`. */
  readonly code: string | undefined
  /** Whether the tables are missing, or older than this package needs. */
  readonly unmigrated: boolean

  constructor(message: string, code: string | undefined, unmigrated = false) {
    super(message)
    this.name = 'PostgresError'
    this.code = code
    this.unmigrated = unmigrated
  }
}

export function postgresError(error: unknown, schema: Schema): PostgresError {
  const code = errorCode(error)
  if (code !== undefined && missing.has(code)) return unmigratedError(schema, code)
  const message = error instanceof Error ? error.message : ''
  const known = code ?? (knownMessages.has(message) ? message : undefined)
  return new PostgresError(`The PostgreSQL query failed${known ? ` (${known})` : ''}.`, code)
}

export function unmigratedError({ name }: Schema, code?: string): PostgresError {
  const flag = name === 'sluice' ? '' : ` --schema ${name}`
  return new PostgresError(
    `The tables in schema '${name}' are missing, or older than this package needs. Run \`npx sluice-postgres migrate${flag}\` first.`,
    code,
    true,
  )
}

/** Returns the code of an error, if it looks like a code. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  const { code } = error
  return typeof code === 'string' && /^[0-9A-Z_]{3,40}$/.test(code) ? code : undefined
}

/**
 * Error codes at which a row can be read though it cannot be changed: a read-only standby, a full disk, a user who may only
 * read.
 */
const unwritable = new Set(['25006', '53100', '42501'])

/** Whether a statement failed only because it writes. */
export function isUnwritable(error: unknown): boolean {
  return error instanceof PostgresError && unwritable.has(error.code ?? '')
}

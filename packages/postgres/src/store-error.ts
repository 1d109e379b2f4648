import type { Schema } from './schema.ts'

/** PostgreSQL's names for a table, a schema or a column that is not there. */
const missing = new Set(['42P01', '3F000', '42703'])

/** What `pg` says without a code. */
const knownMessages = new Set([
  'timeout exceeded when trying to connect',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Connection terminated',
  'Query read timeout',
  'Cannot use a pool after calling end on the pool',
])

/**
 * A failure of the database in our own words. What a client throws may quote SQL, values, hosts and names of users:
 * of that only the code is told.
 */
export class PostgresError extends Error {
  /** PostgreSQL's five characters, or the system's name for a failed connection. */
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
  return new PostgresError(`PostgreSQL did not do what it was asked${known ? ` (${known})` : ''}.`, code)
}

export function unmigratedError({ name }: Schema, code?: string): PostgresError {
  const flag = name === 'sluice' ? '' : ` --schema ${name}`
  return new PostgresError(
    `The tables in schema '${name}' are missing, or older than this package needs. Run \`npx sluice-postgres migrate${flag}\` first.`,
    code,
    true,
  )
}

/** The code that a failure has, where it is a code and nothing else. */
export function errorCode(error: unknown): string | undefined {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined
  const { code } = error
  return typeof code === 'string' && /^[0-9A-Z_]{3,40}$/.test(code) ? code : undefined
}

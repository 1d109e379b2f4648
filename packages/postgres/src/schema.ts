/** The validated name of a schema, and the name quoted for SQL. */
export interface Schema {
  readonly name: string
  readonly sql: string
}

/**
 * Throws `TypeError` for an invalid name. Names that need quotes in other tools (upper case, spaces) are refused, and so
 * are names that PostgreSQL reserves.
 */
export function parseSchema(name: unknown = 'sluice'): Schema {
  if (typeof name === 'string' && /^[a-z_][a-z0-9_]{0,62}$/.test(name) && !name.startsWith('pg_')) {
    return { name, sql: `"${name}"` }
  }
  throw new TypeError(
    'schema: expected at most 63 lower-case letters, digits and _, beginning with a letter or _, and not with pg_.',
  )
}

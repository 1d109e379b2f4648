/** A schema's name, checked, and as SQL writes it. */
export interface Schema {
  readonly name: string
  readonly sql: string
}

/**
 * Throws `TypeError` for a name that is none. Names that would need care elsewhere (upper case, spaces, quotes) are
 * refused, and so is what PostgreSQL keeps for itself.
 */
export function parseSchema(name: unknown = 'sluice'): Schema {
  if (typeof name === 'string' && /^[a-z_][a-z0-9_]{0,62}$/.test(name) && !name.startsWith('pg_')) {
    return { name, sql: `"${name}"` }
  }
  throw new TypeError(
    'schema: expected at most 63 lower-case letters, digits and _, beginning with a letter or _, and not with pg_.',
  )
}

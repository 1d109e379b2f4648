/**
 * Returns a text column of a row. All queries return text, because other types depend on the client and its settings.
 * Throws for a row without a text in the column.
 */
export function textColumn(row: unknown, name: string): string {
  const value = nullableTextColumn(row, name)
  if (value === null) throw new Error(`The client of PostgreSQL gave a row without a text in '${name}'.`)
  return value
}

export function nullableTextColumn(row: unknown, name: string): string | null {
  const value = typeof row === 'object' && row !== null ? (row as Record<string, unknown>)[name] : undefined
  if (typeof value === 'string' || value === null) return value
  throw new Error(`The client of PostgreSQL gave a row without a text in '${name}'.`)
}

/** Parses a text column as a whole number. Throws for any other text. */
export function integerColumn(row: unknown, name: string): number {
  const text = textColumn(row, name)
  if (/^-?\d+$/.test(text)) return Number(text)
  throw new Error(`The client of PostgreSQL gave '${name}' as something else than a whole number.`)
}

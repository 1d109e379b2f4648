/** A value that a statement takes. */
export type SqlValue = null | string | number | bigint | boolean

/** A row, by the names of its columns. */
export type SqlRow = Readonly<Record<string, unknown>>

/** A statement with its arguments. */
export type SqlStatement = string | { readonly sql: string; readonly args?: readonly SqlValue[] }

/** One connection of a library for SQLite. Its errors have SQLite's name of the result as `code`, such as `SQLITE_BUSY`. */
export interface SqliteDriver {
  /** Returns the rows of one statement. */
  read(sql: string, args: readonly SqlValue[]): Promise<readonly SqlRow[]>
  /** Runs all statements in one transaction that writes. Resolves to the number of rows that each changed. */
  write(statements: readonly SqlStatement[]): Promise<readonly number[]>
  close(): void
}

/** Opens a connection. Throws the library's error if the file cannot be opened. */
export type OpenDriver = (location: {
  readonly url: string
  /** `undefined` for a database in memory. */
  readonly path: string | undefined
}) => SqliteDriver

/** SQLite's own busy timeout, in milliseconds. It blocks the event loop, so it is short. */
export const blockingMs = 20

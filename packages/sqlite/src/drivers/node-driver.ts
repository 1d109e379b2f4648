import { blockingMs, type OpenDriver, type SqlRow, type SqlStatement, type SqlValue } from './driver.ts'

/** What is used of the module `node:sqlite`. */
interface NodeSqlite {
  readonly DatabaseSync: new (
    path: string,
    options: { readonly enableForeignKeyConstraints: boolean },
  ) => NodeDatabase
}

interface NodeDatabase {
  exec(sql: string): void
  prepare(sql: string): NodeStatement
  close(): void
}

interface NodeStatement {
  all(...args: NodeValue[]): readonly SqlRow[]
  run(...args: NodeValue[]): { readonly changes: number | bigint }
}

type NodeValue = null | string | number | bigint

/** Returns the module `node:sqlite`; `undefined` where the runtime has none: it came with Node 22.13. */
export function nodeSqlite(): NodeSqlite | undefined {
  const { getBuiltinModule } = process as { getBuiltinModule?: (name: string) => unknown }
  return getBuiltinModule?.('node:sqlite') as NodeSqlite | undefined
}

/** Opens files by `node:sqlite`. Each call runs to its end before it returns. */
export function nodeDriver({ DatabaseSync }: NodeSqlite): OpenDriver {
  return ({ path = ':memory:' }) => {
    const database = withCode(() => new DatabaseSync(path, { enableForeignKeyConstraints: false }))
    // With a write-ahead log, what is written is with the operating system at once, and on the disk at the next
    // checkpoint: it outlives the process, and not all of it a power failure. If it cannot be set, all is only slower.
    try {
      database.exec(`PRAGMA busy_timeout = ${blockingMs}; PRAGMA synchronous = NORMAL`)
    } catch {
      // What is wrong with the file is reported by the first statement.
    }
    return {
      read: async (sql, args) => withCode(() => database.prepare(sql).all(...args.map(toNode))),
      write: async statements => withCode(() => writeAll(database, statements)),
      close: () => database.close(),
    }
  }
}

function writeAll(database: NodeDatabase, statements: readonly SqlStatement[]): readonly number[] {
  database.exec('BEGIN IMMEDIATE')
  try {
    const changes = statements.map(statement => {
      const { sql, args = [] } = typeof statement === 'string' ? { sql: statement } : statement
      return Number(database.prepare(sql).run(...args.map(toNode)).changes)
    })
    database.exec('COMMIT')
    return changes
  } catch (error) {
    rollBack(database)
    throw error
  }
}

/** SQLite itself has rolled back where that fails. */
function rollBack(database: NodeDatabase): void {
  try {
    database.exec('ROLLBACK')
  } catch {}
}

/** `node:sqlite` takes no boolean, and a number as a float: a whole one is an integer only as a bigint. */
function toNode(value: SqlValue): NodeValue {
  if (typeof value === 'boolean') return value ? 1n : 0n
  return Number.isSafeInteger(value) ? BigInt(value as number) : value
}

/** The results of SQLite that are errors, by their numbers. */
const resultNames = [
  ...['OK', 'ERROR', 'INTERNAL', 'PERM', 'ABORT', 'BUSY', 'LOCKED', 'NOMEM', 'READONLY', 'INTERRUPT'],
  ...['IOERR', 'CORRUPT', 'NOTFOUND', 'FULL', 'CANTOPEN', 'PROTOCOL', 'EMPTY', 'SCHEMA', 'TOOBIG'],
  ...['CONSTRAINT', 'MISMATCH', 'MISUSE', 'NOLFS', 'AUTH', 'FORMAT', 'RANGE', 'NOTADB'],
]

/** Runs it; an error of SQLite gets the name of its result as its `code`. */
function withCode<T>(run: () => T): T {
  try {
    return run()
  } catch (error) {
    const number = (error as { errcode?: unknown })?.errcode
    // The upper bits say more than the name does.
    const name = typeof number === 'number' ? resultNames[number & 0xff] : undefined
    if (name !== undefined) Object.assign(error as object, { code: `SQLITE_${name}` })
    throw error
  }
}

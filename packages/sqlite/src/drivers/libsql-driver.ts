import { blockingMs, type OpenDriver, type SqlRow, type SqlStatement, type SqlValue } from './driver.ts'

/** What is used of a client of `@libsql/client`. */
interface LibsqlClient {
  execute(statement: string | LibsqlStatement): Promise<{ readonly rows: readonly unknown[] }>
  batch(
    statements: (string | LibsqlStatement)[],
    mode: 'write',
  ): Promise<readonly { readonly rowsAffected: number }[]>
  close(): void
}

interface LibsqlStatement {
  sql: string
  args: SqlValue[]
}

/** The module `@libsql/client/sqlite3`. */
export interface LibsqlModule {
  createClient(config: { url: string; concurrency: number; timeout: number }): LibsqlClient
}

/** Opens files by `@libsql/client`. */
export function libsqlDriver({ createClient }: LibsqlModule): OpenDriver {
  return ({ url }) => {
    // A second connection would have settings of its own; and to memory, data of its own.
    const client = createClient({ url, concurrency: 1, timeout: blockingMs })
    // With a write-ahead log, what is written is with the operating system at once, and on the disk at the next
    // checkpoint: it outlives the process, and not all of it a power failure. If it cannot be set, all is only slower.
    client.execute('PRAGMA synchronous = NORMAL').catch(() => {})
    return {
      read: async (sql, args) => (await client.execute({ sql, args: [...args] })).rows as readonly SqlRow[],
      write: async statements => {
        const results = await client.batch(statements.map(toLibsql), 'write')
        return results.map(({ rowsAffected }) => rowsAffected)
      },
      close: () => client.close(),
    }
  }
}

function toLibsql(statement: SqlStatement): string | LibsqlStatement {
  return typeof statement === 'string' ? statement : { sql: statement.sql, args: [...(statement.args ?? [])] }
}

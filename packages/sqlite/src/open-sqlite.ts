import { existsSync } from 'node:fs'
import { configurationError } from '@sluice/core/adapter'
import { type KeyStoreOptions, keyStore } from '@sluice/core/keys'
import { type BatchedLedgerOptions, batchedLedger } from '@sluice/core/ledger'
import type { Database } from '@sluice/core/store'
import { sqliteAlertStore } from './alert-store.ts'
import { sqliteBodyLogRepository } from './body-log-repository.ts'
import { Connection } from './connection.ts'
import { createDatabaseFile } from './create-database-file.ts'
import { chooseDriver, NoDriverError } from './drivers/choose-driver.ts'
import type { LibsqlModule } from './drivers/libsql-driver.ts'
import { sqliteKeyRepository } from './key-repository.ts'
import { sqliteLedgerRepository } from './ledger-repository.ts'
import { type Location, openError, parseLocation, SqliteError } from './location.ts'
import { expectMigrated, migrate, SchemaVersionError, schemaVersion } from './migrate.ts'
import { sqliteRequestLogRepository } from './request-log-repository.ts'

/** The location of the database. */
export interface SqliteLocation {
  /** `file:` and a path, such as `file:./sluice.db`, or `:memory:` for a database that ends with the process. */
  readonly url: string
}

/** Options of `openSqlite()`. */
export interface SqliteOptions extends BatchedLedgerOptions, KeyStoreOptions {
  /**
   * Whether to create and migrate the tables on open. Default true. If false, `openSqlite` rejects a file that is missing
   * or of an older version; run `npx sluice-sqlite migrate` first.
   */
  readonly migrate?: boolean | undefined
  /**
   * The library that opens the file: `'node'` for `node:sqlite`, or the module `@libsql/client/sqlite3`. Default: `node:sqlite`
   * where the runtime has it (Node 22.13 and newer), else the installed `@libsql/client`. Both read and write the same
   * files; in one process, open a file by one of them only: neither sees the other's locks.
   */
  readonly driver?: 'node' | LibsqlModule | undefined
  /** The timeout of a ledger write while another process holds the file, in milliseconds. Default 1,000. */
  readonly timeoutMs?: number | undefined
}

const connections = new WeakMap<Database, Connection>()

/** Returns the connection of a database that `openSqlite` opened; `undefined` for any other value. */
export function connectionOf(database: Database): Connection | undefined {
  return connections.get(database)
}

/**
 * Opens an SQLite file with keys, the ledger and the request log, and creates it if it is missing. Several processes of one machine can
 * open the same file. A new file is readable and writable by its owner only.
 *
 * Stored data survives a crash of the process. A power failure can lose the last records, but does not damage the file.
 *
 * Rejects with `ConfigurationError` for an invalid `url` or option, with `SqliteError` if the file cannot be read and
 * written or is damaged or there is no library for it, and with an error if the file is of a newer version.
 */
export async function openSqlite(location: SqliteLocation, given: SqliteOptions = {}): Promise<Database> {
  const at = parseLocation('openSqlite()', location?.url)
  // Without what another library has added to `Object.prototype`.
  const options: SqliteOptions = Object.assign(Object.create(null), given)
  const migrates: unknown = options.migrate ?? true
  if (typeof migrates !== 'boolean') {
    throw configurationError('openSqlite()', ['migrate'], migrates, 'true or false')
  }
  const driver: unknown = options.driver
  if (driver !== undefined && driver !== 'node' && !isLibsql(driver)) {
    throw configurationError(
      'openSqlite()',
      ['driver'],
      driver,
      '"node" or the module @libsql/client/sqlite3',
    )
  }
  // SQLite creates a missing file when it is opened.
  if (!migrates && (at.path === undefined || !existsSync(at.path))) expectMigrated(0, at.url)
  const connection = await openConnection(at, migrates, options.driver)
  try {
    const rows = sqliteLedgerRepository(connection)
    const timeoutMs = options.timeoutMs ?? 1_000
    const ledgerOptions: BatchedLedgerOptions = Object.assign(Object.create(null), options, { timeoutMs })
    const ledger = batchedLedger(rows, ledgerOptions)
    let closing: Promise<void> | undefined
    const close = async () => {
      try {
        await ledger.stop()
        // The file is valid without it.
        await connection.checkpoint().catch(() => {})
      } finally {
        connection.close()
      }
    }
    const database: Database = {
      keys: keyStore(sqliteKeyRepository(connection), options),
      ledger,
      requestLog: sqliteRequestLogRepository(connection),
      bodyLog: sqliteBodyLogRepository(connection),
      alertStore: sqliteAlertStore(connection),
      usage: query => rows.usage(query),
      migrate: () => migrate(connection),
      close: () => {
        closing ??= close()
        return closing
      },
    }
    connections.set(database, connection)
    return database
  } catch (error) {
    connection.close()
    throw error
  }
}

function isLibsql(driver: unknown): boolean {
  return typeof driver === 'object' && driver !== null && 'createClient' in driver
}

async function openConnection(
  at: Location,
  migrates: boolean,
  given: SqliteOptions['driver'],
): Promise<Connection> {
  let connection: Connection | undefined
  const driver = await chooseDriver(given).catch((error: unknown) => {
    throw error instanceof NoDriverError
      ? new SqliteError('openSqlite()', `${at.url} cannot be opened: ${error.message}`)
      : error
  })
  if (migrates) createDatabaseFile(at)
  try {
    connection = await Connection.open(at.url, driver)
    if (!migrates) expectMigrated(await schemaVersion(connection), at.url)
    await connection.useWriteAheadLog()
    if (migrates) await migrate(connection)
    // Changes nothing, and fails if the file is read-only.
    await connection.write(['DELETE FROM sluice_migration WHERE version < 0'])
    return connection
  } catch (error) {
    connection?.close()
    throw error instanceof SchemaVersionError ? error : openError('openSqlite()', at, error)
  }
}

import { existsSync } from 'node:fs'
import { configurationError } from '@sluice/core/adapter'
import { type KeyStoreOptions, keyStore } from '@sluice/core/keys'
import { type BatchedLedgerOptions, batchedLedger } from '@sluice/core/ledger'
import type { Database } from '@sluice/core/store'
import { Connection } from './connection.ts'
import { sqliteKeyRows } from './key-rows.ts'
import { sqliteLedgerRows } from './ledger-rows.ts'
import { type Location, locationOf, openError } from './location.ts'
import { makeFile } from './make-file.ts'
import { expectMigrated, migrate, schemaVersion, WrongVersion } from './migrate.ts'

/** Where the database is. */
export interface SqliteLocation {
  /** `file:` and a path, such as `file:./sluice.db`, or `:memory:` for one that ends with the process. */
  readonly url: string
}

/** How keys and records are kept. */
export interface SqliteOptions extends BatchedLedgerOptions, KeyStoreOptions {
  /**
   * Whether a file that is new or of an older version is brought up to date when it is opened. Default true. With
   * false it is refused, for those who run `npx sluice-sqlite migrate` themselves.
   */
  readonly migrate?: boolean
  /** Longest wait for the file, in milliseconds; then it counts as away. Default 1,000: another process may hold it. */
  readonly timeoutMs?: number
}

/**
 * Opens an SQLite file that keeps keys and the ledger; makes it where there is none. Several processes of one machine
 * may have it open. A file that it makes is for its owner alone.
 *
 * What it has kept survives a crash of the process. Of the last moments before a power failure records may be lost, but
 * the file is sound.
 *
 * Throws `ConfigurationError` for a `url` or options that are none, and rejects where the file cannot be read and written, is
 * damaged, or is of a newer version.
 */
export async function openSqlite(location: SqliteLocation, given: SqliteOptions = {}): Promise<Database> {
  const at = locationOf('openSqlite()', location?.url)
  // Without what another library has added to `Object.prototype`.
  const options: SqliteOptions = Object.assign(Object.create(null), given)
  const migrates: unknown = options.migrate ?? true
  if (typeof migrates !== 'boolean') {
    throw configurationError('openSqlite()', ['migrate'], migrates, 'true or false')
  }
  // To look at a file that is not there would make it.
  if (!migrates && (at.path === undefined || !existsSync(at.path))) expectMigrated(0, at.url)
  const connection = await opened(at, migrates)
  try {
    const rows = sqliteLedgerRows(connection)
    const timeoutMs = options.timeoutMs ?? 1_000
    const kept: BatchedLedgerOptions = Object.assign(Object.create(null), options, { timeoutMs })
    const ledger = batchedLedger(rows, kept)
    let closing: Promise<void> | undefined
    const close = async () => {
      try {
        await ledger.stop()
        // The file is sound without it.
        await connection.checkpoint().catch(() => {})
      } finally {
        connection.close()
      }
    }
    return {
      keys: keyStore(sqliteKeyRows(connection), options),
      ledger,
      usage: query => rows.usage(query),
      migrate: () => migrate(connection),
      close: () => {
        closing ??= close()
        return closing
      },
    }
  } catch (error) {
    connection.close()
    throw error
  }
}

async function opened(at: Location, migrates: boolean): Promise<Connection> {
  let connection: Connection | undefined
  if (migrates) makeFile(at)
  try {
    connection = await Connection.open(at.url)
    await connection.useWriteAheadLog()
    if (migrates) await migrate(connection)
    else expectMigrated(await schemaVersion(connection), at.url)
    // Changes nothing, but fails where nothing can be changed.
    await connection.write(['DELETE FROM sluice_migration WHERE version < 0'])
    return connection
  } catch (error) {
    connection?.close()
    throw error instanceof WrongVersion ? error : openError('openSqlite()', at, error)
  }
}

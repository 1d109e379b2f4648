import { configurationError } from '@sluice/core/adapter'
import { type KeyStoreOptions, keyStore } from '@sluice/core/keys'
import { type BatchedLedgerOptions, batchedLedger } from '@sluice/core/ledger'
import type { Database, Journal } from '@sluice/core/store'
import { postgresAlertStore } from './alert-store.ts'
import { postgresBodyLogRepository } from './body-log-repository.ts'
import type { PostgresClient } from './client.ts'
import { fileJournal } from './journal/file-journal.ts'
import { postgresKeyRepository } from './key-repository.ts'
import { postgresLedgerRepository } from './ledger-repository.ts'
import { type MigrationStatus, migrateTables, migrationStatus } from './migrate.ts'
import { Queries } from './queries.ts'
import { postgresRequestLogRepository } from './request-log-repository.ts'
import { parseSchema, type Schema } from './schema.ts'
import { PostgresError, unmigratedError } from './store-error.ts'

/** Options of `openPostgres()`. */
export interface PostgresOptions extends Omit<BatchedLedgerOptions, 'journal'>, KeyStoreOptions {
  /** The schema with the tables. Default `sluice`. */
  readonly schema?: string | undefined
  /**
   * Stores records while the database is unavailable: a local directory for `fileJournal`, or another journal. Default:
   * records wait in memory, and a crash loses them.
   */
  readonly journal?: string | Journal | undefined
  /**
   * Whether to create and migrate the tables on open. Default false: `openPostgres` rejects tables that are missing or of
   * an older version; run `npx sluice-postgres migrate` first.
   */
  readonly migrate?: boolean | undefined
}

/** The timeout of the version check on open, in milliseconds. */
const startMs = 5_000

/** How an open database runs queries, and whether it has been closed. */
export interface DatabaseConnection {
  readonly queries: Queries
  isClosed(): boolean
}

const connections = new WeakMap<Database, DatabaseConnection>()

/** Returns the connection of a database that `openPostgres` opened; `undefined` for any other value. */
export function connectionOf(database: Database): DatabaseConnection | undefined {
  return connections.get(database)
}

/**
 * Opens keys, the ledger and the request log in PostgreSQL, with any client that has `query(text, params)`, such as a `Pool` of `pg`. You
 * own the client: `close` does not end it, and a pool needs a listener for its `error` events.
 *
 * A gateway can start while the database is unreachable, unless `migrate` is true. Rejects with `ConfigurationError` or
 * `TypeError` for invalid options, with `PostgresError` if the tables are missing, too old or not readable, and with an
 * error if the journal's directory is not writable.
 */
export async function openPostgres(client: PostgresClient, given: PostgresOptions = {}): Promise<Database> {
  if (typeof client?.query !== 'function') {
    const expected = "a client with query(text, params), such as a Pool of 'pg'"
    throw configurationError('openPostgres()', [], client, expected)
  }
  // Without what another library has added to `Object.prototype`.
  const options: PostgresOptions = Object.assign(Object.create(null), given)
  const schema = parseSchema(options.schema)
  const migrates: unknown = options.migrate ?? false
  if (typeof migrates !== 'boolean')
    throw configurationError('openPostgres()', ['migrate'], migrates, 'true or false')
  const queries = new Queries(client, schema)
  const keys = keyStore(postgresKeyRepository(queries), options)
  const journal = toJournal(options.journal)
  await ensureMigrated(client, schema, migrates)
  const rows = postgresLedgerRepository(queries)
  const ledgerOptions: BatchedLedgerOptions = Object.assign(Object.create(null), options, { journal })
  const ledger = batchedLedger(rows, ledgerOptions)
  let closing: Promise<void> | undefined
  const database: Database = {
    keys,
    ledger,
    requestLog: postgresRequestLogRepository(queries),
    bodyLog: postgresBodyLogRepository(queries),
    alertStore: postgresAlertStore(queries),
    usage: query => rows.usage(query),
    migrate: () => migrateTables(client, schema),
    close: () => {
      closing ??= ledger.stop()
      return closing
    },
  }
  connections.set(database, { queries, isClosed: () => closing !== undefined })
  return database
}

function toJournal(journal: PostgresOptions['journal']): Journal | undefined {
  return typeof journal === 'string' ? fileJournal(journal) : journal
}

async function ensureMigrated(client: PostgresClient, schema: Schema, migrates: boolean): Promise<void> {
  const status = await statusWithinTimeout(client, schema).catch((error: unknown) => {
    // A migration needs the database.
    if (migrates || !isTransient(error)) throw error
  })
  if (status === undefined || !isBehind(status)) return
  if (!migrates) throw unmigratedError(schema)
  await migrateTables(client, schema)
}

async function statusWithinTimeout(client: PostgresClient, schema: Schema): Promise<MigrationStatus> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    const error = new PostgresError(
      `PostgreSQL did not answer within ${startMs} ms. Check the network and the server.`,
      undefined,
    )
    timer = setTimeout(reject, startMs, error)
  })
  try {
    return await Promise.race([migrationStatus(client, schema), late])
  } finally {
    clearTimeout(timer)
  }
}

function isBehind({ version, needed }: MigrationStatus): boolean {
  return version < needed
}

/** Whether a failure is transient: of the network, or of a server that starts, stops or is full. */
function isTransient(error: unknown): boolean {
  if (!(error instanceof PostgresError)) return false
  return !error.unmigrated && /^(?:$|E[A-Z]|08|53|57)/.test(error.code ?? '')
}

import { configurationError } from '@sluice/core/adapter'
import { type KeyStoreOptions, keyStore } from '@sluice/core/keys'
import { type BatchedLedgerOptions, batchedLedger } from '@sluice/core/ledger'
import type { Database, Journal } from '@sluice/core/store'
import type { PostgresClient } from './client.ts'
import { fileJournal } from './journal/file-journal.ts'
import { postgresKeyRows } from './key-rows.ts'
import { postgresLedgerRows } from './ledger-rows.ts'
import { type MigrationStatus, migrateTables, migrationStatus } from './migrate.ts'
import { Queries } from './queries.ts'
import { type Schema, schemaOf } from './schema.ts'
import { PostgresError, unmigratedError } from './store-error.ts'

/** How keys and records are kept. */
export interface PostgresOptions extends Omit<BatchedLedgerOptions, 'journal'>, KeyStoreOptions {
  /** Where the tables are. Default `sluice`. */
  readonly schema?: string
  /**
   * What keeps records while the database is away: a directory of this machine for `fileJournal`, or another journal.
   * Without one they wait in memory, and a crash loses them.
   */
  readonly journal?: string | Journal
  /**
   * Whether tables that are missing or of an older version are made when it is opened. Default false: then they are
   * refused, and `npx sluice-postgres migrate` makes them.
   */
  readonly migrate?: boolean
}

/** How long a database that says nothing holds up the start, in milliseconds. */
const startMs = 5_000

/**
 * Keeps keys and the ledger in PostgreSQL, by any client that has `query(text, params)`, such as a `Pool` of `pg`. The
 * client stays yours: `close` does not end it, and a pool needs a listener for its `error` events.
 *
 * A database that cannot be reached at the moment does not keep a gateway from starting, but for one that is to migrate
 * it. Throws `ConfigurationError` for bad options, and rejects where the tables are missing or too old, where the client may not read them, and where the
 * directory of the journal cannot be written.
 */
export async function openPostgres(client: PostgresClient, given: PostgresOptions = {}): Promise<Database> {
  if (typeof client?.query !== 'function') {
    const expected = "a client with query(text, params), such as a Pool of 'pg'"
    throw configurationError('openPostgres()', [], client, expected)
  }
  // Without what another library has added to `Object.prototype`.
  const options: PostgresOptions = Object.assign(Object.create(null), given)
  const schema = schemaOf(options.schema)
  const migrates: unknown = options.migrate ?? false
  if (typeof migrates !== 'boolean')
    throw configurationError('openPostgres()', ['migrate'], migrates, 'true or false')
  const queries = new Queries(client, schema)
  const keys = keyStore(postgresKeyRows(queries), options)
  const journal = journalOf(options.journal)
  await checked(client, schema, migrates)
  const rows = postgresLedgerRows(queries)
  const kept: BatchedLedgerOptions = Object.assign(Object.create(null), options, { journal })
  const ledger = batchedLedger(rows, kept)
  let closing: Promise<void> | undefined
  return {
    keys,
    ledger,
    usage: query => rows.usage(query),
    migrate: () => migrateTables(client, schema),
    close: () => {
      closing ??= ledger.stop()
      return closing
    },
  }
}

function journalOf(journal: PostgresOptions['journal']): Journal | undefined {
  return typeof journal === 'string' ? fileJournal(journal) : journal
}

async function checked(client: PostgresClient, schema: Schema, migrates: boolean): Promise<void> {
  const status = await statusInTime(client, schema).catch((error: unknown) => {
    // What is to be made has to be reached.
    if (migrates || !isPassing(error)) throw error
  })
  if (status === undefined || !isBehind(status)) return
  if (!migrates) throw unmigratedError(schema)
  await migrateTables(client, schema)
}

async function statusInTime(client: PostgresClient, schema: Schema): Promise<MigrationStatus> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<never>((_, reject) => {
    const error = new PostgresError(`PostgreSQL did not answer within ${startMs} milliseconds.`, undefined)
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

/** Whether a failure is of the network or of a server that is starting, stopping or full: it passes by itself. */
function isPassing(error: unknown): boolean {
  if (!(error instanceof PostgresError)) return false
  return !error.unmigrated && /^(?:$|E[A-Z]|08|53|57)/.test(error.code ?? '')
}

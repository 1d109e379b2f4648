import { existsSync } from 'node:fs'
import { isAbsolute, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { ConfigurationError, type Pepper } from '@sluice/core'
import { issueText } from '@sluice/core/adapter'
import type { Database, Journal, ResponseStore, ResponseStoreOptions } from '@sluice/core/store'
import { fileJournal, openPostgres, postgresResponseStore } from '@sluice/postgres'
import { openSqlite, SqliteError, sqliteResponseStore } from '@sluice/sqlite'
import type { Pool } from 'pg'
import { CommandError } from '../command.ts'
import type { StateConfig } from '../config/config.ts'
import { databaseTimeoutMs } from '../config/database-timeout.ts'
import { isPostgres } from '../config/sections/state-shape.ts'
import { reportConnection } from './report-connection.ts'
import type { StateContext, StateOptions } from './state-context.ts'
import { loadPg, loadSqlite } from './state-packages.ts'

/** The default timeout of a write to the ledger in PostgreSQL, in milliseconds. */
const ledgerWriteMs = 250

export interface OpenDatabase {
  readonly database: Database
  responseStore(options: ResponseStoreOptions): ResponseStore
  close(): Promise<void>
}

/** `undefined` for a file that is not there and is not to be made. Rejects with `CommandError` for what cannot be opened. */
export async function openDatabase(
  config: StateConfig,
  context: StateContext,
  options: StateOptions,
): Promise<OpenDatabase | undefined> {
  const url = config.database!
  const pepper = pepperOf(config.pepper)
  const settings = {
    ...(pepper !== undefined && { pepper }),
    ...(context.observe !== undefined && { observe: context.observe }),
  }
  try {
    if (isPostgres(url)) {
      const journal = options.journal === true ? openJournal(config, context) : undefined
      const timeoutMs = databaseTimeoutMs(config, ledgerWriteMs)
      return await postgres(
        url,
        { ...settings, timeoutMs, ...(journal !== undefined && { journal }) },
        context,
      )
    }
    return await sqlite(url, settings, context, options)
  } catch (error) {
    if (error instanceof CommandError || !(error instanceof Error)) throw error
    throw new CommandError(`state.database: ${reasonOf(error)}`)
  }
}

/** The stores speak in their own words, and never of a password. */
function reasonOf(error: Error): string {
  if (ConfigurationError.is(error)) return `${error.issues.map(issueText).join('; ')}.`
  return error instanceof SqliteError ? error.reason : error.message
}

type Settings = { readonly pepper?: Pepper; readonly observe?: NonNullable<StateContext['observe']> }

async function sqlite(
  url: string,
  settings: Settings,
  context: StateContext,
  { create = true, migrate = true }: StateOptions,
): Promise<OpenDatabase | undefined> {
  const path = /^file:(?!\/)(.+)$/.exec(url)?.[1]
  // The library's own relative paths begin where the process is.
  const at = path === undefined || isAbsolute(path) ? url : fileUrl(resolve(context.cwd, path))
  if (!create && path !== undefined && !existsSync(resolve(context.cwd, path))) return undefined
  const driver = await loadSqlite(context.cwd)
  const database = await openSqlite({ url: at }, { ...settings, driver, migrate })
  return {
    database,
    responseStore: options => sqliteResponseStore(database, options),
    close: () => database.close(),
  }
}

function fileUrl(path: string): string {
  return `file:${pathToFileURL(path).pathname}`
}

function openJournal({ journal }: StateConfig, { cwd }: StateContext): Journal | undefined {
  if (journal === undefined) return undefined
  try {
    return fileJournal(resolve(cwd, journal))
  } catch {
    throw new CommandError(
      'state.journal: the folder cannot be created or written. Choose a path that this process may write.',
    )
  }
}

async function postgres(
  url: string,
  settings: Settings & { readonly timeoutMs: number; readonly journal?: Journal },
  context: StateContext,
): Promise<OpenDatabase> {
  const pool = await poolOf(url, context.cwd)
  const news = reportConnection('PostgreSQL', context.log)
  pool.on('error', news.failed)
  pool.on('connect', news.works)
  try {
    const database = await openPostgres(pool, settings)
    return {
      database,
      responseStore: options => postgresResponseStore(database, options),
      close: async () => {
        try {
          await database.close()
        } finally {
          await pool.end()
        }
      },
    }
  } catch (error) {
    await pool.end().catch(() => {})
    throw error
  }
}

/** The package is loaded only where there is a PostgreSQL. What it says of a URL may quote it. */
async function poolOf(url: string, folder: string): Promise<Pool> {
  const pg = await loadPg(folder)
  try {
    // The pool looks at the URL with its first connection, which is too late to tell.
    new pg.Client(url)
    return new pg.Pool({ connectionString: url, connectionTimeoutMillis: 2_000, query_timeout: 10_000 })
  } catch {
    throw new CommandError(
      "state.database is not a valid URL for pg, or references a file that cannot be read. Expected 'postgres://user:password@host:5432/name'; percent-encode special characters of the password, such as %40 for @.",
    )
  }
}

function pepperOf(pepper: StateConfig['pepper']): Pepper | undefined {
  return typeof pepper === 'string' ? { v1: pepper } : pepper
}

import { accessSync, constants } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { CommandError } from '../command.ts'
import { codeOf } from '../command-line/error-code.ts'
import type { StateConfig } from '../config/config.ts'
import { isAbsent } from '../keys/with-database.ts'
import { openDatabase } from '../state/open-database.ts'
import { loadPg, loadSqlite } from '../state/state-packages.ts'
import { error, type Finding, ofCommandError, ok, warning } from './finding.ts'

const check = 'database'

/**
 * Checks that a database can be reached, has the tables of this version, and can be written. Creates and changes nothing.
 * Never rejects.
 */
export async function checkDatabase(
  config: StateConfig & { readonly database: string },
  cwd: string,
  deadlineMs: number,
): Promise<Finding> {
  const isPostgres = /^postgres(?:ql)?:/i.test(config.database)
  try {
    if (isPostgres) return await checkPostgres(config, cwd, deadlineMs)
    await loadSqlite(cwd)
    if (config.database === ':memory:') return ok(check, 'in memory: keys and usage are lost at the end')
    if (isAbsent(config.database, cwd)) return checkFolder(config.database, cwd)
    await openAndClose(config, cwd)
    return ok(check, 'the SQLite file is of this version, and can be written')
  } catch (failure) {
    if (!(failure instanceof CommandError)) throw failure
    if (/is of version \d+, expected/.test(failure.message)) {
      return warning(
        check,
        'The SQLite file is of an older version.',
        'sluice serve migrates it when it starts. Back the file up first.',
      )
    }
    const [, problem, migrate] = /^(.*?) Run `(npx sluice-postgres migrate[^`]*)`/.exec(failure.message) ?? []
    if (problem !== undefined)
      return error(check, problem, `Set DATABASE_URL to the URL of state.database, and run: ${migrate}`)
    const fix = isPostgres
      ? 'Check state.database, and that the server runs and accepts this user.'
      : 'Check state.database, and that this process may read and write the file and its folder.'
    return ofCommandError(check, failure, fix)
  }
}

async function openAndClose(config: StateConfig, cwd: string): Promise<void> {
  const opened = await openDatabase(config, { cwd, log: () => {} }, { create: false, migrate: false })
  await opened?.close()
}

/** A missing file is created by whoever opens it first. */
function checkFolder(url: string, cwd: string): Finding {
  const folder = dirname(fileURLToPath(new URL(url, `${pathToFileURL(resolve(cwd)).href}/`)))
  try {
    accessSync(folder, constants.W_OK | constants.X_OK)
    return ok(check, 'the SQLite file is not there yet: sluice serve creates it')
  } catch (failure) {
    return error(
      check,
      `The folder of the SQLite file cannot be written (${codeOf(failure) ?? 'unknown'}).`,
      'Create the folder, and let this process write to it.',
    )
  }
}

async function checkPostgres(
  config: StateConfig & { readonly database: string },
  cwd: string,
  deadlineMs: number,
): Promise<Finding> {
  const { Client } = await loadPg(cwd)
  const fix = 'Check state.database, and that the server runs and can be reached from this machine.'
  let client: InstanceType<typeof Client>
  try {
    client = new Client({
      connectionString: config.database,
      connectionTimeoutMillis: deadlineMs,
      query_timeout: deadlineMs,
    })
  } catch {
    return error(check, 'state.database is no URL that pg can read.', fix)
  }
  client.on('error', () => {})
  let version: string
  try {
    await client.connect()
    const { rows } = await client.query<{ version: string; standby: boolean; read_only: string }>(
      `SELECT current_setting('server_version') AS version, pg_is_in_recovery() AS standby,
current_setting('default_transaction_read_only') AS read_only`,
    )
    const [row] = rows
    version = String(row?.version).split(' ')[0]!
    if (row?.standby || row?.read_only === 'on') {
      return error(
        check,
        `PostgreSQL ${version} is read-only: a standby, or a read-only session.`,
        'Set state.database to the primary server.',
      )
    }
  } catch (failure) {
    return error(check, `Cannot use PostgreSQL (${codeOf(failure) ?? reasonOf(failure)}).`, fix)
  } finally {
    await client.end().catch(() => {})
  }
  // It says so where tables are missing or old.
  await openAndClose(config, cwd)
  return ok(check, `PostgreSQL ${version} has the tables of this version`)
}

/** Why `pg` itself gives up, which has no code. */
function reasonOf(failure: unknown): string {
  const message = failure instanceof Error ? failure.message : ''
  if (/timeout/i.test(message)) return 'timeout'
  if (/SSL/.test(message)) return 'the server does not support TLS'
  if (/SASL|password/.test(message)) return 'the password is missing or not accepted'
  return 'the connection was closed'
}

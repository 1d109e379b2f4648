import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { KeyStore } from '@sluice/core'
import type { StoredKey } from '@sluice/core/keys'
import type { Database, ResponseStore } from '@sluice/core/store'
import { type Command, type CommandContext, CommandError, type Values } from '../command.ts'
import { textOf } from '../command-line/arguments.ts'
import { printable } from '../command-line/printable.ts'
import type { StateConfig } from '../config/config.ts'
import { configsIn } from '../config/load/find-config.ts'
import { devDatabaseFile, devDatabaseUrl, makeDevFolder } from '../dev/dev-database.ts'

/** A database that is open, and what it is called in messages. */
export interface NamedDatabase {
  readonly keys: Database['keys']
  readonly ledger: Database['ledger']
  readonly usage: Database['usage']
  /** Opens the stores of responses: the database, and Redis if it was opened. */
  responseStores(): readonly ResponseStore[]
  readonly requestLog: Database['requestLog']
  readonly bodyLog: Database['bodyLog']
  readonly label: string
}

/**
 * Opens the database that a command line means, hands it over, and closes it, whatever happens. Rejects with `CommandError`
 * where there is none, it cannot be opened, or it fails.
 *
 * `makes`: whether to create a missing file; otherwise it is an error. `opensRedis`: whether to connect to the Redis of the
 * configuration, too.
 */
export async function withDatabase(
  values: Values,
  context: CommandContext,
  use: (database: NamedDatabase) => Promise<number>,
  { makes = false, opensRedis = false }: { readonly makes?: boolean; readonly opensRedis?: boolean } = {},
): Promise<number> {
  const { state, label, isDev } = await chosenDatabase(values, context)
  if (isDev && makes) makeDevFolder(context.cwd)
  if (!makes && isAbsent(state.database, context.cwd)) {
    const maker = isDev ? 'sluice dev creates it' : 'sluice serve and sluice keys create do this'
    throw new CommandError(
      `There is no ${label} yet: ${maker}. To use another database, pass --config or --database.`,
    )
  }
  const { openState } = await import('../state/open-state.ts')
  const opened = await openState(
    state,
    { cwd: context.cwd, log: context.log },
    opensRedis ? {} : { only: 'database' },
  )
  const { database, close } = opened
  if (database === undefined) throw new Error('A state with a database was opened without one.')
  try {
    const { keys, ledger, requestLog, bodyLog } = database
    const hasRedis = opensRedis && state.redis !== undefined
    if (hasRedis) await opened.connected()
    const responseStores = () => [
      opened.responseStore({ store: 'database' }),
      ...(hasRedis ? [opened.responseStore({ store: 'redis' })] : []),
    ]
    const usage: NamedDatabase['usage'] = query => database.usage(query)
    return await use({ keys, ledger, usage, requestLog, bodyLog, responseStores, label })
  } catch (error) {
    throw toCommandError(error, label)
  } finally {
    await close()
  }
}

/** Whether a URL names a file that is not there: to open it would make it. */
export function isAbsent(url: string, cwd: string): boolean {
  if (!/^file:/i.test(url) || !URL.canParse(url)) return false
  try {
    return !existsSync(fileURLToPath(new URL(url, `${pathToFileURL(cwd).href}/`)))
  } catch {
    // It is none that could be opened, and opening it says so.
    return false
  }
}

/** What a store or its client says is for whoever runs the command; what only a mistake of ours throws is not. */
function toCommandError(error: unknown, label: string): unknown {
  const isBug = error instanceof ReferenceError || error instanceof RangeError
  if (error instanceof CommandError || isBug || !(error instanceof Error)) return error
  return new CommandError(`${label}: ${error.message}`)
}

/** Which database a command is about. */
interface ChosenDatabase {
  readonly state: StateConfig & { readonly database: string }
  /** What it is called in messages: never its URL, which may hold a password. */
  readonly label: string
  /** Whether it is the one of `sluice dev`. */
  readonly isDev: boolean
}

/**
 * The database that `--database` names; else the one of the configuration, `--config` or that of the folder; else the one of
 * `sluice dev`. Rejects with `CommandError` for options that exclude each other, and an invalid configuration.
 */
async function chosenDatabase(values: Values, context: CommandContext): Promise<ChosenDatabase> {
  const named = textOf(values, 'database')
  const file = textOf(values, 'config')
  if (named !== undefined && file !== undefined) {
    throw new CommandError('--database and --config exclude each other. Pass at most one.', 2)
  }
  if (named !== undefined) {
    return { state: { database: named }, label: labelOf(named), isDev: false }
  }
  if (file !== undefined || configsIn(context.cwd).length > 0) {
    const { loadConfig } = await import('../config/load-config.ts')
    const loaded = await loadConfig(file, context)
    const { database, ...others } = loaded.config.state ?? {}
    if (database !== undefined) {
      const state = { ...others, database }
      return { state, label: labelOf(database), isDev: false }
    }
  }
  const database = devDatabaseUrl(context.cwd)
  return { state: { database }, label: devDatabaseFile, isDev: true }
}

function labelOf(url: string): string {
  if (/^postgres(?:ql)?:/i.test(url)) return 'the PostgreSQL database'
  return /^file:/i.test(url) ? url.replace(/^file:(?:\/\/)?/i, '') : 'the database'
}

/** The key with an id. Throws `CommandError` where there is none. */
export async function findKey(keys: KeyStore, id: string, label: string): Promise<StoredKey> {
  const key = await keys.get(id)
  if (key !== undefined) return key
  throw new CommandError(`There is no key ${printable(id)} in ${label}. List the keys with: sluice keys list`)
}

/** Where the keys are: what each command that needs a database takes. */
export const databaseOptions = {
  config: { type: 'string' },
  database: { type: 'string' },
} as const satisfies Command['options']

/** The same for help. */
export const databaseHelp = `  --config FILE     configuration whose database to use. Default: the one in this folder
  --database URL    database to use: file:./sluice.db or postgres://...
                    Default without a configuration: that of sluice dev, .sluice/dev.db`

import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { KeyStore } from '@sluice/core'
import type { StoredKey } from '@sluice/core/keys'
import type { Database } from '@sluice/core/store'
import { type Command, type CommandContext, CommandFault, type Values } from '../command.ts'
import { textOf } from '../command-line/arguments.ts'
import { shown } from '../command-line/shown.ts'
import type { StateConfig } from '../config/config.ts'
import { configsIn } from '../config/load/find-config.ts'
import { devDatabaseFile, devDatabaseUrl, makeDevFolder } from '../dev/dev-database.ts'

/** A database that is open, and what it is called in messages. */
export interface NamedDatabase {
  readonly keys: Database['keys']
  readonly usage: Database['usage']
  readonly place: string
}

/**
 * Opens the database that a command line means, hands it over, and closes it, whatever happens. Rejects with `CommandFault`
 * where there is none, it cannot be opened, or it fails.
 *
 * @param makes - whether a file that is not there is made; else it is a fault.
 */
export async function withDatabase(
  values: Values,
  world: CommandContext,
  use: (database: NamedDatabase) => Promise<number>,
  makes = false,
): Promise<number> {
  const { state, place, isDev } = await chosenDatabase(values, world)
  if (isDev && makes) makeDevFolder(world.cwd)
  if (!makes && isAbsent(state.database, world.cwd)) {
    const maker = isDev ? 'sluice dev makes it' : 'sluice serve and sluice keys create make it'
    throw new CommandFault(
      `There is no ${place} here yet: ${maker}. For another database there are --config and --database.`,
    )
  }
  const { openState } = await import('../state/open-state.ts')
  const { database, close } = await openState(
    state,
    { cwd: world.cwd, tell: world.tell },
    { only: 'database' },
  )
  if (database === undefined) throw new Error('A state with a database was opened without one.')
  try {
    return await use({ keys: database.keys, usage: query => database.usage(query), place })
  } catch (error) {
    throw told(error, place)
  } finally {
    await close()
  }
}

/** Whether a URL names a file that is not there: to open it would make it. */
function isAbsent(url: string, cwd: string): boolean {
  if (!/^file:/i.test(url) || !URL.canParse(url)) return false
  try {
    return !existsSync(fileURLToPath(new URL(url, `${pathToFileURL(cwd).href}/`)))
  } catch {
    // It is none that could be opened, and opening it says so.
    return false
  }
}

/** What a store or its client says is for whoever runs the command; what only a mistake of ours throws is not. */
function told(error: unknown, place: string): unknown {
  const isBug = error instanceof ReferenceError || error instanceof RangeError
  if (error instanceof CommandFault || isBug || !(error instanceof Error)) return error
  return new CommandFault(`${place}: ${error.message}`)
}

/** Which database a command is about. */
interface ChosenDatabase {
  readonly state: StateConfig & { readonly database: string }
  /** What it is called in messages: never its URL, which may hold a password. */
  readonly place: string
  /** Whether it is the one of `sluice dev`. */
  readonly isDev: boolean
}

/**
 * The database that `--database` names; else the one of the configuration, `--config` or that of the folder; else the one of
 * `sluice dev`. Rejects with `CommandFault` for options that exclude each other, and a configuration with a fault.
 */
async function chosenDatabase(values: Values, world: CommandContext): Promise<ChosenDatabase> {
  const named = textOf(values, 'database')
  const file = textOf(values, 'config')
  if (named !== undefined && file !== undefined) {
    throw new CommandFault('--database and --config are given together. Give one of them, or none.', 2)
  }
  if (named !== undefined) {
    return { state: { database: named }, place: placeOf(named), isDev: false }
  }
  if (file !== undefined || configsIn(world.cwd).length > 0) {
    const { loadConfig } = await import('../config/load-config.ts')
    const loaded = await loadConfig(file, world)
    const { database, pepper } = loaded.config.state ?? {}
    if (database !== undefined) {
      const state = { database, ...(pepper === undefined ? {} : { pepper }) }
      return { state, place: placeOf(database), isDev: false }
    }
  }
  const database = devDatabaseUrl(world.cwd)
  return { state: { database }, place: devDatabaseFile, isDev: true }
}

function placeOf(url: string): string {
  if (/^postgres(?:ql)?:/i.test(url)) return 'the PostgreSQL database'
  return /^file:/i.test(url) ? url.replace(/^file:(?:\/\/)?/i, '') : 'the database'
}

/** The key with an id. Throws `CommandFault` where there is none. */
export async function knownKey(keys: KeyStore, id: string, place: string): Promise<StoredKey> {
  const key = await keys.get(id)
  if (key !== undefined) return key
  throw new CommandFault(`There is no key ${shown(id)} in ${place}. sluice keys list shows those there are.`)
}

/** Where the keys are: what each command that needs a database takes. */
export const databaseOptions = {
  config: { type: 'string' },
  database: { type: 'string' },
} as const satisfies Command['options']

/** The same for help. */
export const databaseHelp = `  --config FILE     the configuration whose database it is. Default: that of this folder
  --database URL    the database itself: file:./sluice.db or postgres://...
                    Without either, and without a configuration here, it is that of sluice dev: .sluice/dev.db`

import { CommandFault, type Values, type World } from '../command.ts'
import { textOf } from '../command-line/texts-of.ts'
import type { StateConfig } from '../config/config.ts'
import { configsIn } from '../config/load/find-config.ts'
import { devDatabaseFile, devDatabaseUrl } from '../dev/dev-database.ts'

/** Which database a command is about. */
export interface ChosenDatabase {
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
export async function chosenDatabase(values: Values, world: World): Promise<ChosenDatabase> {
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

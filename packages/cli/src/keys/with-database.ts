import { existsSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import type { Database } from '@sluice/core'
import { CommandFault, type Values, type World } from '../command.ts'
import { makeDevFolder } from '../dev/dev-database.ts'
import { chosenDatabase } from './chosen-database.ts'

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
  world: World,
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

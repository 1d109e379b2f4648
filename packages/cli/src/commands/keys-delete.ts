import type { Command } from '../command.ts'
import { onlyPositional } from '../command-line/arguments.ts'
import { databaseHelp, databaseOptions, knownKey, withDatabase } from '../keys/with-database.ts'

/** `sluice keys delete`. */
export const keysDelete: Command = {
  name: 'keys delete',
  summary: 'forgets a key; what it has used stays in the ledger',
  help: `
Usage: sluice keys delete ID [options]

${databaseHelp}

It cannot be undone; sluice keys disable can.

Example: sluice keys delete Zr8m0KpQ2LxT`,
  options: databaseOptions,
  async run(values, positionals, world) {
    const id = onlyPositional('keys delete', 'the id of one key', positionals)
    return withDatabase(values, world, async ({ keys, place }) => {
      const { name } = await knownKey(keys, id, place)
      await keys.delete(id)
      world.tell(`${id} (${name}) is deleted in ${place}.`)
      return 0
    })
  },
}

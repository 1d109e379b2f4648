import type { Command } from '../command.ts'
import { onlyPositional } from '../command-line/arguments.ts'
import { databaseHelp, databaseOptions, findKey, withDatabase } from '../keys/with-database.ts'

/** `sluice keys delete`. */
export const keysDelete: Command = {
  name: 'keys delete',
  summary: 'deletes a key; its usage stays in the ledger',
  help: `
Usage: sluice keys delete ID [options]

${databaseHelp}

This cannot be undone. sluice keys disable can.

Example: sluice keys delete Zr8m0KpQ2LxT`,
  options: databaseOptions,
  async run(values, positionals, context) {
    const id = onlyPositional('keys delete', 'the id of one key', positionals)
    return withDatabase(values, context, async ({ keys, label }) => {
      const { name } = await findKey(keys, id, label)
      await keys.delete(id)
      context.log(`${id} (${name}) was deleted from ${label}.`)
      return 0
    })
  },
}

import type { Command } from '../command.ts'
import { onlyPositional } from '../command-line/arguments.ts'
import { databaseHelp, databaseOptions, findKey, withDatabase } from '../keys/with-database.ts'

/** `sluice keys disable`. */
export const keysDisable: Command = switching('disable', 'disables a key until it is enabled again', true)

/** `sluice keys enable`. */
export const keysEnable: Command = switching('enable', 'enables a disabled key', false)

function switching(verb: 'disable' | 'enable', summary: string, disabled: boolean): Command {
  return {
    name: `keys ${verb}`,
    summary,
    help: `
Usage: sluice keys ${verb} ID [options]

${databaseHelp}

Takes effect in all processes within 5 seconds.

Example: sluice keys ${verb} Zr8m0KpQ2LxT`,
    options: databaseOptions,
    async run(values, positionals, context) {
      const id = onlyPositional(`keys ${verb}`, 'the id of one key', positionals)
      return withDatabase(values, context, async ({ keys, label }) => {
        await findKey(keys, id, label)
        const { name } = await keys.update(id, { disabled })
        context.log(`${id} (${name}) is ${verb}d in ${label}.`)
        return 0
      })
    },
  }
}

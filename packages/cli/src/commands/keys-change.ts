import type { Command } from '../command.ts'
import { onlyPositional } from '../command-line/arguments.ts'
import { databaseHelp, databaseOptions, knownKey, withDatabase } from '../keys/with-database.ts'

/** `sluice keys disable`. */
export const keysDisable: Command = switching('disable', 'refuses a key until it is enabled again', true)

/** `sluice keys enable`. */
export const keysEnable: Command = switching('enable', 'takes a disabled key again', false)

function switching(verb: 'disable' | 'enable', summary: string, disabled: boolean): Command {
  return {
    name: `keys ${verb}`,
    summary,
    help: `
Usage: sluice keys ${verb} ID [options]

${databaseHelp}

Every process sees it within 5 seconds.

Example: sluice keys ${verb} Zr8m0KpQ2LxT`,
    options: databaseOptions,
    async run(values, positionals, world) {
      const id = onlyPositional(`keys ${verb}`, 'the id of one key', positionals)
      return withDatabase(values, world, async ({ keys, place }) => {
        await knownKey(keys, id, place)
        const { name } = await keys.update(id, { disabled })
        world.tell(`${id} (${name}) is ${verb}d in ${place}.`)
        return 0
      })
    },
  }
}

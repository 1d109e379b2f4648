import type { Command } from '../command.ts'
import { noPositionals } from '../command-line/arguments.ts'
import { keysText, shownKey } from '../keys/keys-text.ts'
import { databaseHelp, databaseOptions, withDatabase } from '../keys/with-database.ts'

/** `sluice keys list`. */
export const keysList: Command = {
  name: 'keys list',
  summary: 'lists the keys, without the keys themselves',
  help: `
Usage: sluice keys list [options]

${databaseHelp}
  --json            prints a JSON array

Times are UTC. When a key was last used is right to the minute.

Example: sluice keys list`,
  options: { ...databaseOptions, json: { type: 'boolean' } },
  async run(values, positionals, world) {
    noPositionals('keys list', positionals)
    return withDatabase(values, world, async ({ keys, place }) => {
      const list = await keys.list()
      if (values.json === true) world.print(JSON.stringify(list.map(shownKey), null, 2))
      else {
        world.tell(`Keys in ${place}:`)
        world.print(keysText(list, world.now()))
      }
      return 0
    })
  },
}

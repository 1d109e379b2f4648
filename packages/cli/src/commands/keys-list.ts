import type { Command } from '../command.ts'
import { rejectPositionals } from '../command-line/arguments.ts'
import { keysText, shownKey } from '../keys/keys-text.ts'
import { databaseHelp, databaseOptions, withDatabase } from '../keys/with-database.ts'

/** `sluice keys list`. */
export const keysList: Command = {
  name: 'keys list',
  summary: 'lists API keys, without their secrets',
  help: `
Usage: sluice keys list [options]

${databaseHelp}
  --json            prints a JSON array

Times are UTC. "Last used" is accurate to the minute.

Example: sluice keys list`,
  options: { ...databaseOptions, json: { type: 'boolean' } },
  async run(values, positionals, context) {
    rejectPositionals('keys list', positionals)
    return withDatabase(values, context, async ({ keys, label }) => {
      const list = await keys.list()
      if (values.json === true) context.print(JSON.stringify(list.map(shownKey), null, 2))
      else {
        context.log(`Keys in ${label}:`)
        context.print(keysText(list, context.now()))
      }
      return 0
    })
  },
}

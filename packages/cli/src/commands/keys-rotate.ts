import { type Command, CommandFault } from '../command.ts'
import { onlyPositional, textOf } from '../command-line/arguments.ts'
import { spanOf } from '../command-line/parse-time.ts'
import { shown } from '../command-line/printable.ts'
import { shownKey } from '../keys/keys-text.ts'
import { databaseHelp, databaseOptions, knownKey, withDatabase } from '../keys/with-database.ts'

/** `sluice keys rotate`. */
export const keysRotate: Command = {
  name: 'keys rotate',
  summary: 'gives a key a new secret; the old one may go on for a while',
  help: `
Usage: sluice keys rotate ID [options]

  --overlap SPAN    how long the old secret goes on: 90s, 5m, 1h, 7d. Default: not at all
${databaseHelp}
  --json            prints the new key and what is kept of it as JSON

Example: sluice keys rotate Zr8m0KpQ2LxT --overlap 1h`,
  options: { overlap: { type: 'string' }, ...databaseOptions, json: { type: 'boolean' } },
  async run(values, positionals, world) {
    const id = onlyPositional('keys rotate', 'the id of one key', positionals)
    const overlap = textOf(values, 'overlap')
    const overlapMs = overlap === undefined ? 0 : spanOf(overlap)
    if (overlapMs === undefined) {
      throw new CommandFault(
        `--overlap is '${shown(overlap ?? '')}', expected a span such as 90s, 5m, 1h or 7d.`,
        2,
      )
    }
    return withDatabase(values, world, async ({ keys, place }) => {
      await knownKey(keys, id, place)
      const { key, stored } = await keys.rotate(id, { overlapMs })
      if (values.json === true) {
        world.print(JSON.stringify({ key, ...shownKey(stored) }, null, 2))
        return 0
      }
      world.print(key)
      const old =
        overlapMs === 0 ? 'The old one is refused within seconds' : `The old one goes on for ${overlap}`
      world.tell(`The new secret of ${stored.id}. Keep it: it is shown this once. ${old}.`)
      return 0
    })
  },
}

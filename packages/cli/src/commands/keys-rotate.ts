import { type Command, CommandError } from '../command.ts'
import { onlyPositional, textOf } from '../command-line/arguments.ts'
import { parseDuration } from '../command-line/parse-time.ts'
import { printable } from '../command-line/printable.ts'
import { shownKey } from '../keys/keys-text.ts'
import { databaseHelp, databaseOptions, findKey, withDatabase } from '../keys/with-database.ts'

/** `sluice keys rotate`. */
export const keysRotate: Command = {
  name: 'keys rotate',
  summary: 'creates a new secret for a key; the old one can stay valid for a while',
  help: `
Usage: sluice keys rotate ID [options]

  --overlap SPAN    how long the old secret stays valid: 90s, 5m, 1h, 7d. Default: not at all
${databaseHelp}
  --json            prints the new key and its record as JSON

Example: sluice keys rotate Zr8m0KpQ2LxT --overlap 1h`,
  options: { overlap: { type: 'string' }, ...databaseOptions, json: { type: 'boolean' } },
  async run(values, positionals, context) {
    const id = onlyPositional('keys rotate', 'the id of one key', positionals)
    const overlap = textOf(values, 'overlap')
    const overlapMs = overlap === undefined ? 0 : parseDuration(overlap)
    if (overlapMs === undefined) {
      throw new CommandError(
        `--overlap is '${printable(overlap ?? '')}', expected a duration such as 90s, 5m, 1h or 7d.`,
        2,
      )
    }
    return withDatabase(values, context, async ({ keys, label }) => {
      await findKey(keys, id, label)
      const { key, stored } = await keys.rotate(id, { overlapMs })
      if (values.json === true) {
        context.print(JSON.stringify({ key, ...shownKey(stored) }, null, 2))
        return 0
      }
      context.print(key)
      const old =
        overlapMs === 0
          ? 'The old secret is rejected within seconds'
          : `The old secret stays valid for ${overlap}`
      context.log(`New secret of key ${stored.id}. Save it now: it is shown only once. ${old}.`)
      return 0
    })
  },
}

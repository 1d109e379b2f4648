import type { UsageDimension } from '@sluice/core'
import { type Command, CommandFault } from '../command.ts'
import { momentOf } from '../command-line/moment-of.ts'
import { noPositionals } from '../command-line/no-positionals.ts'
import { textOf } from '../command-line/texts-of.ts'
import { databaseHelp, databaseOptions } from '../keys/key-options.ts'
import { withDatabase } from '../keys/with-database.ts'
import { usageBy } from '../usage/usage-by.ts'
import { usageCsv } from '../usage/usage-csv.ts'
import { usageText } from '../usage/usage-text.ts'

/** `sluice usage`. */
export const usage: Command = {
  name: 'usage',
  summary: 'says who used what, from the ledger',
  help: `
Usage: sluice usage [options]

  --by LIST         model, key, provider, day (UTC), kind or tag:NAME, separated by commas. Default: model
  --from WHEN       from this moment on: a date, a time, or a span before now (7d). Default: from the first request
  --to WHEN         up to this moment, without it. Default: now
${databaseHelp}
  --json            prints a JSON array of all that is known
  --csv             prints comma-separated values

Example: sluice usage --by tag:team,model --from 2026-11-01`,
  options: {
    by: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    ...databaseOptions,
    json: { type: 'boolean' },
    csv: { type: 'boolean' },
  },
  async run(values, positionals, world) {
    noPositionals('usage', positionals)
    if (values.json === true && values.csv === true) {
      throw new CommandFault(
        'sluice usage: --json and --csv are given together. Give one of them, or none.',
        2,
      )
    }
    const by: readonly UsageDimension[] = usageBy(textOf(values, 'by') ?? 'model')
    const [from, to] = (['from', 'to'] as const).map(name => {
      const text = textOf(values, name)
      return text === undefined ? undefined : momentOf(`--${name}`, text, world.now(), -1)
    })
    if (from !== undefined && to !== undefined && from >= to) {
      throw new CommandFault('sluice usage: --from is not before --to, so nothing is between them.', 2)
    }
    const query = { by, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
    return withDatabase(values, world, async ({ usage, keys, place }) => {
      const rows = await usage(query)
      if (values.json === true) world.print(JSON.stringify(rows, null, 2))
      else if (values.csv === true) world.print(usageCsv(by, rows))
      else {
        world.tell(`Usage in ${place}:`)
        const issued = by.includes('key') ? await keys.list() : []
        world.print(usageText(by, rows, new Map(issued.map(({ id, name }) => [id, name]))))
      }
      return 0
    })
  },
}

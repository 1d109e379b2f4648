import type { UsageDimension } from '@sluice/core/ledger'
import { type Command, CommandFault } from '../command.ts'
import { noPositionals, textOf } from '../command-line/arguments.ts'
import { momentOf } from '../command-line/moment-of.ts'
import { shown } from '../command-line/shown.ts'
import { databaseHelp, databaseOptions, withDatabase } from '../keys/with-database.ts'
import { usageCsv, usageText } from '../usage/usage-text.ts'

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

const dimensions = ['model', 'key', 'provider', 'day', 'kind'] as const
const mostDimensions = 8

/** Dimensions as they are typed: `model,tag:team`. Throws `CommandFault` for what is none. */
export function usageBy(text: string): readonly UsageDimension[] {
  const words = [...new Set(text.split(',').map(word => word.trim()))]
  if (words.length > mostDimensions)
    throw new CommandFault(`--by names ${words.length} things, expected at most ${mostDimensions}.`, 2)
  return words.map((word): UsageDimension => {
    const known = dimensions.find(name => name === word)
    if (known !== undefined) return known
    if (/^tag:./s.test(word)) return `tag:${word.slice('tag:'.length)}`
    throw new CommandFault(
      `--by has '${shown(word)}', expected ${dimensions.join(', ')} or tag: and a name, separated by commas.`,
      2,
    )
  })
}

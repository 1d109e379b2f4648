import type { UsageDimension, UsageFilter } from '@sluice/core/ledger'
import { type Command, CommandError } from '../command.ts'
import { rejectPositionals, textOf } from '../command-line/arguments.ts'
import { parseTime } from '../command-line/parse-time.ts'
import { printable } from '../command-line/printable.ts'
import { databaseHelp, databaseOptions, withDatabase } from '../keys/with-database.ts'
import { usageCsv, usageText } from '../usage/usage-text.ts'

/** `sluice usage`. */
export const usage: Command = {
  name: 'usage',
  summary: 'reports usage and cost from the ledger',
  help: `
Usage: sluice usage [options]

  --by LIST         model, key, source, user, provider, operation, dialect, day (UTC), kind or tag:NAME, separated by
                    commas. Default: model
  --key ID          only requests of this principal
  --user NAME       only requests for this end user
  --model NAME      only requests for this model
  --tag NAME=VALUE  only requests of principals with this tag
  --from WHEN       start: a date, a time, or a duration before now (7d). Default: the first request
  --to WHEN         end, exclusive. Default: now. Dates and days are in UTC
${databaseHelp}
  --json            prints a JSON array with all fields
  --csv             prints comma-separated values

Examples: sluice usage --by tag:team,model --from 2026-11-01
          sluice usage --by day,user --key KEY_ID --from 30d`,
  options: {
    by: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    key: { type: 'string' },
    user: { type: 'string' },
    model: { type: 'string' },
    tag: { type: 'string' },
    ...databaseOptions,
    json: { type: 'boolean' },
    csv: { type: 'boolean' },
  },
  async run(values, positionals, context) {
    rejectPositionals('usage', positionals)
    if (values.json === true && values.csv === true) {
      throw new CommandError('sluice usage: --json and --csv exclude each other. Pass at most one.', 2)
    }
    const by: readonly UsageDimension[] = usageBy(textOf(values, 'by') ?? 'model')
    const [from, to] = (['from', 'to'] as const).map(name => {
      const text = textOf(values, name)
      return text === undefined ? undefined : parseTime(`--${name}`, text, context.now(), -1)
    })
    if (from !== undefined && to !== undefined && from >= to) {
      throw new CommandError('sluice usage: --from must be before --to.', 2)
    }
    const where = usageWhere(name => textOf(values, name))
    const query = { by, where, ...(from === undefined ? {} : { from }), ...(to === undefined ? {} : { to }) }
    return withDatabase(values, context, async ({ usage, keys, label }) => {
      const rows = await usage(query)
      if (values.json === true) context.print(JSON.stringify(rows, null, 2))
      else if (values.csv === true) context.print(usageCsv(by, rows))
      else {
        context.log(`Usage in ${label}:`)
        const issued = by.includes('key') ? await keys.list() : []
        context.print(usageText(by, rows, new Map(issued.map(({ id, name }) => [id, name]))))
      }
      return 0
    })
  },
}

/** Filters as they are typed. Throws `CommandError` for a tag without a value. */
export function usageWhere(
  textAt: (name: 'key' | 'user' | 'model' | 'tag') => string | undefined,
): UsageFilter {
  const [key, user, model, tag] = [textAt('key'), textAt('user'), textAt('model'), textAt('tag')]
  const at = tag?.indexOf('=') ?? -1
  if (tag !== undefined && at < 1) {
    throw new CommandError(
      `--tag is '${printable(tag)}', expected a name and a value, such as team=search.`,
      2,
    )
  }
  return {
    ...(key !== undefined && { key }),
    ...(user !== undefined && { user }),
    ...(model !== undefined && { model }),
    ...(tag !== undefined && { tags: { [tag.slice(0, at)]: tag.slice(at + 1) } }),
  }
}

const dimensions = [
  'model',
  'key',
  'source',
  'user',
  'provider',
  'operation',
  'dialect',
  'day',
  'kind',
] as const
const maxDimensions = 8

/** Dimensions as they are typed: `model,tag:team`. Throws `CommandError` for what is none. */
export function usageBy(text: string): readonly UsageDimension[] {
  const words = [...new Set(text.split(',').map(word => word.trim()))]
  if (words.length > maxDimensions)
    throw new CommandError(`--by has ${words.length} dimensions, expected at most ${maxDimensions}.`, 2)
  return words.map((word): UsageDimension => {
    const known = dimensions.find(name => name === word)
    if (known !== undefined) return known
    if (/^tag:./s.test(word)) return `tag:${word.slice('tag:'.length)}`
    throw new CommandError(
      `--by has '${printable(word)}', expected ${dimensions.join(', ')} or tag: and a name, separated by commas.`,
      2,
    )
  })
}

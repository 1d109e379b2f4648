import type { RecordKind, UsageDimension, UsageFilter, UsageQuery } from '@sluice/core/ledger'
import { validateUsageQuery } from '@sluice/core/store'
import { type Command, CommandError, type Values } from '../command.ts'
import { rejectPositionals, textOf, textsOf } from '../command-line/arguments.ts'
import { parseTime } from '../command-line/parse-time.ts'
import { printable } from '../command-line/printable.ts'
import { tagsOf } from '../keys/key-arguments.ts'
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
  --source NAME     only requests of principals of this source, such as api_keys
  --user NAME       only requests for this end user
  --tag NAME=VALUE  only requests of principals with this tag. Can be repeated
  --model NAME      only requests for this model
  --provider NAME   only requests with a response of this provider
  --operation NAME  only generate, embed, countTokens, rerank, moderate or complete
  --dialect NAME    only requests in this protocol, such as chat
  --kind LIST       which records: request, shadow, hedge or timeout, separated by commas. Default: request
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
    source: { type: 'string' },
    user: { type: 'string' },
    tag: { type: 'string', multiple: true },
    model: { type: 'string' },
    provider: { type: 'string' },
    operation: { type: 'string' },
    dialect: { type: 'string' },
    kind: { type: 'string' },
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
    const query = { by, where: usageWhere(values), from, to }
    checkQuery(query)
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

const filters = ['key', 'source', 'user', 'model', 'provider', 'operation', 'dialect'] as const

/** Filters as they are typed. Throws `CommandError` for a tag without a value, and for one that comes twice. */
export function usageWhere(values: Values): UsageFilter {
  const named = filters.flatMap(name => {
    const text = textOf(values, name)
    return text === undefined ? [] : [[name, text] as const]
  })
  const kinds = textOf(values, 'kind')
  const tags = textsOf(values, 'tag')
  return {
    ...Object.fromEntries(named),
    // A word that is no kind is refused with the query.
    ...(kinds !== undefined && { kind: kinds.split(',').map(word => word.trim() as RecordKind) }),
    ...(tags.length > 0 && { tags: tagsOf(tags) }),
  }
}

/** Throws `CommandError` for what a ledger cannot be asked for. */
function checkQuery(query: UsageQuery): void {
  try {
    validateUsageQuery(query)
  } catch (error) {
    throw error instanceof TypeError ? new CommandError(error.message, 2) : error
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

import type { LoggedRequest } from '@sluice/core/store'
import { createRequestLog, type RequestLog, type RequestLogQuery } from '@sluice/log'
import { type Command, type CommandContext, CommandError, type Values } from '../command.ts'
import { textOf, textsOf } from '../command-line/arguments.ts'
import { escapeControls } from '../command-line/escape-controls.ts'
import { parseTime } from '../command-line/parse-time.ts'
import { printable } from '../command-line/printable.ts'
import { tagsOf } from '../keys/key-arguments.ts'
import { databaseHelp, databaseOptions, withDatabase } from '../keys/with-database.ts'
import { loggedRequestText, logsText } from '../logs/logs-text.ts'

/** `sluice logs`. */
export const logs: Command = {
  name: 'logs',
  summary: 'searches the request log, and exports it',
  help: `
Usage: sluice logs [REQUEST_ID] [options]

  --from WHEN       start: a date, a time, or a duration before now (24h). Default: the first request
  --to WHEN         end, exclusive. Default: now
  --key ID          id of the key or principal
  --source NAME     source of the principal, such as api_keys
  --user NAME       end user, as the caller names it
  --tag NAME=VALUE  tag of the principal, such as team=search. Can be repeated
  --model NAME      requested model
  --provider NAME   provider of the response
  --operation NAME  generate, embed, countTokens, rerank, moderate or complete
  --dialect NAME    protocol of the caller, such as chat
  --status CODE     status, such as 429, or a class: 5xx
  --outcome NAME    completed, refused, client_disconnected, upstream_failed, gateway_closed or internal_error
  --error CODE      reason of the failure, such as rate_limit_exceeded
  --text TEXT       part of the text of an error. Needs --from, at most 31 days back
  --client-id ID    the client's own id of the request
  --limit COUNT     number of rows, 1 to 500. Default 50
${databaseHelp}
  --json            prints a JSON array with all fields
  --csv, --jsonl    print all rows that match, as comma-separated values or as one JSON object per line

Example: sluice logs --from 24h --status 5xx --tag team=search`,
  options: {
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
    status: { type: 'string' },
    outcome: { type: 'string' },
    error: { type: 'string' },
    text: { type: 'string' },
    'client-id': { type: 'string' },
    limit: { type: 'string' },
    ...databaseOptions,
    json: { type: 'boolean' },
    csv: { type: 'boolean' },
    jsonl: { type: 'boolean' },
  },
  async run(values, positionals, context) {
    const format = formatOf(values)
    const query = logsQuery(values, positionals, context.now())
    return withDatabase(values, context, async ({ requestLog, label }) => {
      const log = createRequestLog({ repository: requestLog, retention: { maxAgeMs: null } })
      try {
        if (format === 'csv' || format === 'jsonl') await printAll(log, format, query, context)
        else {
          const { rows, next } = await find(log, query)
          const [id] = positionals
          if (id !== undefined && rows.length === 0) {
            throw new CommandError(`There is no request ${printable(id)} in the request log of ${label}.`)
          }
          printRows(rows, { isTable: format === 'table', isOne: id !== undefined, label }, context)
          if (next !== undefined && format === 'table') {
            context.log('There are more. Pass --limit, an earlier --to, or --csv for all.')
          }
        }
      } finally {
        await log.close()
      }
      return 0
    })
  },
}

type Format = 'table' | 'json' | 'csv' | 'jsonl'

function formatOf(values: Values): Format {
  const given = (['json', 'csv', 'jsonl'] as const).filter(name => values[name] === true)
  if (given.length <= 1) return given[0] ?? 'table'
  throw new CommandError('sluice logs: --json, --csv and --jsonl exclude each other. Pass at most one.', 2)
}

const filters = {
  key: 'key',
  source: 'source',
  user: 'user',
  model: 'model',
  provider: 'provider',
  operation: 'operation',
  dialect: 'dialect',
  outcome: 'outcome',
  error: 'error',
  text: 'errorText',
  'client-id': 'clientRequestId',
} as const

/** The query of a command line. Throws `CommandError` for what cannot be read; the log checks the rest. */
export function logsQuery(values: Values, positionals: readonly string[], now: number): RequestLogQuery {
  const [id, ...more] = positionals
  if (more.length > 0) {
    throw new CommandError(`sluice logs: got ${positionals.length} arguments, expected one request id.`, 2)
  }
  const [from, to] = (['from', 'to'] as const).map(name => {
    const text = textOf(values, name)
    return text === undefined ? undefined : parseTime(`--${name}`, text, now, -1)
  })
  if (from !== undefined && to !== undefined && from >= to) {
    throw new CommandError('sluice logs: --from must be before --to.', 2)
  }
  const named = Object.entries(filters).flatMap(([option, field]) => {
    const text = textOf(values, option)
    return text === undefined ? [] : [[field, text] as const]
  })
  const tags = textsOf(values, 'tag')
  const status = textOf(values, 'status')
  const limit = textOf(values, 'limit')
  const where = {
    ...Object.fromEntries(named),
    ...(id !== undefined && { id }),
    ...(tags.length > 0 && { tags: tagsOf(tags) }),
    ...(status !== undefined && { status: (/^\d{3}$/.test(status) ? Number(status) : status) as '4xx' }),
  }
  return {
    ...(from !== undefined && { from }),
    ...(to !== undefined && { to }),
    ...(limit !== undefined && { limit: Number(limit) }),
    where,
  }
}

/** Throws `CommandError` for an invalid query, and rejects if the database fails. */
function find(log: RequestLog, query: RequestLogQuery) {
  try {
    return log.search(query)
  } catch (error) {
    throw error instanceof TypeError ? new CommandError(error.message, 2) : error
  }
}

function printRows(
  rows: readonly LoggedRequest[],
  { isTable, isOne, label }: { readonly isTable: boolean; readonly isOne: boolean; readonly label: string },
  context: Pick<CommandContext, 'print' | 'log'>,
): void {
  if (!isTable) context.print(escapeControls(JSON.stringify(rows, null, 2)))
  else if (isOne) context.print(rows.map(loggedRequestText).join('\n'))
  else {
    context.log(`Requests in ${label}:`)
    context.print(logsText(rows))
  }
}

async function printAll(
  log: RequestLog,
  format: 'csv' | 'jsonl',
  query: RequestLogQuery,
  { print, signal }: Pick<CommandContext, 'print' | 'signal'>,
): Promise<void> {
  const { limit: _, ...all } = query
  // Checks the query before the first line.
  await find(log, { ...all, limit: 1 })
  for await (const lines of log.export(format, all)) {
    if (signal.aborted) throw new CommandError('sluice logs: the export was cancelled.')
    print(lines.replace(/\r?\n$/, ''))
  }
}

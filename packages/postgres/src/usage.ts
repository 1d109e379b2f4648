import {
  storableText,
  type UsageDimension,
  type UsageQuery,
  type UsageRow,
  type ValidatedUsageQuery,
  validateUsageQuery,
} from '@sluice/core/store'
import { principalPrefix } from './principal-prefix.ts'
import type { Queries } from './queries.ts'
import { integerColumn, nullableTextColumn } from './row-values.ts'
import { timestampFromMs } from './timestamps.ts'

const columns = {
  key: 'principal',
  source: 'source',
  user: 'end_user',
  model: 'model',
  provider: 'provider',
  operation: 'operation',
  dialect: 'dialect',
  kind: 'kind',
  day: `to_char(opened_at at time zone 'UTC', 'YYYY-MM-DD')`,
} as const satisfies Record<Exclude<UsageDimension, `tag:${string}`>, string>

const closed = 'filter (where closed_at is not null)'

/** Of open requests nothing is summed. */
const sums = {
  requests: 'count(*)',
  promptTokens: `sum(prompt_tokens) ${closed}`,
  completionTokens: `sum(completion_tokens) ${closed}`,
  cachedTokens: `sum(cached_tokens) ${closed}`,
  reasoningTokens: `sum(reasoning_tokens) ${closed}`,
  cost: `sum(nano_dollars) ${closed}`,
  unpriced: 'count(*) filter (where closed_at is not null and nano_dollars is null)',
  estimated: 'count(*) filter (where closed_at is not null and estimated)',
  open: 'count(*) filter (where closed_at is null)',
} as const satisfies Record<Exclude<keyof UsageRow, 'by'>, string>

/** Sums over the ledger, in one query. Throws `TypeError` for a query that cannot be answered. */
export async function queryUsage(queries: Queries, query: UsageQuery): Promise<readonly UsageRow[]> {
  const { by, from, to, where } = validateUsageQuery(query)
  const params: string[] = []
  const param = (value: string) => `$${params.push(value)}::text`
  const values = by.map((dimension, index) => `${dimensionSql(dimension, param)} as d${index}`)
  // No request was opened before 1970, and PostgreSQL's calendar begins later than that of milliseconds.
  const moment = (ms: number) => timestampFromMs(`${param(String(Math.max(ms, 0)))}::bigint`)
  const within = [
    ...(from === undefined ? [] : [`opened_at >= ${moment(from)}`]),
    ...(to === undefined ? [] : [`opened_at < ${moment(to)}`]),
    ...matches(where, param),
  ]
  const rows = await queries.run(
    `select ${[...values, ...Object.entries(sums).map(([name, sum]) => `coalesce(${sum}, 0)::text as "${name}"`)].join(', ')}
from ${queries.schema.sql}.requests
${within.length === 0 ? '' : `where ${within.join(' and ')}`}
${by.length === 0 ? '' : `group by ${by.map((_, index) => index + 1).join(', ')}`}
${by.length === 0 ? '' : `order by ${by.map((_, index) => `d${index} nulls last`).join(', ')}`}`,
    params,
  )
  return rows.map(row => ({
    by: Object.fromEntries(by.map((dimension, index) => [dimension, nullableTextColumn(row, `d${index}`)])),
    requests: integerColumn(row, 'requests'),
    promptTokens: integerColumn(row, 'promptTokens'),
    completionTokens: integerColumn(row, 'completionTokens'),
    cachedTokens: integerColumn(row, 'cachedTokens'),
    reasoningTokens: integerColumn(row, 'reasoningTokens'),
    cost: integerColumn(row, 'cost') / 1e9,
    unpriced: integerColumn(row, 'unpriced'),
    estimated: integerColumn(row, 'estimated'),
    open: integerColumn(row, 'open'),
  }))
}

/** What the index on the beginnings of ids finds, and the rest of what has to match. */
function matches(
  { key, tags, kinds, ...where }: ValidatedUsageQuery['where'],
  param: (value: string) => string,
): string[] {
  return [
    ...(key === undefined
      ? []
      : [`${principalPrefix('principal')} = ${principalPrefix(param(key))}`, `principal = ${param(key)}`]),
    ...Object.entries(where).flatMap(([name, value]) =>
      value === undefined ? [] : [`${columns[name as keyof typeof where]} = ${param(value)}`],
    ),
    ...tags.map(([name, value]) => `tags ->> ${param(name)} = ${param(value)}`),
    `kind in (${kinds.map(param).join(', ')})`,
  ]
}

/** Collated by code point: a database's own order may be any. */
function dimensionSql(dimension: UsageDimension, param: (value: string) => string): string {
  const value = dimension.startsWith('tag:')
    ? `tags ->> ${param(storableText(dimension.slice('tag:'.length)))}`
    : columns[dimension as keyof typeof columns]
  return `(${value}) collate "C"`
}

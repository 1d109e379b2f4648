import { setImmediate as others } from 'node:timers/promises'
import {
  storableText,
  type UsageDimension,
  type UsageQuery,
  type UsageRow,
  type ValidatedUsageQuery,
  validateUsageQuery,
} from '@sluice/core/store'
import type { Connection } from './connection.ts'
import type { SqlRow, SqlValue } from './drivers/driver.ts'

/** How many records are summed before others have their turn: a statement runs in the thread that asks. */
const stepRows = 1_000

const afterAll = Number.MAX_SAFE_INTEGER + 1

const columns = {
  key: 'principal',
  source: 'source',
  user: 'end_user',
  model: 'model',
  provider: 'provider',
  operation: 'operation',
  dialect: 'dialect',
  kind: 'kind',
  day: "date(opened_at / 1000, 'unixepoch')",
} as const satisfies Record<Exclude<UsageDimension, `tag:${string}`>, string>

/** Of the tag whose name is given. */
const tagValue = '(SELECT value FROM json_each(tags) WHERE key = ?)'

/** TOTAL does not overflow, and is exact up to 2^53. */
const sums = `count(*) AS requests,
  total(prompt_tokens) FILTER (WHERE closed_at IS NOT NULL) AS promptTokens,
  total(completion_tokens) FILTER (WHERE closed_at IS NOT NULL) AS completionTokens,
  total(cached_tokens) FILTER (WHERE closed_at IS NOT NULL) AS cachedTokens,
  total(reasoning_tokens) FILTER (WHERE closed_at IS NOT NULL) AS reasoningTokens,
  total(cost) FILTER (WHERE closed_at IS NOT NULL) AS cost,
  count(*) FILTER (WHERE closed_at IS NOT NULL AND cost IS NULL) AS unpriced,
  count(*) FILTER (WHERE closed_at IS NOT NULL AND estimated = 1) AS estimated,
  count(*) FILTER (WHERE closed_at IS NULL) AS open`

type Sums = { -readonly [K in Exclude<keyof UsageRow, 'by'>]: UsageRow[K] }

interface Group extends Sums {
  readonly values: readonly (string | null)[]
}

const noUse: Sums = {
  requests: 0,
  promptTokens: 0,
  completionTokens: 0,
  cachedTokens: 0,
  reasoningTokens: 0,
  cost: 0,
  unpriced: 0,
  estimated: 0,
  open: 0,
}

/**
 * Sums over the ledger, step by step. Each record is counted once, as it is when its step comes. Throws `TypeError`
 * for a query that cannot be answered.
 */
export async function queryUsage(connection: Connection, query: UsageQuery): Promise<readonly UsageRow[]> {
  const { by, from, to, where } = validateUsageQuery(query)
  const groups = new Map<string, Group>()
  if (by.length === 0) groups.set('[]', { values: [], ...noUse })
  const end = to ?? afterAll
  let at: Position | undefined = { openedAt: from ?? Number.MIN_SAFE_INTEGER, row: 0 }
  while (at !== undefined) {
    const next: Position | undefined = await positionAfter(connection, at, end, where.key)
    for (const row of await sumStep(connection, { by, where }, at, next, end)) addToGroup(groups, by, row)
    at = next
    if (at !== undefined) await others()
  }
  return [...groups.values()].sort(compareGroups).map(({ values, cost, ...counts }) => ({
    by: Object.fromEntries(by.map((dimension, index) => [dimension, values[index] ?? null])),
    ...counts,
    cost: cost / 1e9,
  }))
}

/** Of a record, in the order of the index. */
interface Position {
  readonly openedAt: number
  readonly row: number
}

/**
 * The last position of a step; `undefined` where the step is the last one. Of the filter only the key counts, for which
 * there is an index: a step of what else matches might go through all records.
 */
async function positionAfter(
  connection: Connection,
  at: Position,
  end: number,
  key: string | undefined,
): Promise<Position | undefined> {
  const [ofKey, args] = key === undefined ? ['', []] : ['principal = ? AND ', [key]]
  const [found] = await connection.read(
    `SELECT opened_at, row FROM sluice_record WHERE ${ofKey}(opened_at, row) > (?, ?) AND opened_at < ?
ORDER BY opened_at, row LIMIT 1 OFFSET ?`,
    [...args, at.openedAt, at.row, end, stepRows - 1],
  )
  return found && { openedAt: Number(found.opened_at), row: Number(found.row) }
}

function sumStep(
  connection: Connection,
  { by, where }: Pick<ValidatedUsageQuery, 'by' | 'where'>,
  after: Position,
  until: Position | undefined,
  end: number,
): Promise<readonly SqlRow[]> {
  const tags: string[] = []
  const values = by.map((dimension, index) => {
    if (!dimension.startsWith('tag:')) return `${columns[dimension as keyof typeof columns]} AS d${index}, `
    tags.push(storableText(dimension.slice('tag:'.length)))
    return `${tagValue} AS d${index}, `
  })
  const group = by.length === 0 ? '' : `GROUP BY ${by.map((_, index) => index + 1).join(', ')}`
  const matched = filterSql(where)
  return connection.read(
    `SELECT ${values.join('')}${sums} FROM sluice_record
WHERE (opened_at, row) > (?, ?) AND (opened_at, row) <= (?, ?) AND opened_at < ? ${matched.sql} ${group}`,
    [...tags, after.openedAt, after.row, until?.openedAt ?? afterAll, until?.row ?? 0, end, ...matched.args],
  )
}

function filterSql({ tags, kinds, ...where }: ValidatedUsageQuery['where']): {
  sql: string
  args: SqlValue[]
} {
  const texts = Object.entries(where).flatMap(([name, value]) =>
    value === undefined ? [] : [[columns[name as keyof typeof where], value] as const],
  )
  return {
    sql: [
      ...texts.map(([column]) => `AND ${column} = ?`),
      ...tags.map(() => `AND ${tagValue} = ?`),
      `AND kind IN (${kinds.map(() => '?').join(', ')})`,
    ].join(' '),
    args: [...texts.map(([, value]) => value), ...tags.flat(), ...kinds],
  }
}

function addToGroup(groups: Map<string, Group>, by: readonly UsageDimension[], row: SqlRow): void {
  const values = by.map((_, index) => {
    const value = row[`d${index}`] ?? null
    return value === null ? null : String(value)
  })
  const name = JSON.stringify(values)
  const group = groups.get(name) ?? { values, ...noUse }
  groups.set(name, group)
  for (const sum of Object.keys(noUse) as (keyof Sums)[]) group[sum] += Number(row[sum])
}

/** By code point, which is the order of the bytes in UTF-8, and `null` last. */
function compareGroups(one: Group, other: Group): number {
  for (const [index, value] of one.values.entries()) {
    const against = other.values[index] ?? null
    if (value === against) continue
    if (value === null) return 1
    if (against === null) return -1
    return compareCodePoints(value, against)
  }
  return 0
}

/** Encodes nothing: callers choose the names of users, so that there may be a group for each record. */
function compareCodePoints(one: string, other: string): number {
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at++) {
    const [unit, against] = [one.charCodeAt(at), other.charCodeAt(at)]
    if (unit === against) continue
    // Of two units of surrogate pairs the higher one is of the higher code point, and above all that has no pair.
    return isSurrogate(unit) === isSurrogate(against) ? unit - against : isSurrogate(unit) ? 1 : -1
  }
  return one.length - other.length
}

function isSurrogate(unit: number): boolean {
  return unit >= 0xd800 && unit < 0xe000
}

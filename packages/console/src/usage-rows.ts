import { GatewayError, type PrincipalId } from '@sluice/core'
import type { UsageDimension, UsageFilter, UsageQuery, UsageRow } from '@sluice/core/ledger'
import { validateUsageQuery } from '@sluice/core/store'
import { callStore } from './call-store.ts'

/** The parameters of `/usage`. */
export const usageParameters = [
  'by',
  'from',
  'to',
  'key',
  'source',
  'user',
  'model',
  'provider',
  'tag',
] as const
/** The parameters of `/own-usage`. */
export const ownUsageParameters = ['by', 'from', 'to', 'user', 'model'] as const

type Usage = (query: UsageQuery) => Promise<readonly UsageRow[]>

/** Sums, and the number of rows that were left out because there are too many. */
export interface UsageAnswer {
  readonly rows: readonly UsageRow[]
  readonly leftOut: number
}

/** Callers choose the names of users, so that there can be any number of rows. */
const maxRows = 5_000

/** Sums of the ledger for the parameters of a URL. Throws 400 for what is no such query, and 503. */
export async function usageRows(usage: Usage, given: URLSearchParams): Promise<UsageAnswer> {
  return bounded(await ask(usage, queryOf(given)))
}

/**
 * Sums of the requests of one principal alone. Of it callers learn nothing that their answers do not have, so that `provider` is
 * no dimension. Throws 400 for what is no such query, and 503.
 */
export async function ownUsageRows(
  usage: Usage,
  { id, source }: PrincipalId,
  given: URLSearchParams,
): Promise<UsageAnswer> {
  const { by, where, ...period } = queryOf(given)
  const hidden = by.find(name => !(own.includes(name) || /^tag:./s.test(name)))
  if (hidden !== undefined) {
    throw new GatewayError('invalid_value', {
      message: `by has a name that is not known here. Known are: ${own.join(', ')}, and tag: with a name.`,
      param: 'by',
    })
  }
  if (source !== undefined)
    return bounded(await ask(usage, { by, ...period, where: { ...where, key: id, source } }))
  // No filter says that there is no source: another principal of the same id may have one.
  const rows = await ask(usage, { by: [...by, 'source'], ...period, where: { ...where, key: id } })
  return bounded(
    rows
      .filter(row => (row.by.source ?? null) === null)
      .map(row => {
        const { source: _, ...named } = row.by
        return { ...row, by: named }
      }),
  )
}

const own: readonly string[] = ['day', 'model', 'user', 'operation', 'dialect'] satisfies UsageDimension[]

/** The rows of most money, and of most requests where that is the same. */
function bounded(rows: readonly UsageRow[]): UsageAnswer {
  if (rows.length <= maxRows) return { rows, leftOut: 0 }
  const sorted = [...rows].sort((a, b) => b.cost - a.cost || b.requests - a.requests)
  return { rows: sorted.slice(0, maxRows), leftOut: rows.length - maxRows }
}

async function ask(usage: Usage, query: UsageQuery): Promise<readonly UsageRow[]> {
  try {
    validateUsageQuery(query)
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    throw new GatewayError('invalid_value', { message: error.message, param: 'by' })
  }
  return callStore('ledger', () => usage(query))
}

function queryOf(given: URLSearchParams): UsageQuery {
  const by = given.get('by') ?? ''
  const [from, to] = [momentOf(given, 'from'), momentOf(given, 'to')]
  const where = filterOf(given)
  return {
    by: by === '' ? [] : (by.split(',') as UsageDimension[]),
    ...(from === undefined ? {} : { from }),
    ...(to === undefined ? {} : { to }),
    ...(Object.keys(where).length > 0 && { where }),
  }
}

/** A form that is left empty sends an empty text. */
function filterOf(given: URLSearchParams): UsageFilter {
  const named = (['key', 'source', 'user', 'model', 'provider'] as const)
    .map(name => [name, given.get(name) ?? ''] as const)
    .filter(([, value]) => value !== '')
  const tag = given.get('tag') ?? ''
  const at = tag.indexOf(':')
  if (tag !== '' && at < 1) {
    throw new GatewayError('invalid_value', {
      message: 'tag must be a name and a value with a colon between them, such as team:search.',
      param: 'tag',
    })
  }
  const tags = tag === '' ? undefined : { [tag.slice(0, at)]: tag.slice(at + 1) }
  return { ...Object.fromEntries(named), ...(tags !== undefined && { tags }) }
}

/** A form that is left empty sends an empty text. */
function momentOf(given: URLSearchParams, name: string): number | undefined {
  const text = given.get(name) ?? ''
  if (text === '') return undefined
  if (/^\d{1,16}$/.test(text)) return Number(text)
  throw new GatewayError('invalid_value', {
    message: `${name} must be whole milliseconds since 1970.`,
    param: name,
  })
}

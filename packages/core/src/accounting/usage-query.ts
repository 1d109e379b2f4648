import type { UsageDimension, UsageQuery } from '../contracts/ledger.ts'
import { ownMembers } from '../primitives/own-members.ts'
import { type CheckedUsageFilter, checkedUsageFilter } from './usage-filter.ts'

/** A usage query that can be answered: no dimension comes twice, and the moments are whole milliseconds since 1970. */
export interface CheckedUsageQuery {
  readonly by: readonly UsageDimension[]
  readonly from: number | undefined
  readonly to: number | undefined
  readonly where: CheckedUsageFilter
}

const named: readonly string[] = ['key', 'model', 'provider', 'day', 'kind']
const maxDimensions = 8
const queryMembers: readonly string[] = ['by', 'from', 'to', 'where']

/** Throws `TypeError` for a query that cannot be answered. */
export function checkedUsageQuery(given: UsageQuery): CheckedUsageQuery {
  const query = ownMembers(given)
  const by: unknown = query.by
  if (!Array.isArray(by)) {
    throw new TypeError("usage(): by is no list. Give it dimensions, such as ['key', 'day'], or none: [].")
  }
  const dimensions = [...new Set(by)].map(checkedDimension)
  if (dimensions.length > maxDimensions) {
    throw new TypeError(
      `usage(): by has ${dimensions.length} dimensions, expected at most ${maxDimensions}. Ask by fewer.`,
    )
  }
  const unknown = Object.keys(query).find(name => !queryMembers.includes(name))
  if (unknown !== undefined) {
    throw new TypeError(`usage(): a query has no ${JSON.stringify(unknown)}, expected ${queryMembers.join(', ')}.`)
  }
  return {
    by: dimensions,
    from: checkedMoment('from', query.from),
    to: checkedMoment('to', query.to),
    where: checkedUsageFilter(query.where),
  }
}

function checkedDimension(dimension: unknown): UsageDimension {
  const tag = typeof dimension === 'string' && dimension.startsWith('tag:') && dimension.length > 4
  if (tag || named.includes(dimension as string)) return dimension as UsageDimension
  throw new TypeError(
    `usage(): ${JSON.stringify(dimension)} is no dimension, expected ${named.map(name => `"${name}"`).join(', ')} or "tag:" and the name of a tag.`,
  )
}

function checkedMoment(name: 'from' | 'to', moment: unknown): number | undefined {
  if (moment === undefined) return undefined
  const ms = typeof moment === 'number' || moment instanceof Date ? Number(moment) : Number.NaN
  if (Number.isFinite(ms)) {
    return Math.ceil(Math.min(Math.max(ms, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER))
  }
  throw new TypeError(
    `usage(): ${name} is ${String(moment)}, expected milliseconds since 1970 or a valid Date, or nothing.`,
  )
}

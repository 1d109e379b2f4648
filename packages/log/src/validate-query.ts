import type { Operation, RequestOutcome } from '@sluice/core'
import {
  type RequestLogFilter,
  type RequestLogPosition,
  type RequestLogSearch,
  storableText,
} from '@sluice/core/store'
import { name } from './logged-request.ts'

/** Selects rows of the request log. */
export interface RequestLogQuery {
  /** Start of the period in which requests arrived: milliseconds since 1970, or a `Date`. Default: unbounded. */
  readonly from?: number | Date | undefined
  /** End of the period, exclusive. Default: unbounded. */
  readonly to?: number | Date | undefined
  /** Only rows that match every field. `errorText` needs `from`, at most 31 days before `to` or now. */
  readonly where?: RequestLogFilter | undefined
  /** Only rows after this one in the order of the result: the `next` of the page before. */
  readonly after?: RequestLogPosition | undefined
  /** Maximum number of rows: 1 to 500. Default 50. */
  readonly limit?: number | undefined
}

const defaultLimit = 50
/** Maximum number of rows of a search. */
export const maxLimit = 500
const maxTags = 8
const maxErrorText = 200
/** Longest period of a search for the text of an error, in milliseconds. */
const maxErrorTextMs = 31 * 86_400_000

const queryMembers: readonly string[] = [
  'from',
  'to',
  'where',
  'after',
  'limit',
] satisfies (keyof RequestLogQuery)[]
const exactTexts = ['id', 'key', 'source'] as const
const names = ['clientRequestId', 'user', 'model', 'provider', 'dialect', 'error'] as const
const operations: readonly unknown[] = [
  'generate',
  'embed',
  'countTokens',
  'rerank',
  'moderate',
  'complete',
] satisfies Operation[]
const outcomes: readonly unknown[] = [
  'completed',
  'refused',
  'client_disconnected',
  'upstream_failed',
  'gateway_closed',
  'internal_error',
] satisfies RequestOutcome[]
const filterMembers: readonly string[] = [
  ...exactTexts,
  ...names,
  'operation',
  'outcome',
  'status',
  'errorText',
  'tags',
] satisfies (keyof RequestLogFilter)[]

/** Returns a valid search. Throws `TypeError` for an invalid query: a condition that is ignored would show other rows. */
export function validateQuery(given: RequestLogQuery, now: number): RequestLogSearch {
  const query = membersOf('the query', given, queryMembers)
  const from = moment('from', query.get('from'))
  const to = moment('to', query.get('to'))
  const where = query.get('where') === undefined ? {} : validateFilter(query.get('where'))
  if (where.errorText !== undefined) {
    if (from === undefined) throw invalid('where.errorText needs from: pass the start of a period.')
    if ((to ?? now) - from > maxErrorTextMs) {
      throw invalid('where.errorText has a period of more than 31 days. Pass a later from, or an earlier to.')
    }
  }
  return { from, to, where, after: positionOf(query.get('after')), limit: limitOf(query.get('limit')) }
}

function validateFilter(given: unknown): RequestLogFilter {
  const where = membersOf('where', given, filterMembers)
  const filter: Record<string, unknown> = {}
  for (const [member, value] of where) {
    if (value === undefined)
      throw invalid(`where.${member} is undefined. Leave out what is not to be matched.`)
    filter[member] = member === 'tags' ? tagsOf(value) : fieldOf(member, value)
  }
  return filter as RequestLogFilter
}

function fieldOf(member: string, value: unknown): unknown {
  if (member === 'status') return statusOf(value)
  if (typeof value !== 'string') throw invalid(`where.${member} is ${kindOf(value)}, expected a string.`)
  if (member === 'operation') return oneOf(member, value, operations)
  if (member === 'outcome') return oneOf(member, value, outcomes)
  if (member === 'errorText') {
    if (value !== '' && value.length <= maxErrorText) return storableText(value)
    throw invalid(`where.errorText has ${value.length} characters, expected 1 to ${maxErrorText}.`)
  }
  return (exactTexts as readonly string[]).includes(member) ? storableText(value) : name(value)
}

function oneOf(member: string, value: unknown, known: readonly unknown[]): unknown {
  if (known.includes(value)) return value
  throw invalid(`where.${member} is ${JSON.stringify(value)}, expected one of ${known.join(', ')}.`)
}

function statusOf(value: unknown): unknown {
  const isCode = typeof value === 'number' && Number.isInteger(value) && value >= 100 && value <= 599
  if (isCode || (typeof value === 'string' && /^[1-5]xx$/.test(value))) return value
  throw invalid(
    `where.status is ${JSON.stringify(value) ?? kindOf(value)}, expected a status such as 429, or a class such as "4xx".`,
  )
}

function tagsOf(value: unknown): Readonly<Record<string, string>> {
  const tags = [...membersOf('where.tags', value)]
  if (tags.length > maxTags) throw invalid(`where.tags has ${tags.length} tags, expected at most ${maxTags}.`)
  return Object.fromEntries(
    tags.map(([tag, text]) => {
      if (typeof text === 'string') return [storableText(tag), storableText(text)]
      throw invalid(`where.tags has a value that is ${kindOf(text)}, expected strings.`)
    }),
  )
}

function positionOf(value: unknown): RequestLogPosition | undefined {
  if (value === undefined) return undefined
  const position = membersOf('after', value, ['at', 'id'])
  const [at, id] = [position.get('at'), position.get('id')]
  if (Number.isSafeInteger(at) && typeof id === 'string') return { at: at as number, id: storableText(id) }
  throw invalid('after must be the next of a page: { at, id }.')
}

function limitOf(value: unknown): number {
  if (value === undefined) return defaultLimit
  if (Number.isInteger(value) && (value as number) >= 1 && (value as number) <= maxLimit)
    return value as number
  throw invalid(`limit is ${String(value)}, expected a whole number from 1 to ${maxLimit}.`)
}

function moment(member: string, value: unknown): number | undefined {
  if (value === undefined) return undefined
  const ms = typeof value === 'number' || value instanceof Date ? Number(value) : Number.NaN
  // Databases know no time before 1970 here, and none that a `Date` does not.
  if (Number.isFinite(ms)) return Math.ceil(Math.min(Math.max(ms, 0), 8.64e15))
  throw invalid(`${member} is ${String(value)}, expected milliseconds since 1970 or a valid Date.`)
}

/** The own members of a plain object. A `Map` or a `Date` has none: it would match everything. */
function membersOf(what: string, value: unknown, known?: readonly string[]): ReadonlyMap<string, unknown> {
  const prototype: unknown =
    typeof value === 'object' && value !== null ? Object.getPrototypeOf(value) : undefined
  if (prototype !== null && (prototype === undefined || Object.getPrototypeOf(prototype) !== null)) {
    throw invalid(`${what} is ${kindOf(value)}, expected a plain object.`)
  }
  const members = new Map(Object.entries(value as object))
  const unknown = known && [...members.keys()].find(member => !known.includes(member))
  if (unknown !== undefined) {
    throw invalid(`${what} has no ${JSON.stringify(unknown)}, expected ${known?.join(', ')}.`)
  }
  return members
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object of another kind' : `a ${typeof value}`
}

function invalid(message: string): TypeError {
  return new TypeError(`Request log: ${message}`)
}

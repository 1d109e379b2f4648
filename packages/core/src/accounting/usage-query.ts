import type { RecordKind, UsageDimension, UsageFilter, UsageQuery } from '../contracts/ledger.ts'
import type { Operation } from '../contracts/outline.ts'
import { ownMembers } from '../primitives/own-members.ts'
import { storableText } from '../primitives/safe-text.ts'
import { allOperations } from '../usage/operations.ts'

/** A valid usage query: no dimension twice, and `from` and `to` as whole milliseconds since 1970. */
export interface ValidatedUsageQuery {
  readonly by: readonly UsageDimension[]
  readonly from: number | undefined
  readonly to: number | undefined
  readonly where: ValidatedUsageFilter
}

const named: readonly string[] = [
  'key',
  'source',
  'user',
  'model',
  'provider',
  'operation',
  'dialect',
  'day',
  'kind',
] satisfies UsageDimension[]
const maxDimensions = 8
const queryMembers: readonly string[] = ['by', 'from', 'to', 'where']

/** Returns a valid copy of a query, with the default `kind`. Throws `TypeError` for an invalid query. */
export function validateUsageQuery(given: UsageQuery): ValidatedUsageQuery {
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
    throw new TypeError(
      `usage(): a query has no ${JSON.stringify(unknown)}, expected ${queryMembers.join(', ')}.`,
    )
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

/** A valid filter, as text that every database takes. */
export interface ValidatedUsageFilter {
  readonly key: string | undefined
  readonly source: string | undefined
  readonly user: string | undefined
  readonly model: string | undefined
  readonly provider: string | undefined
  readonly operation: Operation | undefined
  readonly dialect: string | undefined
  readonly tags: readonly (readonly [name: string, value: string])[]
  /** At least one, each once. */
  readonly kinds: readonly RecordKind[]
}

const filterMembers: readonly string[] = [
  'key',
  'source',
  'user',
  'model',
  'provider',
  'operation',
  'dialect',
  'tags',
  'kind',
] satisfies (keyof UsageFilter)[]
const allKinds: readonly RecordKind[] = ['request', 'hedge', 'shadow', 'timeout']
const maxTags = 8

/** Throws `TypeError` for an invalid filter. */
function checkedUsageFilter(given: UsageFilter | undefined): ValidatedUsageFilter {
  const where = given === undefined ? new Map<string, unknown>() : membersOf('where', given)
  for (const name of where.keys()) {
    if (!filterMembers.includes(name)) {
      throw new TypeError(
        `usage(): where has no ${JSON.stringify(name)}, expected ${filterMembers.join(', ')}. A tag belongs in tags.`,
      )
    }
  }
  const textAt = (name: string) => (where.has(name) ? text(`where.${name}`, where.get(name)) : undefined)
  const tags = where.has('tags') ? [...membersOf('where.tags', where.get('tags'))] : []
  if (tags.length > maxTags) {
    throw new TypeError(`usage(): where.tags has ${tags.length} tags, expected at most ${maxTags}.`)
  }
  return {
    key: textAt('key'),
    source: textAt('source'),
    user: textAt('user'),
    model: textAt('model'),
    provider: textAt('provider'),
    operation: where.has('operation') ? operationOf(where.get('operation')) : undefined,
    dialect: textAt('dialect'),
    tags: tags.map(([name, value]) => [
      storableText(name),
      text(`the value of where.tags[${JSON.stringify(name)}]`, value),
    ]),
    kinds: where.has('kind') ? kindsOf(where.get('kind')) : ['request'],
  }
}

function operationOf(given: unknown): Operation {
  if ((allOperations as readonly unknown[]).includes(given)) return given as Operation
  const got = typeof given === 'string' ? JSON.stringify(given) : kindOf(given)
  throw new TypeError(
    `usage(): where.operation is ${got}, expected one of ${allOperations.map(each => JSON.stringify(each)).join(', ')}.`,
  )
}

function kindsOf(given: unknown): readonly RecordKind[] {
  const kinds: readonly unknown[] = Array.isArray(given) ? given : [given]
  const known = allKinds.filter(kind => kinds.includes(kind))
  if (kinds.length > 0 && kinds.every(kind => allKinds.includes(kind as RecordKind))) return known
  const wrong = kinds.find(kind => !allKinds.includes(kind as RecordKind))
  const got =
    kinds.length === 0 ? 'an empty list' : typeof wrong === 'string' ? JSON.stringify(wrong) : kindOf(wrong)
  const words = allKinds.map(kind => `"${kind}"`).join(', ')
  throw new TypeError(`usage(): where.kind has ${got}, expected ${words}, or a list of them.`)
}

function membersOf(what: string, value: unknown): ReadonlyMap<string, unknown> {
  const plain = typeof value === 'object' && value !== null && isPlain(value)
  if (plain) return new Map(Object.entries(value))
  throw new TypeError(`usage(): ${what} is ${kindOf(value)}, expected a plain object.`)
}

/** A `Map` or a `Date` has no members: it would match everything. */
function isPlain(value: object): boolean {
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === null || Object.getPrototypeOf(prototype) === null
}

function text(what: string, value: unknown): string {
  if (typeof value === 'string') return storableText(value)
  const hint = value === undefined ? ' Leave out what is not to be matched.' : ''
  throw new TypeError(`usage(): ${what} is ${kindOf(value)}, expected a text.${hint}`)
}

function kindOf(value: unknown): string {
  if (value === null || value === undefined) return String(value)
  if (Array.isArray(value)) return 'a list'
  return typeof value === 'object' ? 'an object of another kind' : `a ${typeof value}`
}

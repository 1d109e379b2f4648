import type { RequestRow } from '../../src/api.ts'
import { type Caller, callerName } from '../session/key-names.ts'
import { searchOf } from '../shell/location.ts'
import { errorText } from './error-text.ts'
import type { Outcome } from './outcome-label.ts'

/** What requests have to have; empty: anything. The address of the view has it. */
export interface RequestQuery {
  /** A part of what is shown of the request, of its id, or of the name of its key. */
  readonly q: string
  readonly model: string
  /** See `callerKey`. */
  readonly key: string
  readonly outcome: Outcome | ''
}

/** Reads the query of an address; what is unknown is left out. */
export function requestQuery(search: string): RequestQuery {
  const given = new URLSearchParams(search)
  const textAt = (name: keyof RequestQuery) => given.get(name) ?? ''
  return {
    q: textAt('q'),
    model: textAt('model'),
    key: textAt('key'),
    outcome: textAt('outcome') as RequestQuery['outcome'],
  }
}

/** Returns the query as that of an address. */
export function requestSearch(query: RequestQuery): string {
  return searchOf({ ...query })
}

/** A caller as the value of the filter. */
export function callerKey({ key, source = '' }: RequestRow): string {
  return key === undefined ? '' : `${source} ${key}`
}

/** The caller of such a value. */
export function callerOfKey(value: string): Caller {
  const at = value.indexOf(' ')
  return { id: value.slice(at + 1), source: value.slice(0, at) || undefined }
}

/** Whether a request has what the query wants. */
export function matchesQuery(
  row: RequestRow,
  { q, model, key, outcome }: RequestQuery,
  names: ReadonlyMap<string, string>,
): boolean {
  if (model !== '' && row.model !== model) return false
  if (key !== '' && callerKey(row) !== key) return false
  if (outcome !== '' && row.outcome !== outcome) return false
  const words = q
    .toLowerCase()
    .split(/\s+/)
    .filter(word => word !== '')
  if (words.length === 0) return true
  const text = textOf(row, names).toLowerCase()
  return words.every(word => text.includes(word))
}

function textOf(row: RequestRow, names: ReadonlyMap<string, string>): string {
  const { id, model, key, source, team, provider, dialect, operation, outcome, status, error } = row
  const caller = key === undefined ? [] : [key, callerName({ id: key, source }, names)]
  const failure = error === undefined ? [] : [error, errorText(error)]
  return [id, model, ...caller, team, provider, dialect, operation, outcome, status, ...failure].join('\n')
}

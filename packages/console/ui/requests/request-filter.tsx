import { useId } from 'preact/hooks'
import type { RequestRow } from '../../src/api.ts'
import { Choice } from '../parts/choice.tsx'
import { type Caller, callerNames } from '../session/key-names.ts'
import { useKeyNames } from '../session/use-key-names.ts'
import { type Outcome, outcomeNames } from './outcome-label.ts'
import { callerKey, callerOfKey, type RequestQuery } from './request-query.ts'

/** Chooses among what the requests have. */
export function RequestFilter({
  rows,
  query,
  onChange,
}: {
  rows: readonly RequestRow[]
  query: RequestQuery
  onChange(query: RequestQuery): void
}) {
  const names = useKeyNames()
  const field = useId()
  const outcomes = Object.entries(outcomeNames) as [Outcome, string][]
  return (
    <search class="filters request-filters" aria-label="Filter requests">
      <div class="field inline search-field">
        <label for={field}>Search</label>
        <input
          id={field}
          type="search"
          maxLength={200}
          placeholder="Id, key, error …"
          value={query.q}
          onInput={event => onChange({ ...query, q: event.currentTarget.value })}
        />
      </div>
      <Choice
        label="Model"
        value={query.model}
        options={withAll(
          'All',
          rows.map(({ model }) => model),
          query.model,
        )}
        onChange={model => onChange({ ...query, model })}
      />
      <Choice
        label="Key"
        value={query.key}
        options={[['', 'All'], ...callerOptions(rows, query.key, names)]}
        onChange={key => onChange({ ...query, key })}
      />
      <Choice<Outcome | ''>
        label="Outcome"
        value={query.outcome}
        options={[['', 'All'], ...outcomes]}
        onChange={outcome => onChange({ ...query, outcome })}
      />
    </search>
  )
}

/** The callers of the requests, by name. */
function callerOptions(
  rows: readonly RequestRow[],
  chosen: string,
  names: ReadonlyMap<string, string>,
): readonly (readonly [string, string])[] {
  const callers = new Map<string, Caller>()
  for (const row of rows)
    if (row.key !== undefined) callers.set(callerKey(row), { id: row.key, source: row.source })
  // The one that is chosen stays, also when none of its requests is shown any more.
  if (chosen !== '' && !callers.has(chosen)) callers.set(chosen, callerOfKey(chosen))
  const texts = callerNames([...callers.values()], names)
  return [...callers.keys()]
    .map((value, at) => [value, texts[at]!] as const)
    .sort(([, one], [, other]) => one.localeCompare(other))
}

function withAll(
  all: string,
  values: readonly (string | undefined)[],
  chosen: string,
): readonly (readonly [string, string])[] {
  const known = [...new Set([...values, chosen])].filter(value => value !== undefined && value !== '')
  return [['', all], ...known.sort().map(value => [value!, value!] as const)]
}

import type { RequestRow } from '../../src/api.ts'
import { Choice } from '../parts/choice.tsx'
import { type Caller, callerNames } from '../session/key-names.ts'
import { useKeyNames } from '../session/use-key-names.ts'
import { type Outcome, outcomeNames } from './outcome-mark.tsx'

/** What requests have to have; empty: anything. */
export interface Filter {
  readonly model: string
  /** See `callerKey`. */
  readonly key: string
  readonly outcome: Outcome | ''
}

/** A caller as the value of the filter. */
export function callerKey({ key, source = '' }: RequestRow): string {
  return key === undefined ? '' : `${source} ${key}`
}

export const allOf: Filter = { model: '', key: '', outcome: '' }

/** Chooses among what the requests have. */
export function RequestFilter({
  rows,
  filter,
  onChange,
}: {
  rows: readonly RequestRow[]
  filter: Filter
  onChange(filter: Filter): void
}) {
  const names = useKeyNames()
  const outcomes = Object.entries(outcomeNames) as [Outcome, string][]
  return (
    <search class="filters" aria-label="Filter requests">
      <Choice
        label="Model"
        value={filter.model}
        options={withAll(
          'All models',
          rows.map(({ model }) => model),
          filter.model,
        )}
        onChange={model => onChange({ ...filter, model })}
      />
      <Choice
        label="Key"
        value={filter.key}
        options={[['', 'All keys'], ...callerOptions(rows, filter.key, names)]}
        onChange={key => onChange({ ...filter, key })}
      />
      <Choice<Outcome | ''>
        label="Outcome"
        value={filter.outcome}
        options={[['', 'All outcomes'], ...outcomes]}
        onChange={outcome => onChange({ ...filter, outcome })}
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
  if (chosen !== '' && !callers.has(chosen)) {
    const at = chosen.indexOf(' ')
    callers.set(chosen, { id: chosen.slice(at + 1), source: chosen.slice(0, at) || undefined })
  }
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

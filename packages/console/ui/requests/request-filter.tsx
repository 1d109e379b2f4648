import type { RequestRow } from '../../src/api.ts'
import { Choice } from '../parts/choice.tsx'
import { type Outcome, outcomeNames } from './outcome-mark.tsx'

/** What requests have to have; empty: anything. */
export interface Filter {
  readonly model: string
  readonly key: string
  readonly outcome: Outcome | ''
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
  const outcomes = Object.entries(outcomeNames) as [Outcome, string][]
  return (
    <search class="filters" aria-label="Show only">
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
        options={withAll(
          'All keys',
          rows.map(({ key }) => key),
          filter.key,
        )}
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

function withAll(
  all: string,
  values: readonly (string | undefined)[],
  chosen: string,
): readonly (readonly [string, string])[] {
  const known = [...new Set([...values, chosen])].filter(value => value !== undefined && value !== '')
  return [['', all], ...known.sort().map(value => [value!, value!] as const)]
}

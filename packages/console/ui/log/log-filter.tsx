import { useEffect, useId, useState } from 'preact/hooks'
import { Choice } from '../parts/choice.tsx'
import { periodOptions } from '../parts/periods.ts'
import { outcomeNames } from '../requests/outcome-label.ts'
import type { LogQuery } from './log-query.ts'

type TextName = Exclude<keyof LogQuery, 'span' | 'outcome' | 'after'>

const fields: readonly (readonly [name: TextName, label: string, placeholder: string])[] = [
  ['model', 'Model', ''],
  ['key', 'Key', ''],
  ['user', 'User', ''],
  ['status', 'Status', '5xx'],
  ['tag', 'Tag', 'team:search'],
  ['errorText', 'Error text', ''],
]

/** The conditions of a search. Texts apply when the form is sent, the period at once. */
export function LogFilter({ query, onSearch }: { query: LogQuery; onSearch(query: LogQuery): void }) {
  const [form, setForm] = useState(query)
  useEffect(() => setForm(query), [query])
  const search = (event: Event) => {
    event.preventDefault()
    onSearch({ ...form, after: '' })
  }
  return (
    <search aria-label="Search the request log">
      <form class="filters log-filters" onSubmit={search}>
        <Choice
          label="Period"
          value={form.span}
          options={[...periodOptions, ['', 'All']]}
          onChange={span => onSearch({ ...form, span, after: '' })}
        />
        <Choice
          label="Outcome"
          value={form.outcome}
          options={[['', 'All'], ...Object.entries(outcomeNames).filter(([name]) => name !== 'running')]}
          onChange={outcome => onSearch({ ...form, outcome, after: '' })}
        />
        {fields.map(([name, label, placeholder]) => (
          <TextField
            key={name}
            label={label}
            placeholder={placeholder}
            value={form[name]}
            onInput={value => setForm({ ...form, [name]: value })}
          />
        ))}
        <button class="button" type="submit">
          Search
        </button>
      </form>
    </search>
  )
}

function TextField({
  label,
  placeholder,
  value,
  onInput,
}: {
  label: string
  placeholder: string
  value: string
  onInput(value: string): void
}) {
  const id = useId()
  return (
    <div class="field inline">
      <label for={id}>{label}</label>
      <input
        id={id}
        type="text"
        maxLength={200}
        placeholder={placeholder}
        value={value}
        onInput={event => onInput(event.currentTarget.value)}
      />
    </div>
  )
}

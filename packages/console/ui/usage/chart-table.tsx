import { useState } from 'preact/hooks'
import { scrollable } from '../parts/scrollable.ts'
import type { ChartLine, ChartUnit } from './chart-types.ts'

/** The same values as a table, of the minutes that have any. */
export function ChartTable({
  title,
  at,
  lines,
  text,
  unit,
}: {
  title: string
  at: readonly number[]
  lines: readonly ChartLine[]
  text(value: number | null): string
  unit: ChartUnit
}) {
  const [open, setOpen] = useState(false)
  const minutes = open
    ? at.map((minute, index) => ({ minute, index })).filter(({ index }) => lines.some(has(index)))
    : []
  return (
    <details class="chart-table" onToggle={event => setOpen(event.currentTarget.open)}>
      <summary>As a table</summary>
      {open && (
        <section class="table-box" {...scrollable} aria-label={`${title} as a table`}>
          <table class="table">
            <caption class="hidden">
              {title}, {unit.name} by {unit.name}
            </caption>
            <thead>
              <tr>
                <th scope="col">{capitalized(unit.name)}</th>
                {lines.map(({ name }) => (
                  <th key={name} scope="col" class="number">
                    {name}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {minutes.map(({ minute, index }) => (
                <tr key={minute}>
                  <th scope="row">
                    <time dateTime={new Date(minute).toISOString()}>{unit.text(minute)}</time>
                  </th>
                  {lines.map(({ name, values }) => (
                    <td key={name} class="number">
                      {text(values[index] ?? null)}
                    </td>
                  ))}
                </tr>
              ))}
            </tbody>
          </table>
          {minutes.length === 0 && <p class="muted table-note">No data in this period.</p>}
        </section>
      )}
    </details>
  )
}

function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

function has(index: number): (line: ChartLine) => boolean {
  return ({ values }) => (values[index] ?? 0) !== 0
}

import { useState } from 'preact/hooks'
import { Moment } from '../parts/moment.tsx'
import { scrollable } from '../parts/scrollable.ts'
import type { ChartLine } from './chart-types.ts'

/** The same values as a table, of the minutes that have any. */
export function ChartTable({
  title,
  at,
  lines,
  text,
}: {
  title: string
  at: readonly number[]
  lines: readonly ChartLine[]
  text(value: number | null): string
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
            <caption class="hidden">{title}, minute by minute</caption>
            <thead>
              <tr>
                <th scope="col">Minute</th>
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
                    <Moment at={minute} />
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

function has(index: number): (line: ChartLine) => boolean {
  return ({ values }) => (values[index] ?? 0) !== 0
}

import type { ChartLine, ChartUnit } from './chart-types.ts'

/** What the cursor stands at, in words. */
export function ChartReadout({
  at,
  lines,
  text,
  cursor,
  sums,
  spoken,
  unit,
}: {
  at: readonly number[]
  lines: readonly ChartLine[]
  text(value: number | null): string
  cursor: number | undefined
  /** Whether the values of one minute can be added up. */
  sums: boolean
  /** Whether screen readers tell it: of charts with one cursor, that of the one in use. */
  spoken: boolean
  unit: ChartUnit
}) {
  const minute = cursor === undefined ? undefined : at[cursor]
  const live = spoken ? 'polite' : 'off'
  if (cursor === undefined || minute === undefined) return <p class="readout" aria-live={live} />
  const values = lines.map(({ name, values }, line) => ({ name, line, value: values[cursor] ?? null }))
  const there = values.filter(({ value }) => value !== null && value !== 0)
  return (
    <p class="readout small" aria-live={live}>
      <time dateTime={new Date(minute).toISOString()}>{unit.text(minute)}</time>
      {sums && there.length !== 1 && (
        <span>{text(values.reduce((all, { value }) => all + (value ?? 0), 0))}</span>
      )}
      {there.map(({ name, line, value }) => (
        <span key={name}>
          <span class={`swatch series-${line}`} aria-hidden="true" />
          {name} {text(value)}
        </span>
      ))}
    </p>
  )
}

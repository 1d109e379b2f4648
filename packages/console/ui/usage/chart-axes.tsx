import type { ChartLayout, ChartUnit } from './chart-types.ts'

/** Lines at the bottom, half-way and at the top, and some of the minutes. */
export function ChartAxes({
  place: { left, right, bottom, x, y },
  top,
  at,
  axis,
  unit,
}: {
  place: ChartLayout
  top: number
  at: readonly number[]
  axis(value: number): string
  unit: ChartUnit
}) {
  const step = Math.max(1, Math.ceil(at.length / 4))
  return (
    <g class="axes">
      {[0, top / 2, top].map(value => (
        <g key={value}>
          <line x1={left} x2={right} y1={y(value)} y2={y(value)} />
          <text x={left - 8} y={y(value) + 4} text-anchor="end">
            {axis(value)}
          </text>
        </g>
      ))}
      {at.map((minute, index) =>
        index % step === 0 ? (
          <text key={minute} x={x(index)} y={bottom + 17} text-anchor="middle">
            {unit.axis(minute)}
          </text>
        ) : null,
      )}
    </g>
  )
}

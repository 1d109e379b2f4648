import { stacked } from './chart-scale.ts'
import type { ChartLayout, ChartLine } from './chart-types.ts'

/** One bar a minute, in which each line has its part. */
export function ChartBars({
  place,
  lines,
  minutes,
  marked,
}: {
  place: ChartLayout
  lines: readonly ChartLine[]
  minutes: number
  marked: string | undefined
}) {
  const width = Math.max(1, Math.min(22, ((place.right - place.left) / minutes) * 0.72))
  return (
    <g>
      {Array.from({ length: minutes }, (_, index) =>
        stacked(lines.map(({ values }) => values[index] ?? null)).map(([from, to], at) =>
          to > from ? (
            <rect
              key={`${index} ${at}`}
              class={`series-${at}${marked !== undefined && marked !== lines[at]!.name ? ' faded' : ''}`}
              x={place.x(index) - width / 2}
              y={place.y(to)}
              width={width}
              height={Math.max(1, place.y(from) - place.y(to) - (from > 0 ? 1 : 0))}
              rx={1}
            />
          ) : null,
        ),
      )}
    </g>
  )
}

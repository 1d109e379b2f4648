import { runsOf } from './chart-scale.ts'
import type { ChartLayout, ChartLine } from './chart-types.ts'

/** One line each, with a gap where there is no value. Odd ones are dashed. */
export function ChartLines({
  place,
  lines,
  marked,
}: {
  place: ChartLayout
  lines: readonly ChartLine[]
  minutes: number
  marked: string | undefined
}) {
  return (
    <g>
      {lines.map(({ name, values }, at) => (
        <g key={name} class={`series-${at}${marked !== undefined && marked !== name ? ' faded' : ''}`}>
          {runsOf(values).map(run => (
            <polyline
              key={run[0]}
              stroke-dasharray={at % 2 === 1 ? '4 3' : undefined}
              points={run.map(index => `${place.x(index)},${place.y(values[index]!)}`).join(' ')}
            />
          ))}
          {values.map((value, index) =>
            value === null ? null : <circle key={index} cx={place.x(index)} cy={place.y(value)} r={2.5} />,
          )}
        </g>
      ))}
    </g>
  )
}

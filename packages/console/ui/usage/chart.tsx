import type { ComponentChildren, RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'
import { ChartAxes } from './chart-axes.tsx'
import { ChartBars } from './chart-bars.tsx'
import { ChartLines } from './chart-lines.tsx'
import { ChartReadout } from './chart-readout.tsx'
import { roundTop } from './chart-scale.ts'
import { ChartTable } from './chart-table.tsx'
import type { ChartLayout, ChartLine, ChartUnit } from './chart-types.ts'
import { chartUnits } from './chart-units.ts'

const height = 168

/** What charts over the same minutes share. */
export interface SharedChart {
  readonly at: readonly number[]
  readonly cursor: number | undefined
  onCursor(cursor: number | undefined): void
  /** The line that is pointed at elsewhere. */
  readonly marked: string | undefined
  /** What the values are of. Default: minutes. */
  readonly unit?: ChartUnit
}

/** One measure over the minutes. The cursor is moved by pointing, or by the arrow keys. */
export function Chart({
  title,
  kind,
  at,
  lines,
  text,
  axis,
  cursor,
  onCursor,
  marked,
  unit = chartUnits.minutes,
  children,
}: SharedChart & {
  title: string
  kind: 'bars' | 'line'
  lines: readonly ChartLine[]
  text(value: number | null): string
  axis(value: number): string
  /** What stands beside the title. */
  children?: ComponentChildren
}) {
  const [focused, setFocused] = useState(false)
  const [box, width] = useWidth<HTMLDivElement>()
  const top = roundTop(highest(kind, at, lines))
  const place = layoutOf(width, at.length, top)
  const point = (event: MouseEvent) => {
    const x = event.clientX - (event.currentTarget as Element).getBoundingClientRect().left
    const index = Math.floor(((x - place.left) / (place.right - place.left)) * at.length)
    onCursor(index >= 0 && index < at.length ? index : undefined)
  }
  const Marks = kind === 'bars' ? ChartBars : ChartLines
  return (
    <figure class="card chart">
      <div class="chart-head">
        <figcaption>{title}</figcaption>
        {children}
      </div>
      <div class="chart-box" ref={box}>
        {width > 0 && (
          <svg width={width} height={height} aria-hidden="true">
            <ChartAxes place={place} top={top} at={at} axis={axis} unit={unit} />
            {cursor !== undefined && (
              <line
                class="cursor"
                x1={place.x(cursor)}
                x2={place.x(cursor)}
                y1={place.top}
                y2={place.bottom}
              />
            )}
            <Marks place={place} lines={lines} minutes={at.length} marked={marked} />
          </svg>
        )}
        <input
          type="range"
          min={0}
          max={Math.max(0, at.length - 1)}
          value={cursor ?? at.length - 1}
          aria-label={`${title}: the ${unit.name}`}
          aria-valuetext={partText(unit, at[cursor ?? at.length - 1])}
          onInput={event => onCursor(Number(event.currentTarget.value))}
          onFocus={() => {
            setFocused(true)
            onCursor(cursor ?? at.length - 1)
          }}
          onBlur={() => {
            setFocused(false)
            onCursor(undefined)
          }}
          onMouseMove={point}
          onMouseLeave={() => onCursor(undefined)}
        />
      </div>
      <ChartReadout
        at={at}
        lines={lines}
        text={text}
        cursor={cursor}
        sums={kind === 'bars'}
        spoken={focused}
        unit={unit}
      />
      <ChartTable title={title} at={at} lines={lines} text={text} unit={unit} />
    </figure>
  )
}

function partText(unit: ChartUnit, at: number | undefined): string {
  return at === undefined ? '' : unit.text(at)
}

function layoutOf(width: number, minutes: number, top: number): ChartLayout {
  const [left, right, upper, bottom] = [60, Math.max(61, width - 4), 10, height - 22]
  return {
    left,
    right,
    top: upper,
    bottom,
    x: index => left + ((index + 0.5) / Math.max(1, minutes)) * (right - left),
    y: value => bottom - (value / top) * (bottom - upper),
  }
}

function highest(kind: 'bars' | 'line', at: readonly number[], lines: readonly ChartLine[]): number {
  if (kind === 'line') return Math.max(0, ...lines.flatMap(({ values }) => values.map(value => value ?? 0)))
  return Math.max(
    0,
    ...at.map((_, index) => lines.reduce((sum, { values }) => sum + (values[index] ?? 0), 0)),
  )
}

/** The width of an element in pixels, told again when it changes. */
function useWidth<E extends Element>(): readonly [RefObject<E>, number] {
  const element = useRef<E>(null)
  const [width, setWidth] = useState(0)
  useEffect(() => {
    const observer = new ResizeObserver(([entry]) => setWidth(entry?.contentRect.width ?? 0))
    if (element.current !== null) observer.observe(element.current)
    return () => observer.disconnect()
  }, [])
  return [element, width]
}

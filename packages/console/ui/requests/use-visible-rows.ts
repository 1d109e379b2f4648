import type { RefObject } from 'preact'
import { useEffect, useRef, useState } from 'preact/hooks'

/** The rows of a long table that are in the document, and the height of those before and after them in pixels. */
export interface VisibleRows {
  readonly start: number
  readonly end: number
  readonly before: number
  readonly after: number
}

/** More rows than this are never in the document, unless the screen is so high that more are seen. Spacers are rows, too. */
const maxRows = 58
const margin = 15
/** Until one was measured. */
const usualHeight = 41

/** Which of `count` rows are near the screen, as the page scrolls. `table` has only these between its spacers. */
export function useVisibleRows(count: number, table: RefObject<HTMLTableElement>): VisibleRows {
  const [range, setRange] = useState<readonly [start: number, end: number]>([0, maxRows])
  const height = useRef(usualHeight)
  useEffect(() => {
    if (count <= maxRows) return
    let frame: number | undefined
    const measure = () => {
      frame = undefined
      const element = table.current
      // On a narrow screen the list is hidden while a request is open: it is to be as it was afterwards.
      if (element === null || element.offsetParent === null) return
      height.current = measuredHeight(element) ?? height.current
      const top = (element.tHead ?? element).getBoundingClientRect().bottom
      setRange(last => sameRange(last, rangeAt(-top / height.current, innerHeight / height.current, count)))
    }
    const schedule = () => {
      frame ??= requestAnimationFrame(measure)
    }
    schedule()
    addEventListener('scroll', schedule, { passive: true })
    addEventListener('resize', schedule)
    return () => {
      if (frame !== undefined) cancelAnimationFrame(frame)
      removeEventListener('scroll', schedule)
      removeEventListener('resize', schedule)
    }
  }, [count])
  if (count <= maxRows) return { start: 0, end: count, before: 0, after: 0 }
  const end = Math.min(range[1], count)
  const start = Math.min(range[0], Math.max(0, end - 1))
  return { start, end, before: start * height.current, after: (count - end) * height.current }
}

/** The height of a row: the average, because some may have a second line. */
function measuredHeight(table: HTMLTableElement): number | undefined {
  const body = table.querySelector<HTMLElement>('tbody[data-rows]')
  const rows = body?.childElementCount ?? 0
  return body === null || rows === 0 || body.offsetHeight === 0 ? undefined : body.offsetHeight / rows
}

/** `first`: the row at the upper edge of the screen. `seen`: how many fit into it. */
export function rangeAt(first: number, seen: number, count: number): readonly [start: number, end: number] {
  const size = Math.min(count, Math.max(Math.ceil(seen) + 2, Math.min(maxRows, Math.ceil(seen) + 2 * margin)))
  const start = Math.floor(first) - Math.floor((size - seen) / 2)
  const from = Math.min(Math.max(0, start), count - size)
  return [from, from + size]
}

function sameRange(
  last: readonly [number, number],
  next: readonly [number, number],
): readonly [number, number] {
  return last[0] === next[0] && last[1] === next[1] ? last : next
}

import { clock, dayAndClock } from '../format/clock.ts'

/** A moment in the reader's own time; its exact time is told when pointed at. */
export function Moment({ at, date = false }: { at: number; date?: boolean }) {
  const moment = new Date(at)
  const text = date ? dayAndClock(moment) : clock(moment, 'second')
  return (
    <time dateTime={moment.toISOString()} title={moment.toISOString()}>
      {text}
    </time>
  )
}

import { clock, dayAndClock } from '../format/clock.ts'

/** A moment in the reader's own time, with the exact time as its title. */
export function Moment({ at, date = false }: { at: number; date?: boolean }) {
  const moment = new Date(at)
  const text = date ? dayAndClock(moment) : clock(moment, 'second')
  return (
    <time dateTime={moment.toISOString()} title={moment.toISOString()}>
      {text}
    </time>
  )
}

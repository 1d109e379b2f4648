/** A moment in the reader's own time; its exact time is told when pointed at. */
export function Moment({ at, date = false }: { at: number; date?: boolean }) {
  const moment = new Date(at)
  const text = date
    ? moment.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })
    : moment.toLocaleTimeString([], { hour: '2-digit', minute: '2-digit', second: '2-digit', hour12: false })
  return (
    <time dateTime={moment.toISOString()} title={moment.toISOString()}>
      {text}
    </time>
  )
}

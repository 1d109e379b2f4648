import { useRef } from 'preact/hooks'
import type { RequestRow } from '../../src/api.ts'
import { day } from '../format/clock.ts'
import { count } from '../format/count.ts'
import { money } from '../format/money.ts'
import { span } from '../format/span.ts'
import { CallerName } from '../parts/caller-name.tsx'
import { Moment } from '../parts/moment.tsx'
import { hrefOf } from '../shell/location.ts'
import { OutcomeMark } from './outcome-mark.tsx'
import { useVisibleRows } from './use-visible-rows.ts'

/** Requests, newest first. Of many only those near the screen are in the document. Where there is little room, what matters less is left to the panel. */
export function RequestList({
  rows,
  open,
  caption = 'Requests, newest first',
  withDay = false,
  hrefTo = id => hrefOf('requests', id),
}: {
  rows: readonly RequestRow[]
  open: string | undefined
  caption?: string
  /** Whether the requests can be of different days. */
  withDay?: boolean
  /** Returns the address of a row. */
  hrefTo?: (id: string) => string
}) {
  const table = useRef<HTMLTableElement>(null)
  const { start, end, before, after } = useVisibleRows(rows.length, table)
  return (
    <div class="table-box">
      <table class="table requests-table" ref={table} aria-rowcount={rows.length + 1}>
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr aria-rowindex={1}>
            <th scope="col">Time</th>
            <th scope="col">Model</th>
            <th scope="col">Outcome</th>
            <th scope="col" class="less mid">
              Dialect
            </th>
            <th scope="col" class="less">
              Key
            </th>
            <th scope="col" class="less">
              Provider
            </th>
            <th scope="col" class="number less mid">
              First byte
            </th>
            <th scope="col" class="number wide-only">
              Total
            </th>
            <th scope="col" class="number less">
              Tokens
            </th>
            <th scope="col" class="number">
              Cost
            </th>
          </tr>
        </thead>
        <Spacer height={before} />
        <tbody data-rows>
          {rows.slice(start, end).map((row, at) => (
            <Row
              key={row.id}
              row={row}
              index={start + at + 2}
              withDay={withDay}
              open={row.id === open}
              href={hrefTo(row.id)}
            />
          ))}
        </tbody>
        <Spacer height={after} />
      </table>
    </div>
  )
}

/** The height of the rows that are not in the document. */
function Spacer({ height }: { height: number }) {
  if (height === 0) return null
  return (
    <tbody class="spacer" aria-hidden="true">
      <tr>
        <td colSpan={10} style={{ height: `${height}px` }} />
      </tr>
    </tbody>
  )
}

function Row({
  row,
  index,
  withDay,
  open,
  href,
}: {
  row: RequestRow
  /** Its position in the table, the head of which is the first row. */
  index: number
  withDay: boolean
  open: boolean
  href: string
}) {
  const tokens = row.promptTokens === undefined ? undefined : row.promptTokens + (row.completionTokens ?? 0)
  return (
    <tr class={open ? 'open' : undefined} data-id={row.id} aria-rowindex={index}>
      <td>
        <a class="row-link" href={href} aria-current={open ? 'true' : undefined}>
          {withDay && <span class="row-day">{day(new Date(row.at))} </span>}
          <Moment at={row.at} />
          <span class="hidden"> Request {row.id}</span>
        </a>
      </td>
      <td class="name cell-text" title={row.model}>
        {row.model ?? '–'}
      </td>
      <td>
        <OutcomeMark request={row} />
      </td>
      <td class="less mid">{row.dialect}</td>
      <td class="cell-text less">
        <CallerName id={row.key} source={row.source} />
      </td>
      <td class="cell-text less" title={row.provider}>
        {row.provider ?? '–'}
      </td>
      <td class="number less mid">{span(row.firstByteMs)}</td>
      <td class="number wide-only">{span(row.totalMs)}</td>
      <td class="number less">{count(tokens)}</td>
      <td class="number">{money(row.cost)}</td>
    </tr>
  )
}

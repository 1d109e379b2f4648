import type { RequestRow } from '../../src/api.ts'
import { count } from '../format/count.ts'
import { money } from '../format/money.ts'
import { span } from '../format/span.ts'
import { CallerName } from '../parts/caller-name.tsx'
import { Moment } from '../parts/moment.tsx'
import { hrefOf } from '../shell/location.ts'
import { OutcomeMark } from './outcome-mark.tsx'

/** Requests, newest first. Where there is little room, what matters less is left to the panel. */
export function RequestList({
  rows,
  open,
  caption = 'Requests, newest first',
  hrefTo = id => hrefOf('requests', id),
}: {
  rows: readonly RequestRow[]
  open: string | undefined
  caption?: string
  /** Returns the address of a row. */
  hrefTo?: (id: string) => string
}) {
  return (
    <div class="table-box">
      <table class="table requests-table">
        <caption class="hidden">{caption}</caption>
        <thead>
          <tr>
            <th scope="col">Time</th>
            <th scope="col">Model</th>
            <th scope="col">Outcome</th>
            <th scope="col" class="less">
              Dialect
            </th>
            <th scope="col" class="less">
              Key
            </th>
            <th scope="col" class="less">
              Provider
            </th>
            <th scope="col" class="number less">
              First byte
            </th>
            <th scope="col" class="number">
              Total
            </th>
            <th scope="col" class="number less">
              Tokens
            </th>
            <th scope="col" class="number less">
              Cost
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(row => (
            <Row key={row.id} row={row} open={row.id === open} href={hrefTo(row.id)} />
          ))}
        </tbody>
      </table>
    </div>
  )
}

function Row({ row, open, href }: { row: RequestRow; open: boolean; href: string }) {
  const tokens = row.promptTokens === undefined ? undefined : row.promptTokens + (row.completionTokens ?? 0)
  return (
    <tr class={open ? 'open' : undefined} data-id={row.id}>
      <td>
        <a class="row-link" href={href} aria-current={open ? 'true' : undefined}>
          <Moment at={row.at} />
          <span class="hidden"> Request {row.id}</span>
        </a>
      </td>
      <td class="name">{row.model ?? '–'}</td>
      <td>
        <OutcomeMark outcome={row.outcome} status={row.status} />
      </td>
      <td class="name less">{row.dialect}</td>
      <td class="name less">
        <CallerName id={row.key} source={row.source} />
      </td>
      <td class="name less">{row.provider ?? '–'}</td>
      <td class="number less">{span(row.firstByteMs)}</td>
      <td class="number">{span(row.totalMs)}</td>
      <td class="number less">{count(tokens)}</td>
      <td class="number less">{money(row.cost)}</td>
    </tr>
  )
}

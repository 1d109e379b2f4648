import type { ComponentChildren } from 'preact'
import type { LoggedBodies, ReplayedRequest, RequestDetail } from '../../src/api.ts'
import { span } from '../format/span.ts'
import { costText, tokensText } from '../requests/request-sums.ts'
import { hrefOf } from '../shell/location.ts'
import { ScrolledText } from './body-text.tsx'

/** The stored response and the new one: their sums in a table, and their texts beside each other. */
export function ReplayComparison({
  request,
  bodies,
  replayed,
}: {
  request: RequestDetail
  bodies: LoggedBodies
  replayed: ReplayedRequest
}) {
  const { request: again } = replayed
  const rows: readonly (readonly [name: string, stored: ComponentChildren, again: ComponentChildren])[] = [
    ['Status', <Status status={bodies.status} />, <Status status={replayed.status} />],
    ['Provider', request.provider ?? '–', again?.provider ?? '–'],
    ['Tokens', tokensText(request), again === undefined ? '–' : tokensText(again)],
    ['Cost', costText(request), again === undefined ? '–' : costText(again)],
    ['First byte', span(request.firstByteMs), span(again?.firstByteMs)],
    ['Total', span(request.totalMs), span(again?.totalMs)],
  ]
  return (
    <div class="stack comparison">
      <div class="table-box">
        <table class="table">
          <caption class="hidden">The stored response and the new one</caption>
          <thead>
            <tr>
              <th scope="col">
                <span class="hidden">Value</span>
              </th>
              <th scope="col">Stored</th>
              <th scope="col">Replay</th>
            </tr>
          </thead>
          <tbody>
            {rows.map(([name, one, other]) => (
              <tr key={name}>
                <th scope="row" class="muted">
                  {name}
                </th>
                <td>{one}</td>
                <td>{other}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {bodies.text === replayed.text && <p class="muted small">Both texts are the same.</p>}
      <div class="compared">
        <div>
          <h4>Stored</h4>
          <ScrolledText label="Stored response" text={bodies.text ?? 'No response was sent.'} />
        </div>
        <div>
          <h4>Replay</h4>
          <ScrolledText label="New response" text={replayed.text} />
        </div>
      </div>
      {again !== undefined && <a href={hrefOf('requests', again.id)}>Details of the new request</a>}
    </div>
  )
}

function Status({ status }: { status: number }) {
  return <span class={status < 400 ? 'status good' : 'status bad'}>{status}</span>
}

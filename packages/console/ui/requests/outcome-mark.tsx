import { type Outcome, outcomeLabel, type RequestEnd } from './outcome-label.ts'

const looks: Readonly<Record<Outcome, readonly [string, string]>> = {
  running: ['accent', '●'],
  completed: ['quiet', '✓'],
  refused: ['warn', '⊘'],
  client_disconnected: ['quiet', '↩'],
  upstream_failed: ['bad', '✕'],
  gateway_closed: ['warn', '■'],
  internal_error: ['bad', '!'],
}

/** How a request ended, by a sign and in words. */
export function OutcomeMark({ request }: { request: RequestEnd }) {
  const [look, sign] = looks[request.outcome] ?? ['quiet', '?']
  const [label, status] = outcomeLabel(request)
  return (
    <span class={`mark-of ${look}`} data-outcome={request.outcome}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      <span>
        {label}
        {status !== undefined && <span class="muted"> {status}</span>}
      </span>
    </span>
  )
}

import type { RequestRow } from '../../src/api.ts'

export type Outcome = RequestRow['outcome']

/** The label of each outcome. */
export const outcomeNames: Readonly<Record<Outcome, string>> = {
  running: 'Running',
  completed: 'Completed',
  refused: 'Rejected',
  client_disconnected: 'Client disconnected',
  upstream_failed: 'Upstream failed',
  gateway_closed: 'Gateway closed',
  internal_error: 'Internal error',
}

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
export function OutcomeMark({ outcome, status }: { outcome: Outcome; status?: number | undefined }) {
  const [look, sign] = looks[outcome] ?? ['quiet', '?']
  return (
    <span class={`mark-of ${look}`} data-outcome={outcome}>
      <span class="sign" aria-hidden="true">
        {sign}
      </span>
      <span>
        {outcomeNames[outcome] ?? outcome}
        {status !== undefined && outcome !== 'completed' && <span class="muted"> {status}</span>}
      </span>
    </span>
  )
}

import type { RequestRow } from '../../src/api.ts'

export type Outcome = RequestRow['outcome']

/** How a request ended. */
export type RequestEnd = Pick<RequestRow, 'outcome' | 'status' | 'stream'>

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

/** The label of a request's outcome, and the status to show beside it. */
export function outcomeLabel({ outcome, status, stream }: RequestEnd): readonly [string, number?] {
  const name = outcomeNames[outcome] ?? outcome
  if (status === undefined || outcome === 'completed') return [name]
  if (outcome !== 'upstream_failed' || status >= 400) return [name, status]
  // The status was sent before the failure, and says nothing about it.
  return [stream ? 'Stream interrupted' : name]
}

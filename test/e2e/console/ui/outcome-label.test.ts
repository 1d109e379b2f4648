import { expect, it } from 'vitest'
import { type Outcome, outcomeLabel } from '../../../../packages/console/ui/requests/outcome-label.ts'

it.each<[outcome: Outcome, status: number | undefined, stream: boolean, label: string]>([
  ['running', undefined, true, 'Running'],
  ['completed', 200, true, 'Completed'],
  ['refused', 429, false, 'Rejected 429'],
  ['upstream_failed', 502, true, 'Upstream failed 502'],
  ['upstream_failed', 503, false, 'Upstream failed 503'],
  ['upstream_failed', 200, true, 'Stream interrupted'],
  // A response in the background, which was accepted before the upstream failed.
  ['upstream_failed', 200, false, 'Upstream failed'],
  ['client_disconnected', 200, true, 'Client disconnected 200'],
  ['some_new_one' as Outcome, 500, false, 'some_new_one 500'],
])('the label of %s with status %s, stream %s: %s', (outcome, status, stream, label) => {
  expect(outcomeLabel({ outcome, status, stream }).join(' ')).toBe(label)
})

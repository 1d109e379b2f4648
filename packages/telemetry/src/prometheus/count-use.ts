import type { AttemptRecord, EndEvent, UnusedCallEvent } from '@sluice/core'
import type { Instruments } from './instruments.ts'
import type { Labels } from './labels.ts'
import { tokenTypes } from './token-types.ts'

/** Counts the tokens of a call and what they cost. `use`: whether the caller got its answer. */
export function countUse(
  event: Pick<EndEvent | UnusedCallEvent, 'model' | 'principal' | 'usage' | 'usageEstimated' | 'cost'>,
  use: 'answer' | 'unused',
  attempt: AttemptRecord | undefined,
  metrics: Instruments,
  labels: Labels,
): void {
  if (event.usage === undefined) return
  const place = { model: labels.model(event.model), provider: labels.provider(attempt), use }
  const tags = labels.tags(event.principal)
  for (const [type, count] of Object.entries(tokenTypes(event.usage))) {
    if (count > 0) metrics.tokens.inc({ ...place, type, ...tags }, count)
  }
  if (event.usageEstimated) metrics.estimated.inc(place)
  if (event.cost === null) metrics.unpriced.inc(place)
  else metrics.cost.inc({ ...place, ...tags }, event.cost)
}

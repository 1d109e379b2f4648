import { type EndEvent, GatewayError } from '@sluice/core'
import { answeringAttempt } from '../answering-attempt.ts'
import { countAttempt } from './count-attempt.ts'
import { countUse } from './count-use.ts'
import type { Instruments } from './instruments.ts'
import type { Labels } from './labels.ts'

/** Counts a request that has ended. */
export function countRequest(event: EndEvent, metrics: Instruments, labels: Labels): void {
  const { outcome, stream, timings, cache, shadowed } = event
  const model = labels.model(event.model)
  const tags = labels.tags(event.principal)
  metrics.requests.inc({ model, status: String(event.status), outcome, ...tags })
  metrics.duration.observe({ model, outcome }, seconds(timings.total))
  if (timings.firstByte !== undefined) {
    metrics.firstByte.observe({ model, stream: String(stream) }, seconds(timings.firstByte))
  }
  if (event.trace.overheadMs !== undefined) metrics.overhead.observe(seconds(event.trace.overheadMs))
  for (const attempt of event.attempts) countAttempt(attempt, metrics, labels)
  countUse(event, 'answer', answeringAttempt(event), metrics, labels)
  if (outcome === 'refused') {
    const refusal = GatewayError.is(event.error) ? labels.refusal(event.error.refusal) : 'unknown'
    metrics.refusals.inc({ refusal, ...tags })
  }
  if (event.authFailure !== undefined) metrics.authFailures.inc({ reason: event.authFailure.reason })
  for (const rule of shadowed) metrics.shadowed.inc({ rule: labels.rule(rule) })
  if (cache !== undefined) metrics.cache.inc({ model, result: cache })
  if (event.replayed) metrics.replayed.inc({ model })
  if (outcome === 'internal_error') metrics.internalErrors.inc()
}

export function seconds(ms: number): number {
  return ms / 1000
}

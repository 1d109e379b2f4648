import {
  type AttemptRecord,
  type DiscardedCallEvent,
  type EndEvent,
  GatewayError,
  UpstreamError,
  type UpstreamFailure,
  type Usage,
} from '@sluice/core'
import { answeringAttempt } from '../final-attempt.ts'
import type { Instruments } from './instruments.ts'
import { type Labels, otherValue } from './labels.ts'

/** Counts a request that has ended. */
export function countRequest(event: EndEvent, metrics: Instruments, labels: Labels): void {
  const { outcome, stream, timings, cache, wouldHaveRefused } = event
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
    const refusal = GatewayError.is(event.error) ? labels.refusal(event.error.reason) : 'unknown'
    metrics.refusals.inc({ refusal, ...tags })
  }
  if (event.authFailure !== undefined) metrics.authFailures.inc({ reason: event.authFailure.reason })
  for (const rule of wouldHaveRefused) metrics.wouldHaveRefused.inc({ rule: labels.rule(rule) })
  if (cache !== undefined) metrics.cache.inc({ model, result: cache })
  if (event.replayed) metrics.replayed.inc({ model })
  if (outcome === 'internal_error') metrics.internalErrors.inc()
}

export function seconds(ms: number): number {
  return ms / 1000
}

/** Counts an attempt at an upstream. */
export function countAttempt(attempt: AttemptRecord, { attempts }: Instruments, labels: Labels): void {
  attempts.inc({
    ...labels.place(attempt),
    why: attempt.why,
    result: attemptResult(attempt),
    upstream_status: statusValue(attempt.status),
  })
}

/** A vendor may say any number. Empty where it said none: Prometheus takes that as no label. */
function statusValue(status: number | undefined): string {
  if (status === undefined) return ''
  return Number.isInteger(status) && status >= 100 && status <= 599 ? String(status) : otherValue
}

/**
 * What became of an attempt. `cut_off`: its answer was not needed any more, or its caller left. `not_called`: the
 * upstream was not asked. `failed`: a fault that is not the upstream's.
 */
type AttemptResult = 'ok' | 'cut_off' | 'not_called' | 'failed' | UpstreamFailure

/** The names of the core's errors for a call that somebody ended. */
const cutOff = new Set(['LifeEnded', 'AnsweredElsewhere'])

function attemptResult({ error, called }: Pick<AttemptRecord, 'error' | 'called'>): AttemptResult {
  if (error instanceof Error && cutOff.has(error.name)) return 'cut_off'
  if (!called) return 'not_called'
  if (error === undefined) return 'ok'
  return UpstreamError.is(error) ? error.kind : 'failed'
}

/** Counts the tokens of a call and what they cost. `use`: whether the caller got its answer. */
export function countUse(
  event: Pick<EndEvent | DiscardedCallEvent, 'model' | 'principal' | 'usage' | 'usageEstimated' | 'cost'>,
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

/** The tokens of a use by type, each counted once: together they are the total. A part is never more than its whole. */
function tokenTypes(usage: Usage): Readonly<Record<string, number>> {
  const { prompt_tokens: prompt, completion_tokens: completion } = usage
  const { cached_tokens, cache_write_tokens = 0 } = usage.prompt_tokens_details
  const cached = Math.min(cached_tokens, prompt)
  const written = Math.min(cache_write_tokens, prompt - cached)
  const reasoning = Math.min(usage.completion_tokens_details.reasoning_tokens, completion)
  return {
    input: prompt - cached - written,
    input_cached: cached,
    input_cache_write: written,
    output: completion - reasoning,
    output_reasoning: reasoning,
  }
}

import {
  type AttemptRecord,
  type DiscardedCallEvent,
  type EndEvent,
  GatewayError,
  UpstreamError,
  type UpstreamFailure,
  type Usage,
} from '@sluice/core'
import { finalAttempt } from '../final-attempt.ts'
import type { Instruments } from './instruments.ts'
import { type Labels, otherValue } from './labels.ts'

/** Counts a request that has ended. */
export function countRequest(event: EndEvent, metrics: Instruments, labels: Labels): void {
  const { outcome, stream, timings, cache, wouldHaveRefused } = event
  const model = labels.model(event, isCalled(event))
  const operation = labels.operation(event)
  const tags = labels.tags(event.principal)
  metrics.requests.inc({ ...operation, model, status: String(event.status), outcome, ...tags })
  metrics.duration.observe({ ...operation, model, outcome }, seconds(timings.total))
  if (timings.firstByte !== undefined) {
    metrics.firstByte.observe({ ...operation, model, stream: String(stream) }, seconds(timings.firstByte))
  }
  if (event.trace.overheadMs !== undefined) metrics.overhead.observe(seconds(event.trace.overheadMs))
  for (const attempt of event.attempts) countAttempt(attempt, event, metrics, labels)
  countUse(event, 'answer', finalAttempt(event), metrics, labels)
  if (outcome === 'refused') {
    const reason = GatewayError.is(event.error) ? labels.reason(event.error.reason) : 'unknown'
    metrics.refusals.inc({ ...operation, reason, ...tags })
  }
  if (event.authFailure !== undefined) metrics.authFailures.inc({ reason: event.authFailure.reason })
  for (const rule of wouldHaveRefused) metrics.wouldHaveRefused.inc({ rule: labels.rule(rule) })
  for (const { name: hook, outcome: result, ms } of event.trace.hooks ?? []) {
    metrics.hooks.inc({ hook, outcome: result })
    metrics.hookSeconds.inc({ hook }, seconds(ms))
  }
  if (cache !== undefined) metrics.cache.inc({ model, result: cache })
  if (event.replayed) metrics.replayed.inc({ model })
  if (outcome === 'internal_error') metrics.internalErrors.inc()
}

/** Whether an upstream was called for a request. */
export function isCalled({ attempts }: Pick<EndEvent, 'attempts'>): boolean {
  return attempts.some(({ called }) => called)
}

export function seconds(ms: number): number {
  return ms / 1000
}

/** Counts an attempt of a request at an upstream. */
export function countAttempt(
  attempt: AttemptRecord,
  request: Pick<EndEvent, 'model' | 'unlisted'>,
  { attempts, keyAttempts }: Instruments,
  labels: Labels,
): void {
  const { why, key, status } = attempt
  const result = attemptResult(attempt)
  attempts.inc({ ...labels.attempted(attempt, request), why, result, upstream_status: statusValue(status) })
  if (key !== undefined) {
    keyAttempts.inc({ provider: labels.provider(attempt), key: labels.key(key), result })
  }
}

/** Bounds the values of the label. Empty without a status: Prometheus treats that as no label. */
function statusValue(status: number | undefined): string {
  if (status === undefined) return ''
  return Number.isInteger(status) && status >= 100 && status <= 599 ? String(status) : otherValue
}

/**
 * The result of an attempt. `cut_off`: cancelled, because another attempt answered or the client disconnected.
 * `not_called`: the upstream was not called. `failed`: an error that is not the upstream's.
 */
type AttemptResult = 'ok' | 'cut_off' | 'not_called' | 'failed' | UpstreamFailure

/** The names of the core's errors for cancelled calls. */
const cutOff = new Set(['LifeEnded', 'AnsweredElsewhere', 'QueueLeft'])

function attemptResult({ error, called }: Pick<AttemptRecord, 'error' | 'called'>): AttemptResult {
  if (error instanceof Error && cutOff.has(error.name)) return 'cut_off'
  if (!called) return 'not_called'
  if (error === undefined) return 'ok'
  return UpstreamError.is(error) ? error.kind : 'failed'
}

/** Counts the tokens and the cost of a call. `use`: whether the client received its answer. */
export function countUse(
  event: Pick<
    EndEvent | DiscardedCallEvent,
    'operation' | 'model' | 'unlisted' | 'principal' | 'usage' | 'usageEstimated' | 'cost'
  >,
  use: 'answer' | 'discarded',
  attempt: AttemptRecord | undefined,
  metrics: Instruments,
  labels: Labels,
): void {
  if (event.usage === undefined) return
  const { operation } = event
  const target = {
    operation,
    model: labels.model(event, attempt?.called === true),
    provider: labels.provider(attempt),
    use,
  }
  const tags = labels.tags(event.principal)
  for (const [type, count] of Object.entries(tokenTypes(event.usage))) {
    if (count > 0) metrics.tokens.inc({ ...target, type, ...tags }, count)
  }
  if (event.usageEstimated) metrics.estimated.inc(target)
  if (event.cost === null) metrics.unpriced.inc(target)
  else metrics.cost.inc({ ...target, ...tags }, event.cost)
}

/** Returns the tokens by type, each counted once, so that their sum is the total. */
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

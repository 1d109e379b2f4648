import type { Attributes } from '@opentelemetry/api'
import type { AttemptRecord, DiscardedCallEvent, EndEvent, Observer } from '@sluice/core'
import { finalAttempt } from '../final-attempt.ts'
import { requestErrorType } from './error-type.ts'
import type { Instruments } from './instruments.ts'
import type { Labels } from './labels.ts'
import { attributes as names, operationNames, ownAttributes } from './names.ts'

/** Measures requests and their cost when they end. */
export function requestMetrics(instruments: () => Instruments, labels: Labels): Observer {
  return event => {
    if (event.type === 'end') measure(event, instruments(), labels)
    else if (event.type === 'discarded_call') measureDiscarded(event, instruments(), labels)
  }
}

function measure(event: EndEvent, made: Instruments, labels: Labels): void {
  const { outcome, stream, usage, usageEstimated, timings, cost } = event
  const attempt = finalAttempt(event)
  const about = aboutOf(labels, event, attempt)
  const error = requestErrorType(event)
  const ended = error === undefined ? about : { ...about, [names.errorType]: error }
  made.requestDuration.record(timings.total / 1_000, ended)
  money(made, usage !== undefined, cost, about)
  const fromCache = event.cache === 'hit' || event.replayed
  if (!stream || outcome !== 'completed' || fromCache || timings.firstByte === undefined) return
  made.timeToFirstToken.record(timings.firstByte / 1_000, about)
  if (usage === undefined || usageEstimated || usage.completion_tokens < 2) return
  const perToken = (timings.total - timings.firstByte) / (usage.completion_tokens - 1)
  made.timePerOutputToken.record(perToken / 1_000, about)
}

function measureDiscarded(event: DiscardedCallEvent, made: Instruments, labels: Labels): void {
  const about = aboutOf(labels, event, event.attempt)
  money(made, event.usage !== undefined, event.cost, { ...about, [ownAttributes.discarded]: true })
}

function money(made: Instruments, used: boolean, cost: number | null, about: Attributes): void {
  if (cost !== null) made.cost.add(cost, about)
  else if (used) made.unpriced.add(1, about)
}

function aboutOf(
  labels: Labels,
  event: Pick<EndEvent, 'operation' | 'dialect' | 'model' | 'unlisted' | 'principal'>,
  attempt: AttemptRecord | undefined,
): Attributes {
  const { operation, dialect, model, unlisted, principal } = event
  return {
    [names.operationName]: operationNames[operation],
    [ownAttributes.dialect]: labels.dialect(dialect),
    [names.providerName]:
      attempt === undefined ? 'sluice' : labels.provider(attempt.provider, attempt.unlisted === true),
    // An attribute that is `undefined` would be a value of its own.
    ...(model !== undefined && {
      [names.requestModel]: labels.model(model, unlisted === true, attempt?.called === true),
    }),
    ...labels.tags(principal),
  }
}

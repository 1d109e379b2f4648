import type { EndEvent, RequestOutcome } from '@sluice/core'
import { finalAttempt } from '../final-attempt.ts'
import { failureFields } from './failure-fields.ts'
import type { LogEntry, LogFields } from './logger.ts'
import { shortText } from './plain-text.ts'

const levels: Partial<Record<RequestOutcome, LogEntry['level']>> = {
  upstream_failed: 'warn',
  internal_error: 'error',
}

/** Returns the log entry of a request. All entries have the same fields, `null` without a value. */
export function requestEntry(event: EndEvent, messages: boolean): LogEntry {
  return {
    level: levels[event.outcome] ?? 'info',
    message: 'request',
    fields: { ...requestFields(event), ...errorFields(event, messages) },
  }
}

function requestFields(event: EndEvent): LogFields {
  const { attempts, usage, timings, trace } = event
  const answering = finalAttempt(event)
  return {
    requestId: event.requestId,
    clientRequestId: event.clientRequestId ?? null,
    outcome: event.outcome,
    status: event.status,
    operation: event.operation,
    dialect: name(event.dialect),
    principal: name(event.principal?.id),
    source: name(event.principal?.source),
    user: event.user ?? null,
    model: name(event.model),
    authFailure: event.authFailure?.reason ?? null,
    authFailureId: name(event.authFailure?.id),
    provider: name(answering?.provider),
    upstreamModel: name(answering?.model),
    responseModel: name(event.responseModel),
    stream: event.stream,
    attempts: attempts.filter(({ called }) => called).length,
    failovers: attempts.filter(({ why }) => why === 'fallback').length,
    promptTokens: usage?.prompt_tokens ?? null,
    cachedTokens: usage?.prompt_tokens_details.cached_tokens ?? null,
    completionTokens: usage?.completion_tokens ?? null,
    reasoningTokens: usage?.completion_tokens_details.reasoning_tokens ?? null,
    totalTokens: usage?.total_tokens ?? null,
    usageEstimated: event.usageEstimated,
    costUsd: event.cost,
    queueMs: rounded(timings.queue),
    firstByteMs: rounded(timings.firstByte),
    totalMs: rounded(timings.total),
    overheadMs: rounded(trace.overheadMs),
    cache: event.cache ?? null,
    replayed: event.replayed,
    hooks: hooksText(trace.hooks),
    adjustments: event.adjustments.length,
    wouldHaveRefused: event.wouldHaveRefused.length === 0 ? null : event.wouldHaveRefused.join(', '),
  }
}

function errorFields({ outcome, error }: EndEvent, messages: boolean): LogFields {
  const none: LogFields = { error: null, errorStatus: null }
  const hasNoError =
    outcome === 'completed' || outcome === 'client_disconnected' || outcome === 'gateway_closed'
  if (hasNoError) return none
  return { ...none, ...failureFields(error, { stack: outcome === 'internal_error', messages }) }
}

/** Returns what hooks did: `redact changed, deny-list refused`. */
function hooksText(hooks: EndEvent['trace']['hooks']): string | null {
  return hooks === undefined ? null : hooks.map(({ name, outcome }) => `${name} ${outcome}`).join(', ')
}

function name(text: string | undefined): string | null {
  return text === undefined ? null : shortText(text)
}

/** Rounds to a tenth of a millisecond. */
function rounded(ms: number | undefined): number | null {
  return ms === undefined ? null : Math.round(ms * 10) / 10
}

import type { BeginEvent, EndEvent, Principal, SkipReason } from '@sluice/core'
import type { DiscardedRow, RequestDetail, SkippedRow } from '../api.ts'
import type { TargetLog, TargetNotes } from '../targets/target-log.ts'
import { attemptRow } from './attempt-row.ts'
import { failureCode } from './failure-code.ts'
import { teamOf } from './team-of.ts'
import { truncateText } from './truncate-text.ts'

/** So much of one request is kept; a longer list is cut, and `leftOut` says by how many. */
export const maxKept = {
  attempts: 50,
  candidates: 50,
  hooks: 50,
  adjustments: 50,
  wouldHaveRefused: 20,
  discarded: 20,
} as const

const none: readonly never[] = []

/** What is known of a request that has begun. */
export function startedRequest(event: BeginEvent, teamTag: string): RequestDetail {
  return {
    id: event.requestId,
    at: event.at,
    operation: event.operation,
    dialect: truncateText(event.dialect),
    ...callerOf(event.principal, event.model, teamTag),
    user: undefined,
    stream: event.stream,
    outcome: 'running',
    status: undefined,
    provider: undefined,
    firstByteMs: undefined,
    totalMs: undefined,
    promptTokens: undefined,
    completionTokens: undefined,
    cost: null,
    error: undefined,
    queueMs: 0,
    overheadMs: undefined,
    attempts: none,
    candidates: none,
    cache: undefined,
    replayed: false,
    estimated: false,
    hooks: none,
    adjustments: none,
    wouldHaveRefused: none,
    discarded: none,
    leftOut: 0,
  }
}

/** What is kept of a request that has ended; of the event itself nothing is, for its errors may hold the vendor's words. */
export function endedRequest(
  event: EndEvent,
  teamTag: string,
  discarded: readonly DiscardedRow[],
  targets: Pick<TargetLog, 'of'>,
): RequestDetail {
  const { attempts, adjustments, wouldHaveRefused, timings, trace, usage } = event
  const { candidates, hooks = [] } = trace
  return {
    id: event.requestId,
    at: event.at,
    operation: event.operation,
    dialect: truncateText(event.dialect),
    ...callerOf(event.principal, event.model, teamTag),
    user: event.user === undefined ? undefined : truncateText(event.user),
    stream: event.stream,
    outcome: event.outcome,
    status: event.status,
    provider: providerOf(event),
    firstByteMs: timings.firstByte,
    totalMs: timings.total,
    promptTokens: usage?.prompt_tokens,
    completionTokens: usage?.completion_tokens,
    cost: event.cost,
    error: errorCode(event),
    queueMs: timings.queue,
    overheadMs: trace.overheadMs,
    attempts: attempts.slice(0, maxKept.attempts).map(attemptRow),
    candidates: candidates.slice(0, maxKept.candidates).map(({ provider, model, via, skipped }) => ({
      provider: truncateText(provider),
      model: truncateText(model),
      ...(via === undefined ? {} : { via: truncateText(via) }),
      ...(skipped === undefined ? {} : { skipped: skippedRow(skipped, targets.of(provider, model)) }),
    })),
    cache: event.cache,
    replayed: event.replayed,
    estimated: event.usageEstimated,
    hooks: hooks.slice(0, maxKept.hooks).map(({ name, outcome, ms }) => ({ name, outcome, ms })),
    adjustments: adjustments
      .slice(0, maxKept.adjustments)
      .map(({ parameter, action, detail }) =>
        truncateText(`${parameter} ${action}${detail === undefined ? '' : `: ${detail}`}`),
      ),
    wouldHaveRefused: wouldHaveRefused.slice(0, maxKept.wouldHaveRefused).map(truncateText),
    discarded: discarded,
    leftOut:
      Math.max(0, attempts.length - maxKept.attempts) +
      Math.max(0, candidates.length - maxKept.candidates) +
      (trace.more ?? 0) +
      Math.max(0, hooks.length - maxKept.hooks) +
      Math.max(0, adjustments.length - maxKept.adjustments) +
      Math.max(0, wouldHaveRefused.length - maxKept.wouldHaveRefused),
  }
}

/** With the reason of a target's state, where it is still in it. */
function skippedRow(skipped: SkipReason, { reason }: TargetNotes): SkippedRow {
  const isState = skipped.why === 'open' || skipped.why === 'cooldown'
  return isState && reason !== undefined ? { ...skipped, reason } : skipped
}

function callerOf(
  principal: Pick<Principal, 'id' | 'source' | 'tags'> | undefined,
  model: string | undefined,
  teamTag: string,
) {
  const team = teamOf(principal, teamTag)
  return {
    model: model === undefined ? undefined : truncateText(model),
    key: principal === undefined ? undefined : truncateText(principal.id),
    source: principal?.source === undefined ? undefined : truncateText(principal.source),
    team: team === undefined ? undefined : truncateText(team),
  }
}

/** Returns the provider of the response, or of the last call if there is none. */
function providerOf({ attempts }: EndEvent): string | undefined {
  const called = attempts.filter(attempt => attempt.called)
  const answered = called.find(({ error }) => error === undefined) ?? called.at(-1)
  return answered === undefined ? undefined : truncateText(answered.provider)
}

function errorCode({ outcome, error }: EndEvent): string | undefined {
  if (outcome === 'client_disconnected') return 'client_disconnected'
  return outcome === 'gateway_closed' ? 'shutting_down' : failureCode(error)
}

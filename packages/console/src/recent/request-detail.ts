import type { BeginEvent, EndEvent, Principal, SkipReason } from '@sluice/core'
import type { RequestDetail, SkippedRow, UnusedRow } from '../api.ts'
import type { TargetLog, TargetNotes } from '../targets/target-log.ts'
import { attemptRow } from './attempt-row.ts'
import { failureWord } from './failure-code.ts'
import { teamOf } from './team-of.ts'
import { shownText } from './truncate-text.ts'

/** So much of one request is kept; a longer list is cut, and `leftOut` says by how many. */
export const most = {
  attempts: 50,
  candidates: 50,
  adjustments: 50,
  wouldHaveRefused: 20,
  unused: 20,
} as const

const none: readonly never[] = []

/** What is known of a request that has begun. */
export function begunRequest(event: BeginEvent, teamTag: string): RequestDetail {
  return {
    id: event.requestId,
    at: event.at,
    ...callerOf(event.principal, event.model, teamTag),
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
    adjustments: none,
    wouldHaveRefused: none,
    unused: none,
    leftOut: 0,
  }
}

/** What is kept of a request that has ended; of the event itself nothing is, for its errors may hold the vendor's words. */
export function endedRequest(
  event: EndEvent,
  teamTag: string,
  unused: readonly UnusedRow[],
  targets: Pick<TargetLog, 'of'>,
): RequestDetail {
  const { attempts, adjustments, wouldHaveRefused, timings, trace, usage } = event
  const { candidates } = trace
  return {
    id: event.requestId,
    at: event.at,
    ...callerOf(event.principal, event.model, teamTag),
    stream: event.stream,
    outcome: event.outcome,
    status: event.status,
    provider: providerOf(event),
    firstByteMs: timings.firstByte,
    totalMs: timings.total,
    promptTokens: usage?.prompt_tokens,
    completionTokens: usage?.completion_tokens,
    cost: event.cost,
    error: wordOf(event),
    queueMs: timings.queue,
    overheadMs: trace.overheadMs,
    attempts: attempts.slice(0, most.attempts).map(attemptRow),
    candidates: candidates.slice(0, most.candidates).map(({ provider, model, via, skipped }) => ({
      provider: shownText(provider),
      model: shownText(model),
      ...(via === undefined ? {} : { via: shownText(via) }),
      ...(skipped === undefined ? {} : { skipped: skippedRow(skipped, targets.of(provider, model)) }),
    })),
    cache: event.cache,
    replayed: event.replayed,
    estimated: event.usageEstimated,
    adjustments: adjustments
      .slice(0, most.adjustments)
      .map(({ parameter, action, detail }) =>
        shownText(`${parameter} ${action}${detail === undefined ? '' : `: ${detail}`}`),
      ),
    wouldHaveRefused: wouldHaveRefused.slice(0, most.wouldHaveRefused).map(shownText),
    unused,
    leftOut:
      Math.max(0, attempts.length - most.attempts) +
      Math.max(0, candidates.length - most.candidates) +
      (trace.more ?? 0) +
      Math.max(0, adjustments.length - most.adjustments) +
      Math.max(0, wouldHaveRefused.length - most.wouldHaveRefused),
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
    model: model === undefined ? undefined : shownText(model),
    key: principal === undefined ? undefined : shownText(principal.id),
    source: principal?.source === undefined ? undefined : shownText(principal.source),
    team: team === undefined ? undefined : shownText(team),
  }
}

/** Whose answer it was; where there was none, who was asked last. */
function providerOf({ attempts }: EndEvent): string | undefined {
  const called = attempts.filter(attempt => attempt.called)
  const answered = called.find(({ error }) => error === undefined) ?? called.at(-1)
  return answered === undefined ? undefined : shownText(answered.provider)
}

function wordOf({ outcome, error }: EndEvent): string | undefined {
  if (outcome === 'client_disconnected') return 'client_disconnected'
  return outcome === 'gateway_closed' ? 'shutting_down' : failureWord(error)
}

import type { AttemptRecord, DiscardedCallEvent } from '@sluice/core'
import type { AttemptRow, DiscardedRow } from '../api.ts'
import { failureCode } from './failure-code.ts'
import { truncateText } from './truncate-text.ts'

/** An attempt without its error, of which a word is left. */
export function attemptRow(attempt: AttemptRecord): AttemptRow {
  const { provider, model, key, why, called, startMs, ms, waitedMs, status, error } = attempt
  return {
    provider: truncateText(provider),
    model: truncateText(model),
    ...(key === undefined ? {} : { key: truncateText(key) }),
    why,
    called,
    startMs,
    ms,
    waitedMs,
    status,
    error: failureCode(error),
  }
}

/** A call whose answer the caller did not get. */
export function discardedRow({ attempt, usage, cost }: DiscardedCallEvent): DiscardedRow {
  return {
    ...attemptRow(attempt),
    promptTokens: usage?.prompt_tokens,
    completionTokens: usage?.completion_tokens,
    cost,
  }
}

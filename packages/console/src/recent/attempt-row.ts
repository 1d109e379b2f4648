import type { AttemptRecord, DiscardedCallEvent } from '@sluice/core'
import type { AttemptRow, UnusedRow } from '../api.ts'
import { failureWord } from './failure-code.ts'
import { shownText } from './truncate-text.ts'

/** An attempt without its error, of which a word is left. */
export function attemptRow(attempt: AttemptRecord): AttemptRow {
  const { provider, model, why, called, startMs, ms, waitedMs, status, error } = attempt
  return {
    provider: shownText(provider),
    model: shownText(model),
    why,
    called,
    startMs,
    ms,
    waitedMs,
    status,
    error: failureWord(error),
  }
}

/** A call whose answer the caller did not get. */
export function unusedRow({ attempt, usage, cost }: DiscardedCallEvent): UnusedRow {
  return {
    ...attemptRow(attempt),
    promptTokens: usage?.prompt_tokens,
    completionTokens: usage?.completion_tokens,
    cost,
  }
}

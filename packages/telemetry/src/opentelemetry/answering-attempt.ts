import type { AttemptRecord } from '@sluice/core'

/** The attempt that answered, else the last one whose upstream was asked. */
export function answeringAttempt(attempts: readonly AttemptRecord[]): AttemptRecord | undefined {
  const called = attempts.filter(attempt => attempt.called)
  return called.findLast(({ error }) => error === undefined) ?? called.at(-1)
}

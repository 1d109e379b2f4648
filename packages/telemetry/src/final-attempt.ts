import type { AttemptRecord, EndEvent } from '@sluice/core'

/** The attempt that a request's answer is of, or its error: one that did not fail, else the last upstream that was asked. */
export function answeringAttempt({ attempts }: Pick<EndEvent, 'attempts'>): AttemptRecord | undefined {
  const called = attempts.filter(attempt => attempt.called)
  return called.find(({ error }) => error === undefined) ?? called.at(-1)
}

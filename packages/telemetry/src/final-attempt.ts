import type { AttemptRecord, EndEvent } from '@sluice/core'

/** Returns the attempt that decided a request: the one that succeeded, else the last one that was called. */
export function finalAttempt({ attempts }: Pick<EndEvent, 'attempts'>): AttemptRecord | undefined {
  const called = attempts.filter(attempt => attempt.called)
  return called.find(({ error }) => error === undefined) ?? called.at(-1)
}

import { type AttemptRecord, UpstreamError, type UpstreamFailure } from '@sluice/core'

/**
 * What became of an attempt. `cut_off`: its answer was not needed any more, or its caller left. `not_called`: the
 * upstream was not asked. `failed`: a fault that is not the upstream's.
 */
export type AttemptResult = 'ok' | 'cut_off' | 'not_called' | 'failed' | UpstreamFailure

/** The names of the core's errors for a call that somebody ended. */
const cutOff = new Set(['LifeEnded', 'AnsweredElsewhere'])

export function attemptResult({ error, called }: Pick<AttemptRecord, 'error' | 'called'>): AttemptResult {
  if (error instanceof Error && cutOff.has(error.name)) return 'cut_off'
  if (!called) return 'not_called'
  if (error === undefined) return 'ok'
  return UpstreamError.is(error) ? error.kind : 'failed'
}

import type { DialectBackground } from '../../contracts/dialect.ts'
import { failedResponseError, isCancelled } from './error.ts'
import { endMark } from './events.ts'
import { responseObject, responseSettings, runsInBackground } from './response-object.ts'

/** How responses of the Responses API run in the background. */
export const responsesBackground: DialectBackground = {
  wants: runsInBackground,
  queue: (identity, { body }) =>
    responseObject(identity, responseSettings(body), { status: 'queued', output: [], stored: true }),
  start: response => ({ ...response, status: 'in_progress' }),
  fail: (response, error) =>
    isCancelled(error)
      ? { ...response, status: 'cancelled' }
      : { ...response, status: 'failed', error: { ...failedResponseError(error) } },
  endMark,
}

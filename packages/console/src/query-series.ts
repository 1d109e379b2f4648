import { GatewayError } from '@sluice/core'
import type { Series } from './api.ts'
import type { SeriesRecorder } from './series/series-recorder.ts'

const kinds: readonly string[] = ['model', 'key', 'team', 'all'] satisfies Series['by'][]

/** The series for `by` and `minutes` of a URL; absent, all requests of all the `kept` minutes. Throws 400. */
export function querySeries(recorder: SeriesRecorder, maxMinutes: number, given: URLSearchParams): Series {
  const by = given.get('by') ?? 'all'
  if (!kinds.includes(by)) {
    throw new GatewayError('invalid_value', {
      message: `by must be one of ${kinds.join(', ')}.`,
      param: 'by',
    })
  }
  const text = given.get('minutes') ?? String(maxMinutes)
  const minutes = Number(text)
  if (!/^\d{1,6}$/.test(text) || minutes < 1 || minutes > maxMinutes) {
    throw new GatewayError('invalid_value', {
      message: `minutes must be a whole number from 1 to ${maxMinutes}: what is older is not kept.`,
      param: 'minutes',
    })
  }
  return recorder.series(by as Series['by'], minutes)
}

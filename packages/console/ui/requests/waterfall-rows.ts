import type { AttemptReason } from '@sluice/core'
import type { RequestDetail } from '../../src/api.ts'
import { errorText } from './error-text.ts'

/** One bar; milliseconds from the request's beginning on. */
export interface WaterfallRow {
  readonly name: string
  /** Why it was done, in a few words. */
  readonly note: string
  readonly look: 'wait' | 'good' | 'bad' | 'unused' | 'running'
  readonly startMs: number
  readonly endMs: number
  /** From its first content on it is drawn lighter; `undefined` where there was none. */
  readonly contentMs: number | undefined
  /** How it went. */
  readonly result: string
}

const reasons: Readonly<Record<AttemptReason, string>> = {
  first: 'first',
  retry: 'again',
  fallback: 'instead',
  hedge: 'hedge',
  shadow: 'shadow',
}

/** What took the time of a request, in the order in which it began. `elapsedMs`: until now, or to its end. */
export function waterfallRows(request: RequestDetail, elapsedMs: number): readonly WaterfallRow[] {
  const { queueMs, attempts, unused, firstByteMs, outcome } = request
  const answering = attempts.findLast(attempt => attempt.called && attempt.error === undefined)
  const rows = attempts.map((attempt): WaterfallRow => {
    const { provider, model, why, startMs, ms, status, error, called } = attempt
    const firstMs = startMs + ms
    const answered = attempt === answering && firstByteMs !== undefined
    return {
      name: `${provider} / ${model}`,
      note: reasons[why],
      look: error === undefined ? (outcome === 'running' && !answered ? 'running' : 'good') : lookOf(error),
      startMs,
      endMs: answered ? Math.max(elapsedMs, firstMs) : firstMs,
      contentMs: answered ? firstMs : undefined,
      result: called ? resultOf(error, status) : `not asked: ${error ?? 'its turn never came'}`,
    }
  })
  const dropped = unused
    .filter(
      row => !attempts.some(({ startMs, provider }) => startMs === row.startMs && provider === row.provider),
    )
    .map(
      ({ provider, model, why, startMs, ms, error }): WaterfallRow => ({
        name: `${provider} / ${model}`,
        note: reasons[why],
        look: 'unused',
        startMs,
        endMs: startMs + ms,
        contentMs: undefined,
        result: error === undefined ? 'answer not used' : `not used: ${error}`,
      }),
    )
  const queue: WaterfallRow = {
    name: 'Waiting for room',
    note: '',
    look: 'wait',
    startMs: 0,
    endMs: queueMs,
    contentMs: undefined,
    result: 'let in',
  }
  const all = [...rows, ...dropped].sort((a, b) => a.startMs - b.startMs)
  return queueMs >= 0.5 ? [queue, ...all] : all
}

/** Calls that were cut off, which is no failure of theirs. */
const cutOff: Readonly<Record<string, string>> = {
  answered_elsewhere: 'cut off, another was sooner',
  cut_off: 'cut off',
}

function lookOf(error: string): WaterfallRow['look'] {
  return cutOff[error] === undefined ? 'bad' : 'unused'
}

function resultOf(error: string | undefined, status: number | undefined): string {
  if (error === undefined) return 'answered'
  return cutOff[error] ?? errorText(error, status)
}

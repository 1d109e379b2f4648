import type { AttemptReason } from '@sluice/core'
import type { RequestDetail } from '../../src/api.ts'
import { errorText } from './error-text.ts'

/** One bar; milliseconds from the request's beginning on. */
export interface WaterfallRow {
  readonly name: string
  /** The reason for the attempt, in a few words. */
  readonly note: string
  readonly look: 'wait' | 'good' | 'bad' | 'discarded' | 'running'
  readonly startMs: number
  readonly endMs: number
  /** From its first content on it is drawn lighter; `undefined` where there was none. */
  readonly contentMs: number | undefined
  /** The result, in a few words. */
  readonly result: string
}

const reasons: Readonly<Record<AttemptReason, string>> = {
  first: 'first',
  retry: 'retry',
  fallback: 'fallback',
  hedge: 'hedge',
  shadow: 'shadow',
}

/** Returns the bars of a request in order of their start. `elapsedMs`: milliseconds until now, or until its end. */
export function waterfallRows(request: RequestDetail, elapsedMs: number): readonly WaterfallRow[] {
  const { queueMs, attempts, discarded, firstByteMs, outcome } = request
  const answering = attempts.findLast(attempt => attempt.called && attempt.error === undefined)
  const rows = attempts.map((attempt): WaterfallRow => {
    const { provider, model, key, why, startMs, ms, status, error, called } = attempt
    const firstMs = startMs + ms
    const answered = attempt === answering && firstByteMs !== undefined
    return {
      name: `${provider} / ${model}`,
      note: key === undefined ? reasons[why] : `${reasons[why]}, ${key}`,
      look: error === undefined ? (outcome === 'running' && !answered ? 'running' : 'good') : lookOf(error),
      startMs,
      endMs: answered ? Math.max(elapsedMs, firstMs) : firstMs,
      contentMs: answered ? firstMs : undefined,
      result: called ? resultOf(error, status) : `not called: ${error ?? 'cancelled while waiting'}`,
    }
  })
  const dropped = discarded
    .filter(
      row => !attempts.some(({ startMs, provider }) => startMs === row.startMs && provider === row.provider),
    )
    .map(
      ({ provider, model, why, startMs, ms, error }): WaterfallRow => ({
        name: `${provider} / ${model}`,
        note: reasons[why],
        look: 'discarded',
        startMs,
        endMs: startMs + ms,
        contentMs: undefined,
        result: error === undefined ? 'response discarded' : `discarded: ${error}`,
      }),
    )
  const queue: WaterfallRow = {
    name: 'Queue',
    note: '',
    look: 'wait',
    startMs: 0,
    endMs: queueMs,
    contentMs: undefined,
    result: 'admitted',
  }
  const all = [...rows, ...dropped].sort((a, b) => a.startMs - b.startMs)
  return queueMs >= 0.5 ? [queue, ...all] : all
}

/** Cancelled calls, which did not fail. */
const cancelled: Readonly<Record<string, string>> = {
  answered_elsewhere: 'cancelled, another attempt answered first',
  cut_off: 'cancelled',
  no_slot: 'not called, its provider had no free slot',
}

function lookOf(error: string): WaterfallRow['look'] {
  return cancelled[error] === undefined ? 'bad' : 'discarded'
}

function resultOf(error: string | undefined, status: number | undefined): string {
  if (error === undefined) return 'answered'
  return cancelled[error] ?? errorText(error, status)
}

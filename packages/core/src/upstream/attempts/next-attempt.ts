import type { AttemptReason } from '../../contracts/events.ts'

/** What is known of one place while a request is being answered. */
export interface TargetAttemptState {
  /** How often it was asked. */
  asked: number
  /** It must not be asked, or not again. */
  barred: boolean
  /** When it may be asked again after it failed; `undefined` where that would not help. */
  againAt: number | undefined
}

/** How far a request has come. Times are monotonic milliseconds. */
export interface RetryState {
  /** The places in their order. */
  readonly standings: readonly TargetAttemptState[]
  /** Calls that count, those under way included. */
  readonly made: number
  readonly maxAttempts: number
  /** Calls under way. */
  readonly running: number
  /** When the time of the whole request is over. */
  readonly endAt: number
  /** When the head of the answer is sent although nothing of it has come: no repeat is waited for beyond. */
  readonly headAt: number
  /** Nothing further may be asked: the caller has the head of the answer, or has left. */
  readonly closed: boolean
  /** The only place that may still be asked: what it failed with is not for another to mend. */
  readonly only: number | undefined
  /** The place whose turn it is to be asked again. */
  readonly due: number | undefined
  /** When a further place is asked beside those that are. */
  readonly hedgeAt: number
}

/** What to do next. */
export type Next =
  | { readonly do: 'ask'; readonly index: number; readonly why: Exclude<AttemptReason, 'shadow'> }
  /** Wait until `at`, with leave, and ask again. */
  | { readonly do: 'repeat'; readonly index: number; readonly at: number }
  /** Wait for those that are being asked, and for the time of a hedge. */
  | { readonly do: 'attend' }
  | { readonly do: 'give_up' }

const attend: Next = { do: 'attend' }
const giveUp: Next = { do: 'give_up' }

/**
 * Decides the next step of a request. Every place has its turn before any is asked again; then that one is which may
 * be asked soonest, of several the one that was asked least, in their order.
 */
export function nextAttempt(progress: RetryState, now: number): Next {
  const { standings, running, only, due } = progress
  const over = progress.closed || now >= progress.endAt || progress.made >= progress.maxAttempts
  if (over) return running === 0 ? giveUp : attend
  if (running > 0 && now < progress.hedgeAt) return attend
  if (due !== undefined && running === 0) return { do: 'ask', index: due, why: 'retry' }
  if (only === undefined) {
    const index = untried(standings)
    if (index !== -1) return { do: 'ask', index, why: reason(progress) }
  }
  if (running > 0) return attend
  return soonest(progress, now) ?? giveUp
}

/** The first place that was not asked and may be; -1 where there is none. */
function untried(standings: readonly TargetAttemptState[]): number {
  for (let index = 0; index < standings.length; index++) {
    const { asked, barred } = standings[index]!
    if (asked === 0 && !barred) return index
  }
  return -1
}

function reason({ running, standings }: RetryState): 'first' | 'fallback' | 'hedge' {
  if (running > 0) return 'hedge'
  return standings.some(({ asked }) => asked > 0) ? 'fallback' : 'first'
}

function soonest({ standings, only, endAt, headAt }: RetryState, now: number): Next | undefined {
  let best: { readonly do: 'repeat'; readonly index: number; readonly at: number } | undefined
  for (let index = 0; index < standings.length; index++) {
    const { barred, againAt, asked } = standings[index]!
    if (barred || againAt === undefined || (only !== undefined && only !== index)) continue
    const at = Math.max(againAt, now)
    if (at >= endAt || at >= headAt) continue
    const sooner = best === undefined || at < best.at
    if (sooner || (at === best!.at && asked < standings[best!.index]!.asked))
      best = { do: 'repeat', index, at }
  }
  return best
}

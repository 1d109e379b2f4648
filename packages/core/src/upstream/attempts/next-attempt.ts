import type { AttemptReason } from '../../contracts/events.ts'

/** The state of one target of a request. */
export interface TargetAttemptState {
  /** How often it was called. */
  calls: number
  /** It must not be called, or not again. */
  excluded: boolean
  /** Its call waited too long for a slot of its provider, and was not made: the others go first. */
  leftQueue: boolean
  /** When it may be called again after it failed; `undefined` where that would not help. */
  retryAt: number | undefined
  /** The most attempts of the request with which it may still be called. */
  maxAttempts: number
  /** The deadline of its calls. */
  readonly endAt: number
}

/** The state of a request's attempts. Times are monotonic milliseconds. */
export interface RetryState {
  /** The targets in their order. */
  readonly targets: readonly TargetAttemptState[]
  /** Attempts that count, those under way included. */
  readonly made: number
  /** Attempts under way. */
  readonly running: number
  /** When the head of the response is sent without content: no retry is waited for beyond. */
  readonly headAt: number
  /** No further target may be called: the client has the head of the response, or has disconnected. */
  readonly closed: boolean
  /** The only target that may still be called: another one would fail with the same error. */
  readonly only: number | undefined
  /** The target to retry now. */
  readonly due: number | undefined
  /** When to call another target while the current calls run. */
  readonly hedgeAt: number
}

/** What to do next. */
export type Next =
  | { readonly do: 'call'; readonly index: number; readonly why: Exclude<AttemptReason, 'shadow'> }
  /** Wait until `at` and call again. */
  | { readonly do: 'retry'; readonly index: number; readonly at: number }
  /** Wait for the attempts under way, and for the time of a hedge. */
  | { readonly do: 'wait' }
  | { readonly do: 'give_up' }

const wait: Next = { do: 'wait' }
const giveUp: Next = { do: 'give_up' }

/**
 * Decides the next step of a request. Every target is called once before any is called again. Then the target goes first
 * that may be called soonest; of several the one that was called least often, in their order.
 */
export function nextAttempt(state: RetryState, now: number): Next {
  const { running, only, due } = state
  if (state.closed) return running === 0 ? giveUp : wait
  if (due !== undefined && isAllowed(state, due, now)) return { do: 'call', index: due, why: 'retry' }
  if (running > 0 && now < state.hedgeAt) return wait
  if (only === undefined) {
    const index = firstUntried(state, now)
    if (index !== -1) return { do: 'call', index, why: reason(state) }
  }
  if (running > 0) return wait
  return soonest(state, now) ?? giveUp
}

/** Whether the attempts and the time of a target allow another call of it. */
export function isAllowed({ targets, made }: RetryState, index: number, now: number): boolean {
  const { maxAttempts, endAt } = targets[index]!
  return made < maxAttempts && now < endAt
}

/** Returns the index of the first target that may be called and was not yet, or -1. Those that left a queue go last. */
function firstUntried(state: RetryState, now: number): number {
  const { targets } = state
  let last = -1
  for (let index = 0; index < targets.length; index++) {
    const { calls, excluded, leftQueue } = targets[index]!
    if (calls > 0 || excluded || !isAllowed(state, index, now)) continue
    if (!leftQueue) return index
    if (last === -1) last = index
  }
  return last
}

function reason({ running, targets }: RetryState): 'first' | 'fallback' | 'hedge' {
  if (running > 0) return 'hedge'
  return targets.some(({ calls, leftQueue }) => calls > 0 || leftQueue) ? 'fallback' : 'first'
}

function soonest(state: RetryState, now: number): Next | undefined {
  const { targets, only, headAt } = state
  let best: { readonly do: 'retry'; readonly index: number; readonly at: number } | undefined
  for (let index = 0; index < targets.length; index++) {
    const { excluded, retryAt, calls } = targets[index]!
    if (excluded || retryAt === undefined || (only !== undefined && only !== index)) continue
    const at = Math.max(retryAt, now)
    if (at >= headAt || !isAllowed(state, index, at)) continue
    const sooner = best === undefined || at < best.at
    if (sooner || (at === best!.at && calls < targets[best!.index]!.calls)) best = { do: 'retry', index, at }
  }
  return best
}

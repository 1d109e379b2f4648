import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type Next, nextAttempt, type RetryState, type TargetAttemptState } from './next-attempt.ts'

const never = Number.POSITIVE_INFINITY
const bounds = { maxAttempts: 3, endAt: 1_000 }
const fresh = (): TargetAttemptState => ({
  calls: 0,
  excluded: false,
  leftQueue: false,
  retryAt: undefined,
  ...bounds,
})

function progress(places: number, more: Partial<RetryState> = {}): RetryState {
  return {
    targets: Array.from({ length: places }, fresh),
    made: 0,
    running: 0,
    headAt: never,
    closed: false,
    only: undefined,
    due: undefined,
    hedgeAt: never,
    ...more,
  }
}

const failed = (retryAt?: number, calls = 1): TargetAttemptState => ({
  calls,
  excluded: false,
  leftQueue: false,
  retryAt,
  ...bounds,
})

describe('the next attempt', () => {
  it.each<[string, RetryState, Next]>([
    ['the first target', progress(2), { do: 'call', index: 0, why: 'first' }],
    [
      'the first that may be called',
      progress(2, { targets: [{ ...fresh(), excluded: true }, fresh()] }),
      { do: 'call', index: 1, why: 'first' },
    ],
    [
      'another one before any is called again',
      progress(0, { targets: [failed(0), fresh()], made: 1 }),
      { do: 'call', index: 1, why: 'fallback' },
    ],
    [
      'one that waited for no slot before one that did',
      progress(0, { targets: [{ ...fresh(), leftQueue: true }, failed(), fresh()], made: 1 }),
      { do: 'call', index: 2, why: 'fallback' },
    ],
    [
      'one that waited for a slot before any is called again',
      progress(0, { targets: [{ ...fresh(), leftQueue: true }, failed(0)], made: 1 }),
      { do: 'call', index: 0, why: 'fallback' },
    ],
    [
      'the one that may be called soonest',
      progress(0, { targets: [failed(500), failed(200), failed()], made: 2 }),
      { do: 'retry', index: 1, at: 200 },
    ],
    [
      'of those whose time has come the one that was called least often',
      progress(0, { targets: [failed(50, 2), failed(90, 1), failed(10, 1)], made: 2 }),
      { do: 'retry', index: 1, at: 100 },
    ],
    [
      'none, where the wait would be longer than what is left',
      progress(0, { targets: [failed(1_000)], made: 1 }),
      { do: 'give_up' },
    ],
    [
      'none, where the head of the answer would be sent meanwhile',
      progress(0, { targets: [failed(400)], made: 1, headAt: 400 }),
      { do: 'give_up' },
    ],
    [
      'the same, and no other, where another would not help',
      progress(0, { targets: [failed(100), fresh()], made: 1, only: 0 }),
      { do: 'retry', index: 0, at: 100 },
    ],
    [
      'the one whose turn it is',
      progress(0, { targets: [failed(), fresh()], made: 1, due: 0 }),
      { do: 'call', index: 0, why: 'retry' },
    ],
    [
      'a hedge in its time',
      progress(0, { targets: [failed(), fresh()], made: 1, running: 1, hedgeAt: 100 }),
      { do: 'call', index: 1, why: 'hedge' },
    ],
    [
      'no hedge before its time',
      progress(0, { targets: [failed(), fresh()], made: 1, running: 1, hedgeAt: 101 }),
      { do: 'wait' },
    ],
    [
      'another one where the attempts of the first are used up',
      progress(0, { targets: [{ ...fresh(), maxAttempts: 1 }, fresh()], made: 1 }),
      { do: 'call', index: 1, why: 'first' },
    ],
    [
      'another one where the time of the first is over',
      progress(0, { targets: [{ ...failed(90), endAt: 100 }, failed(95)], made: 2 }),
      { do: 'retry', index: 1, at: 100 },
    ],
    [
      'another one where that whose turn it is has no attempts left',
      progress(0, { targets: [{ ...failed(), maxAttempts: 1 }, fresh()], made: 1, due: 0 }),
      { do: 'call', index: 1, why: 'fallback' },
    ],
    [
      'no hedge where no place is left',
      progress(0, { targets: [failed(0)], made: 1, running: 1, hedgeAt: 100 }),
      { do: 'wait' },
    ],
  ])('is %s', (_, given, expected) => {
    expect(nextAttempt(given, 100)).toEqual(expected)
  })

  it.each<[string, Partial<RetryState>]>([
    ['the attempts are used up', { made: 3 }],
    ['the time is over', { targets: [{ ...fresh(), endAt: 100 }] }],
    ['the caller has the head of the answer', { closed: true }],
  ])('is none when %s, but those under way are waited for', (_, more) => {
    expect(nextAttempt(progress(2, more), 100)).toEqual({ do: 'give_up' })
    expect(nextAttempt(progress(2, { ...more, running: 1, hedgeAt: 0 }), 100)).toEqual({ do: 'wait' })
  })

  it('keeps its bounds, whatever upstreams do', () => {
    fc.assert(
      fc.property(world, steps => {
        live(steps)
      }),
      { numRuns: 1_000 },
    )
  })
})

/** What the world does, a step at a time. */
const world = fc.record({
  places: fc.array(
    fc.record({ maxAttempts: fc.integer({ min: 1, max: 6 }), endAt: fc.integer({ min: 1, max: 300 }) }),
    { minLength: 1, maxLength: 5 },
  ),
  headAt: fc.option(fc.integer({ min: 0, max: 300 }), { nil: never }),
  commitAt: fc.option(fc.integer({ min: 0, max: 300 }), { nil: never }),
  hedgeAfter: fc.option(fc.integer({ min: 0, max: 20 }), { nil: never }),
  steps: fc.array(
    fc.record({
      takes: fc.integer({ min: 0, max: 60 }),
      blocked: fc.boolean(),
      leave: fc.boolean(),
      /** `undefined`: asking again would not help. */
      againIn: fc.option(fc.integer({ min: 0, max: 80 }), { nil: undefined }),
      stays: fc.boolean(),
    }),
    { minLength: 1, maxLength: 12 },
  ),
})

/** Follows the decisions as a caller of it does, and throws where one breaks a bound. */
function live({
  places,
  headAt,
  commitAt,
  hedgeAfter,
  steps,
}: typeof world extends fc.Arbitrary<infer T> ? T : never): void {
  let now = 0
  let at = 0
  const targets = places.map(own => ({ ...fresh(), ...own }))
  const running: { index: number; until: number; step: (typeof steps)[number] }[] = []
  const state = {
    made: 0,
    only: undefined as number | undefined,
    due: undefined as number | undefined,
    hedgeAt: never,
  }
  const leaves = new Set<number>()
  for (let turn = 0; ; turn++) {
    if (turn > 10_000) throw new Error('It does not end.')
    const step = steps[at++ % steps.length]!
    const next = nextAttempt(
      { targets, headAt, closed: now >= commitAt, running: running.length, ...state },
      now,
    )
    if (next.do === 'give_up') {
      if (running.length > 0) throw new Error('It gave up what was under way.')
      return
    }
    if (next.do === 'wait') {
      if (running.length === 0) throw new Error('It waits for nobody.')
      const ends = Math.min(...running.map(({ until }) => until))
      now = Math.max(now, now < state.hedgeAt ? Math.min(ends, state.hedgeAt) : ends)
      const ended = running.findIndex(({ until }) => until <= now)
      if (ended === -1) continue
      const [call] = running.splice(ended, 1)
      const target = targets[call!.index]!
      target.retryAt = call!.step.againIn === undefined ? undefined : now + call!.step.againIn
      if (call!.step.stays) state.only ??= call!.index
      continue
    }
    const target = targets[next.index]!
    const isUntried = ({ calls, excluded, maxAttempts, endAt }: TargetAttemptState) =>
      calls === 0 && !excluded && state.made < maxAttempts && now < endAt
    if (now >= commitAt) throw new Error('It went on after the head was sent.')
    if (now >= target.endAt) throw new Error('It went on after the deadline.')
    if (target.excluded) throw new Error('It chose a place that must not be asked.')
    if (next.do === 'retry') {
      if (next.at >= target.endAt || next.at >= headAt) throw new Error('It waits for too long.')
      if (state.only === undefined && targets.some(isUntried)) {
        throw new Error('It repeats before all had their turn.')
      }
      if (target.calls === 0) throw new Error('It repeats what was never asked.')
      if (step.leave) {
        leaves.add(next.index)
        now = Math.max(now, next.at)
        state.due = next.index
      } else target.excluded = true
      continue
    }
    state.due = undefined
    if (target.calls > 0 && !leaves.delete(next.index)) throw new Error('It repeats without leave.')
    if (step.blocked) {
      target.excluded = true
      if (running.length > 0) state.hedgeAt = never
      continue
    }
    if (++state.made > target.maxAttempts) throw new Error('It made too many.')
    if (next.why === 'hedge' && now < state.hedgeAt) throw new Error('It hedges too soon.')
    target.calls++
    target.retryAt = undefined
    state.hedgeAt = now + hedgeAfter
    running.push({ index: next.index, until: now + step.takes, step })
  }
}

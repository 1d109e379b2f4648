import type { AttemptRecord, BeginEvent, EndEvent, UnusedCallEvent } from '@sluice/core'

const attempt: AttemptRecord = {
  provider: 'one',
  model: 'm-1',
  called: true,
  startMs: 1,
  ms: 20,
  why: 'first',
  waitedMs: 0,
  status: 200,
  error: undefined,
}

/** One attempt, as a test wants it. */
export const attemptOf = (more: Partial<AttemptRecord> = {}): AttemptRecord => ({ ...attempt, ...more })

/** A request that begins, as a test wants it. */
export const beginOf = (requestId: string, more: Partial<BeginEvent> = {}): BeginEvent => ({
  type: 'begin',
  requestId,
  at: 1_000,
  principal: { id: 'ann', tags: { team: 'search' } },
  model: 'm',
  stream: true,
  ...more,
})

/** One that has ended. */
export const endOf = (requestId: string, more: Partial<EndEvent> = {}): EndEvent => ({
  type: 'end',
  requestId,
  at: 1_000,
  outcome: 'completed',
  status: 200,
  principal: { id: 'ann', tags: { team: 'search' } },
  model: 'm',
  stream: true,
  attempts: [attempt],
  adjustments: [],
  usage: { prompt_tokens: 3, completion_tokens: 2, total_tokens: 5 },
  usageEstimated: false,
  cost: 0.5,
  shadowed: [],
  timings: { queue: 1, firstByte: 20, total: 40 },
  cache: undefined,
  replayed: false,
  trace: { seed: 1, candidates: [{ provider: 'one', model: 'm-1' }], overheadMs: 2 },
  error: undefined,
  ...more,
})

/** A call whose answer was dropped. */
export const unusedOf = (requestId: string): UnusedCallEvent => ({
  type: 'unused_call',
  requestId,
  principal: { id: 'ann' },
  model: 'm',
  attempt: { ...attempt, provider: 'two', why: 'shadow' },
  usage: { prompt_tokens: 3, completion_tokens: 4, total_tokens: 7 },
  usageEstimated: true,
  cost: null,
})

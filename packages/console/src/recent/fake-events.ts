import type { AttemptRecord, BeginEvent, DiscardedCallEvent, EndEvent, Usage } from '@sluice/core'

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
  clientRequestId: undefined,
  at: 1_000,
  operation: 'generate',
  dialect: 'chat',
  principal: { id: 'ann', tags: { team: 'search' } },
  model: 'm',
  stream: true,
  ...more,
})

/** One that has ended. */
export const endOf = (requestId: string, more: Partial<EndEvent> = {}): EndEvent => ({
  type: 'end',
  requestId,
  clientRequestId: undefined,
  at: 1_000,
  outcome: 'completed',
  status: 200,
  operation: 'generate',
  dialect: 'chat',
  principal: { id: 'ann', tags: { team: 'search' } },
  user: undefined,
  authFailure: undefined,
  model: 'm',
  responseModel: undefined,
  stream: true,
  attempts: [attempt],
  adjustments: [],
  usage: usageOf(3, 2),
  usageEstimated: false,
  cost: 0.5,
  wouldHaveRefused: [],
  timings: { queue: 1, firstByte: 20, total: 40 },
  cache: undefined,
  replayed: false,
  trace: { seed: 1, candidates: [{ provider: 'one', model: 'm-1' }], overheadMs: 2 },
  error: undefined,
  ...more,
})

/** What was used: tokens of the prompt, and of the answer. */
export function usageOf(prompt: number, completion: number): Usage {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}

/** A call whose answer was dropped. */
export const discardedOf = (requestId: string): DiscardedCallEvent => ({
  type: 'discarded_call',
  requestId,
  operation: 'generate',
  dialect: 'chat',
  principal: { id: 'ann' },
  user: undefined,
  model: 'm',
  attempt: { ...attempt, provider: 'two', why: 'shadow' },
  responseModel: undefined,
  usage: usageOf(3, 4),
  usageEstimated: true,
  cost: null,
})

import type { AttemptRecord, EndEvent, Usage } from '@sluice/core'

/** An attempt that answered, but for what is said otherwise. */
export function attempt(more: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    provider: 'acme',
    model: 'big-1',
    called: true,
    startMs: 2,
    ms: 210,
    why: 'first',
    waitedMs: 0,
    status: undefined,
    error: undefined,
    ...more,
  }
}

export function usage(prompt: number, completion: number, cached = 0, reasoning = 0): Usage {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: { cached_tokens: cached, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: reasoning,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}

/** The end of a request that was answered, but for what is said otherwise. */
export function ended(more: Partial<EndEvent> = {}): EndEvent {
  return {
    type: 'end',
    requestId: 'req_1',
    clientRequestId: undefined,
    at: 1_700_000_000_000,
    outcome: 'completed',
    status: 200,
    operation: 'generate',
    dialect: 'chat',
    principal: { id: 'ann' },
    user: undefined,
    authFailure: undefined,
    model: 'big',
    responseModel: undefined,
    stream: false,
    attempts: [attempt()],
    adjustments: [],
    usage: usage(812, 120),
    usageEstimated: false,
    cost: 0.00123,
    wouldHaveRefused: [],
    timings: { queue: 0, firstByte: 1240.04, total: 1240.04 },
    cache: undefined,
    replayed: false,
    trace: { seed: 1, candidates: [], overheadMs: 0.61 },
    error: undefined,
    ...more,
  }
}

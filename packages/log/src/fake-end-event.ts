import type { AttemptRecord, EndEvent } from '@sluice/core'

let made = 0

/** An attempt that succeeded, unless it says otherwise. */
export function attempt(changes: Partial<AttemptRecord> = {}): AttemptRecord {
  return {
    provider: 'acme',
    model: 'big-1',
    called: true,
    startMs: 2,
    ms: 210.04,
    why: 'first',
    waitedMs: 0,
    status: undefined,
    error: undefined,
    ...changes,
  }
}

/** The end of one more request, which succeeded, unless it says otherwise. */
export function ended(changes: Partial<EndEvent> = {}): EndEvent {
  made += 1
  return {
    type: 'end',
    requestId: `req_${String(made).padStart(6, '0')}`,
    clientRequestId: undefined,
    at: Date.UTC(2026, 10, 21, 12) + made,
    outcome: 'completed',
    status: 200,
    operation: 'generate',
    dialect: 'chat',
    principal: { id: 'ann', source: 'api_keys', tags: { team: 'search' } },
    user: undefined,
    authFailure: undefined,
    model: 'big',
    responseModel: undefined,
    stream: false,
    attempts: [attempt()],
    adjustments: [],
    usage: undefined,
    usageEstimated: false,
    cost: null,
    wouldHaveRefused: [],
    timings: { queue: 0, firstByte: 240.04, total: 240.04 },
    cache: undefined,
    replayed: false,
    trace: { seed: 1, candidates: [], overheadMs: 0.61 },
    error: undefined,
    ...changes,
  }
}

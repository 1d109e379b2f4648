import type { LoggedRequest, RequestLogRepository, RequestLogSearch } from '@sluice/core/store'

let made = 0

/** When the rows of tests arrive, unless they say otherwise. */
export const noon: number = Date.UTC(2026, 10, 21, 12)

/** The row of one more request. */
export function row(changes: Partial<LoggedRequest> = {}): LoggedRequest {
  made += 1
  return {
    id: `req_${String(made).padStart(8, '0')}`,
    clientRequestId: null,
    at: noon,
    operation: 'generate',
    dialect: 'chat',
    outcome: 'completed',
    status: 200,
    principal: 'ann',
    source: 'api_keys',
    tags: { team: 'search' },
    user: null,
    authFailure: null,
    model: 'small',
    provider: 'acme',
    upstreamModel: 'small-1',
    responseModel: 'small-1-2026',
    stream: false,
    promptTokens: 812,
    cachedTokens: 0,
    completionTokens: 120,
    reasoningTokens: 0,
    usageEstimated: false,
    cost: 0.001_234_567,
    queueMs: 0,
    firstByteMs: 210.4,
    totalMs: 1_240.1,
    overheadMs: 0.6,
    cache: null,
    replayed: false,
    error: null,
    errorStatus: null,
    errorMessage: null,
    errorText: null,
    attempts: [
      {
        provider: 'acme',
        model: 'small-1',
        key: null,
        why: 'first',
        called: true,
        startMs: 2,
        ms: 210.4,
        waitedMs: 0,
        status: null,
        error: null,
        errorMessage: null,
      },
    ],
    seed: 4_294_967_295,
    candidates: [
      { provider: 'other', model: 'small-2', skipped: { why: 'cooldown', waitMs: 1_000, detail: 'a 429' } },
    ],
    hooks: [{ name: 'redact', outcome: 'changed', ms: 1.2 }],
    adjustments: ['temperature dropped'],
    wouldHaveRefused: [],
    omitted: 0,
    ...changes,
  }
}

/** Searches with defaults, and returns the rows. */
export function find(
  repository: RequestLogRepository,
  search: Partial<RequestLogSearch> = {},
): Promise<readonly LoggedRequest[]> {
  return repository.search({
    from: undefined,
    to: undefined,
    where: {},
    after: undefined,
    limit: 500,
    ...search,
  })
}

/** The ids of the rows that a search finds. */
export async function findIds(
  repository: RequestLogRepository,
  search: Partial<RequestLogSearch> = {},
): Promise<readonly string[]> {
  return (await find(repository, search)).map(({ id }) => id)
}

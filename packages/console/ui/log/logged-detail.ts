import type { LoggedRequest, RequestDetail } from '../../src/api.ts'

/** Returns a request of the log as one that has just ended is shown. */
export function loggedDetail(row: LoggedRequest, teamTag: string): RequestDetail {
  return {
    ...row,
    model: row.model ?? undefined,
    key: row.principal ?? undefined,
    source: row.source ?? undefined,
    team: row.tags[teamTag],
    user: row.user ?? undefined,
    provider: row.provider ?? undefined,
    firstByteMs: row.firstByteMs ?? undefined,
    promptTokens: row.promptTokens ?? undefined,
    completionTokens: row.completionTokens ?? undefined,
    error: row.error ?? undefined,
    overheadMs: row.overheadMs ?? undefined,
    cache: row.cache ?? undefined,
    estimated: row.usageEstimated,
    attempts: row.attempts.map(({ key, status, error, ...attempt }) => ({
      ...attempt,
      ...(key !== null && { key }),
      status: status ?? undefined,
      error: error ?? undefined,
    })),
    candidates: row.candidates.map(({ provider, model, via, skipped }) => ({
      provider,
      model,
      ...(via !== undefined && { via }),
      ...(skipped !== undefined && { skipped }),
    })),
    discarded: [],
    leftOut: row.omitted,
  }
}

import type { RequestDetail, RequestRow } from '../api.ts'

/** What of a request stands in the list of all. */
export function requestRow(request: RequestDetail): RequestRow {
  return {
    id: request.id,
    at: request.at,
    operation: request.operation,
    dialect: request.dialect,
    model: request.model,
    key: request.key,
    source: request.source,
    team: request.team,
    stream: request.stream,
    outcome: request.outcome,
    status: request.status,
    provider: request.provider,
    firstByteMs: request.firstByteMs,
    totalMs: request.totalMs,
    promptTokens: request.promptTokens,
    completionTokens: request.completionTokens,
    cost: request.cost,
    error: request.error,
  }
}

import type { AttemptRecord, DiscardedCallEvent, RequestOutcome } from '../contracts/events.ts'
import type { Charge, LedgerClosing, LedgerEntry, RecordKind } from '../contracts/ledger.ts'
import { isTimeout, UpstreamError } from '../errors/upstream-error.ts'
import { memberOf } from '../primitives/own-members.ts'
import type { Usage } from '../protocol/chat.ts'

/** Returns a usage and its price, as the ledger stores them. */
export function chargeOf(usage: Usage, cost: number | null): Charge {
  return {
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? 0,
    cost,
  }
}

/** The request of a discarded call. Times are milliseconds since 1970. */
interface DiscardedRequest extends Pick<LedgerEntry, 'id' | 'stream' | 'tags' | 'openedAt'> {
  readonly closedAt: number
}

/**
 * Returns the record of a discarded call, dated by the start of its request, or `undefined` if the upstream did not accept
 * it, which costs nothing.
 */
export function discardedClosing(
  call: DiscardedCallEvent,
  beside: DiscardedRequest,
): LedgerClosing | undefined {
  const { requestId, operation, dialect, principal, user, model, attempt, responseModel } = call
  const { usage, usageEstimated, cost } = call
  if (usage === undefined) return undefined
  const { id, stream, tags, openedAt, closedAt } = beside
  const { outcome, status } = endOf(attempt.error)
  const charge = chargeOf(usage, cost)
  const entry: LedgerEntry = {
    kind: kindOf(attempt),
    id,
    requestId,
    operation,
    dialect,
    principal: principal?.id ?? '',
    source: principal === undefined ? undefined : memberOf(principal, 'source'),
    user,
    tags,
    model,
    stream,
    openedAt,
    estimate: charge,
  }
  return {
    entry,
    closedAt,
    outcome,
    status: attempt.status ?? status,
    provider: attempt.provider,
    upstreamModel: attempt.model,
    responseModel,
    attempts: 1,
    charge,
    estimated: usageEstimated,
    firstByteMs: undefined,
    totalMs: Math.max(0, closedAt - openedAt),
  }
}

function kindOf({ why, error }: AttemptRecord): RecordKind {
  if (why === 'shadow') return 'shadow'
  return isTimeout(error) ? 'timeout' : 'hedge'
}

/** A call that is cut off as it is not needed is disconnected by its client: the gateway. */
function endOf(error: unknown): { readonly outcome: RequestOutcome; readonly status: number } {
  if (error === undefined) return { outcome: 'completed', status: 200 }
  if (isTimeout(error)) return { outcome: 'upstream_failed', status: 504 }
  if (UpstreamError.is(error)) return { outcome: 'upstream_failed', status: 502 }
  return { outcome: 'client_disconnected', status: 499 }
}

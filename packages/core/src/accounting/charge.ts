import type { AttemptRecord, DiscardedCallEvent, RequestOutcome } from '../contracts/events.ts'
import type { Charge, LedgerClosing, LedgerEntry, RecordKind } from '../contracts/ledger.ts'
import { isTimeout, UpstreamError } from '../errors/upstream-error.ts'
import type { Usage } from '../protocol/chat.ts'

/** A usage and its price, as the ledger keeps them. */
export function chargeOf(usage: Usage, cost: number | null): Charge {
  return {
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? 0,
    cost,
  }
}

/** What is known of the request beside which a call was made. Times are milliseconds since 1970. */
interface BesideRequest extends Pick<LedgerEntry, 'id' | 'stream' | 'openedAt'> {
  readonly closedAt: number
}

/**
 * A call whose answer nobody got, as a ledger keeps it: it counts from when its request was opened. `undefined` where
 * the upstream did not take it, which costs nothing.
 */
export function discardedClosing(call: DiscardedCallEvent, beside: BesideRequest): LedgerClosing | undefined {
  const { requestId, principal, model, attempt, responseModel, usage, usageEstimated, cost } = call
  if (usage === undefined) return undefined
  const { id, stream, openedAt, closedAt } = beside
  const { outcome, status } = endOf(attempt.error)
  const charge = chargeOf(usage, cost)
  const entry: LedgerEntry = {
    kind: kindOf(attempt),
    id,
    requestId,
    principal: principal?.id ?? '',
    tags: { ...principal?.tags },
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

/** Who cuts a call off that it does not need is the upstream's client. */
function endOf(error: unknown): { readonly outcome: RequestOutcome; readonly status: number } {
  if (error === undefined) return { outcome: 'completed', status: 200 }
  if (isTimeout(error)) return { outcome: 'upstream_failed', status: 504 }
  if (UpstreamError.is(error)) return { outcome: 'upstream_failed', status: 502 }
  return { outcome: 'client_disconnected', status: 499 }
}

import type { RequestTrace } from '../contracts/trace.ts'
import type { AttemptLog } from '../observability/attempt-log.ts'
import { traceHeader } from '../observability/trace-header.ts'
import type { RoutingTrace } from '../routing/routing-trace.ts'

type Headers = Readonly<Record<string, string>>

/** What the headers of an answer say of its request. */
interface HeaderFacts {
  /** How the request stands to the cache; `undefined` where it is not cached. */
  readonly cache: 'hit' | 'miss' | undefined
  /** Whether its answer is that of an earlier request with the same idempotency key. */
  readonly replayed: boolean
  /** The caller's own id for the request. */
  readonly clientRequestId: string | undefined
  readonly attempts: AttemptLog
}

/** Returns the headers of limits, of adjusted parameters, of cache and idempotency, of the trace, and of the caller's own id. */
export function answerHeaders(
  { cache, replayed, clientRequestId, attempts: { exhausted } }: HeaderFacts,
  limits: Headers,
  adjustments: Headers | undefined,
  trace: string | undefined,
): Headers {
  const recalled = cache !== undefined || replayed
  const alone = !recalled && !exhausted && trace === undefined && clientRequestId === undefined
  if (adjustments === undefined && alone) return limits
  // No spread: to add names to one costs microseconds.
  const headers: Record<string, string> = Object.assign({}, limits, adjustments)
  if (cache !== undefined) headers['x-sluice-cache'] = cache
  if (replayed) headers['idempotency-replayed'] = 'true'
  if (trace !== undefined) headers['x-sluice-trace'] = trace
  if (exhausted) headers['x-should-retry'] = 'false'
  if (clientRequestId !== undefined) headers['x-client-request-id'] = clientRequestId
  return headers
}

/** What the trace of a request is made of. Times are in monotonic milliseconds. */
interface TraceFacts {
  readonly routing: RoutingTrace
  readonly attempts: AttemptLog
  readonly startedAt: number
  /** When the first byte of the answer was sent. */
  readonly firstByteAt: number | undefined
}

/** Returns the trace of a request that waited so long for its limits. */
export function requestTrace(
  { routing, attempts, startedAt }: TraceFacts,
  waitedMs: number,
  answeredAt: number | undefined,
): RequestTrace {
  const overheadMs =
    answeredAt === undefined
      ? undefined
      : Math.max(0, answeredAt - startedAt - waitedMs - attempts.busyMs(answeredAt))
  return routing.trace(overheadMs)
}

/** Returns the trace as a header, while the answer is about to be sent. */
export function requestTraceHeader(record: TraceFacts, waitedMs: number, now: number): string {
  const { attempts, startedAt, firstByteAt } = record
  const { counted } = attempts
  const answers = counted?.endedAt !== undefined && counted.error === undefined
  const trace = requestTrace(record, waitedMs, firstByteAt ?? (answers ? now : undefined))
  return traceHeader(trace, attempts.recordsAt(startedAt, now, undefined))
}

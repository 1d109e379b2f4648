import type { RequestTrace } from '../contracts/trace.ts'
import type { AttemptLog } from '../observability/attempt-log.ts'
import { traceHeader } from '../observability/trace-header.ts'
import type { RequestContext } from './request-context.ts'

/** Returns the trace of a request. `waitedMs` is how long it waited for its limits, `answeredAt` is in monotonic ms. */
export function requestTrace(
  { routing, startedAt, hooks }: RequestContext,
  attempts: AttemptLog,
  waitedMs: number,
  answeredAt: number | undefined,
): RequestTrace {
  const overheadMs =
    answeredAt === undefined
      ? undefined
      : Math.max(0, answeredAt - startedAt - waitedMs - attempts.busyMs(answeredAt))
  const trace = routing.trace(overheadMs)
  return hooks === undefined ? trace : { ...trace, hooks: hooks.records }
}

/** Returns the trace as a header, while the response is about to be sent. `firstByteAt` is in monotonic ms. */
export function requestTraceHeader(
  context: RequestContext,
  attempts: AttemptLog,
  waitedMs: number,
  firstByteAt: number | undefined,
): string {
  const now = context.clock.monotonic()
  const { counted } = attempts
  const answers = counted?.endedAt !== undefined && counted.error === undefined
  const trace = requestTrace(context, attempts, waitedMs, firstByteAt ?? (answers ? now : undefined))
  return traceHeader(trace, attempts.recordsAt(context.startedAt, now, undefined))
}

import type { AttemptRecord } from '../contracts/events.ts'
import type { RequestTrace } from '../contracts/trace.ts'
import { isCutOff, QueueLeft } from '../errors/abort-reasons.ts'
import { GatewayError } from '../errors/errors.ts'
import { UpstreamError } from '../errors/upstream-error.ts'
import { boundedLine } from '../primitives/safe-text.ts'

/** In bytes: servers and proxies limit the size of headers. The `end` event has the full trace. */
const maxBytes = 4_096
/** Maximum number of attempts in the header. */
const maxAttempts = 100

/**
 * Returns the value of the header `x-sluice-trace`: ASCII JSON of at most 4 KiB. What does not fit is omitted, and `truncated`
 * is `true`. Errors appear as their kind and HTTP status only, because messages may contain hosts.
 */
export function traceHeader(trace: RequestTrace, attempts: readonly AttemptRecord[]): string {
  const { seed, candidates, more } = trace
  const overheadMs = trace.overheadMs === undefined ? undefined : rounded(trace.overheadMs)
  const shown = {
    seed,
    overheadMs,
    attempts: attempts.slice(0, maxAttempts).map(shownAttempt),
    candidates,
    more,
  }
  const complete = ascii(shown)
  if (complete.length <= maxBytes && attempts.length <= maxAttempts) return complete
  const rest = { ...shown, attempts: [], candidates: [], truncated: true }
  let remaining = maxBytes - ascii(rest).length
  const fitting = (members: readonly object[]): readonly object[] => {
    const fit: object[] = []
    for (const member of members) {
      const { length } = ascii([member])
      if (length > remaining) break
      remaining -= length
      fit.push(member)
    }
    return fit
  }
  return ascii({ ...rest, attempts: fitting(shown.attempts), candidates: fitting(candidates) })
}

function shownAttempt(attempt: AttemptRecord): object {
  const { provider, model, key, called, why, ms, waitedMs, status, error } = attempt
  return {
    provider: boundedLine(String(provider)),
    model: boundedLine(model),
    key,
    called,
    why,
    ms: rounded(ms),
    waitedMs: waitedMs === 0 ? undefined : rounded(waitedMs),
    status: typeof status === 'number' ? status : undefined,
    error: kindOf(error),
  }
}

/** Returns the kind of an error. */
function kindOf(error: unknown): string | undefined {
  if (error === undefined) return undefined
  if (UpstreamError.is(error)) return boundedLine(String(error.kind))
  if (GatewayError.is(error)) return error.reason
  if (error instanceof QueueLeft) return 'no_slot'
  return isCutOff(error) ? 'cut_off' : 'internal'
}

function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000
}

/** Escapes all characters outside of ASCII. */
function ascii(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[^\x20-\x7e]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

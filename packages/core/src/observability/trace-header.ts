import type { AttemptRecord } from '../contracts/events.ts'
import type { RequestTrace } from '../contracts/trace.ts'
import { AnsweredElsewhere, LifeEnded } from '../errors/abort-reasons.ts'
import { GatewayError } from '../errors/errors.ts'
import { UpstreamError } from '../errors/upstream-error.ts'
import { boundedLine } from '../primitives/safe-text.ts'

/** Servers and proxies bound the size of a head; the event has what does not fit. In bytes. */
const maxBytes = 4_096
/** No more are looked at. */
const maxAttempts = 100

/**
 * How a request came to its answer, as the value of the header `x-sluice-trace`: JSON in ASCII, at most 4 KiB. What does
 * not fit is left out, and `truncated` is `true`. Of an error it tells its kind and the upstream's status: messages may
 * name hosts, and a vendor's own code may be anything.
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

function shownAttempt({ provider, model, called, why, ms, waitedMs, status, error }: AttemptRecord): object {
  return {
    provider: boundedLine(String(provider)),
    model: boundedLine(model),
    called,
    why,
    ms: rounded(ms),
    waitedMs: waitedMs === 0 ? undefined : rounded(waitedMs),
    status: typeof status === 'number' ? status : undefined,
    error: kindOf(error),
  }
}

/** What went wrong, in a word of ours. */
function kindOf(error: unknown): string | undefined {
  if (error === undefined) return undefined
  if (UpstreamError.is(error)) return boundedLine(String(error.kind))
  if (GatewayError.is(error)) return error.reason
  return error instanceof LifeEnded || error instanceof AnsweredElsewhere ? 'cut_off' : 'internal'
}

function rounded(ms: number): number {
  return Math.round(ms * 1_000) / 1_000
}

/** JSON may write any character by its number. */
function ascii(value: unknown): string {
  return JSON.stringify(value).replaceAll(
    /[^\x20-\x7e]/g,
    character => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
}

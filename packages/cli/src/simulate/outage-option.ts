import type { FailureKind, Outage } from '@sluice/testing/simulation'
import { CommandError } from '../command.ts'
import { parseDuration } from '../command-line/parse-time.ts'
import { printable } from '../command-line/printable.ts'

/** An outage as it is typed. */
export interface TypedOutage {
  readonly provider: string
  readonly outage: Outage
}

/**
 * Parses `openai:10m..25m`, with what happens at its end: `openai:10m..25m:unreachable`, `timeout`, `cut` or a status. Throws
 * `CommandError` with the exit code 2.
 */
export function parseOutage(text: string): TypedOutage {
  const [, provider = '', from = '', to = '', kind] =
    /^([^:]+):([^.:]+)\.\.([^.:]+)(?::(\w+))?$/.exec(text) ?? []
  const [fromMs, toMs] = [timeOf(from), timeOf(to)]
  const parsed = kindOf(kind)
  if (provider !== '' && fromMs !== undefined && toMs !== undefined && fromMs < toMs && parsed !== null) {
    return { provider, outage: { fromMs, toMs, ...(parsed !== undefined && { kind: parsed }) } }
  }
  throw new CommandError(
    `--outage is '${printable(text)}', expected a provider and a range of time, such as openai:10m..25m, and optionally :unreachable, :timeout, :cut or a status.`,
    2,
  )
}

function timeOf(text: string): number | undefined {
  return text === '0' ? 0 : parseDuration(text)
}

/** `null`: it is none. */
function kindOf(text: string | undefined): FailureKind | undefined | null {
  if (text === undefined) return undefined
  if (text === 'unreachable' || text === 'timeout' || text === 'cut') return text
  return /^[45]\d\d$/.test(text) ? Number(text) : null
}

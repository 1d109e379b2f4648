import { type AttemptRecord, type GatewayEvent, UpstreamError } from '@sluice/core'

/** One line for each answered request, with neither keys nor prompts; `undefined` for what is not logged. */
export function logLine(event: GatewayEvent): string | undefined {
  if (event.type === 'warning') return event.message
  if (event.type !== 'end') return undefined
  const { status, model = '-', outcome, attempts, usage, timings, principal } = event
  const counted = usage === undefined ? '' : `, ${usage.total_tokens} tokens`
  return `${status} ${principal?.id ?? '-'} ${plain(model)} ${outcome}${failure(attempts.at(-1))}${counted}, ${Math.round(timings.total)} ms`
}

/** A route that takes any name takes those that would break a line or steer a terminal. */
function plain(name: string): string {
  return name.slice(0, 100).replaceAll(/[\p{C}\p{Zl}\p{Zp}]/gu, '?')
}

/** Which vendor failed, and with which status. Not in its words: they may repeat the prompt. */
function failure(last: AttemptRecord | undefined): string {
  if (last === undefined || !UpstreamError.is(last.error)) return ''
  const { kind, status } = last.error
  return ` (${last.provider}: ${status ?? kind})`
}

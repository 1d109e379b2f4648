import type { GatewayEvent } from '@sluice/core'

/** One line for each answered request, with neither keys nor prompts; `undefined` for what is not logged. */
export function logLine(event: GatewayEvent): string | undefined {
  if (event.type === 'warning') return event.message
  if (event.type !== 'end') return undefined
  const { status, model = '-', outcome, usage, timings, principal } = event
  const counted = usage === undefined ? '' : `, ${usage.total_tokens} tokens`
  return `${status} ${principal?.id ?? '-'} ${model} ${outcome}${counted}, ${Math.round(timings.total)} ms`
}

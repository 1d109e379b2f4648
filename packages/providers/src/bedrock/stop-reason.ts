import type { FinishReason } from '@sluice/core'
import { textOf } from '../wire/json-value.ts'

const reasons: ReadonlyMap<unknown, FinishReason> = new Map<unknown, FinishReason>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['tool_use', 'tool_calls'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['guardrail_intervened', 'content_filter'],
  ['content_filtered', 'content_filter'],
  ['refusal', 'content_filter'],
])

/**
 * Why an answer ended, as one of the protocol's reasons; `null` where Bedrock gives none, `stop` where it gives one
 * that is not known.
 *
 * @param called - whether the caller's tools were called: other tools of the answer are not the caller's.
 */
export function stopReason(reason: unknown, called: boolean): FinishReason | null {
  if (textOf(reason) === undefined) return null
  const known = reasons.get(reason) ?? 'stop'
  return known === 'tool_calls' && !called ? 'stop' : known
}

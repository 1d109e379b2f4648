import type { FinishReason } from '@sluice/core'
import { isFields, textOf } from '../wire/json-value.ts'

const reasons: ReadonlyMap<unknown, FinishReason> = new Map<unknown, FinishReason>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['pause_turn', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
])

/**
 * Why an answer ended, as one of the protocol's reasons; `null` where the vendor gives none, `stop` where it gives
 * one that is not known.
 *
 * @param called - whether the caller's tools were called: other tools of the answer are not the caller's.
 */
export function stopReason(reason: unknown, called: boolean): FinishReason | null {
  if (textOf(reason) === undefined) return null
  const known = reasons.get(reason) ?? 'stop'
  return known === 'tool_calls' && !called ? 'stop' : known
}

/** What the vendor says of its refusal; `undefined` where it does not refuse or says nothing. */
export function refusalText(reason: unknown, details: unknown): string | undefined {
  return reason === 'refusal' && isFields(details) ? textOf(details.explanation) : undefined
}

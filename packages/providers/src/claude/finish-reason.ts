import type { FinishReason, ProviderSpecificFields } from '@sluice/core/provider'
import { textOf } from '../wire/json-value.ts'

/** The stop reasons of the Messages API. Converse has most of them. */
const reasons: ReadonlyMap<unknown, FinishReason> = new Map<unknown, FinishReason>([
  ['end_turn', 'stop'],
  ['stop_sequence', 'stop'],
  ['pause_turn', 'stop'],
  ['max_tokens', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['refusal', 'content_filter'],
])

/** Returns the stop sequence that ended an answer, as a field of its choice; `undefined` if none did, or the vendor omits it. */
export function stopSequenceFields(sequence: unknown): ProviderSpecificFields | undefined {
  return textOf(sequence) ? { stop_sequence: textOf(sequence)! } : undefined
}

/**
 * Returns a stop reason as the protocol's `finish_reason`: `null` where the vendor gives none, `stop` where it
 * gives an unknown one.
 *
 * @param called - whether the caller's tools were called: other tools of the response are not the caller's.
 * @param further - reasons that only one API has.
 */
export function finishReason(
  reason: unknown,
  called: boolean,
  further?: ReadonlyMap<unknown, FinishReason>,
): FinishReason | null {
  if (textOf(reason) === undefined) return null
  const known = reasons.get(reason) ?? further?.get(reason) ?? 'stop'
  return known === 'tool_calls' && !called ? 'stop' : known
}

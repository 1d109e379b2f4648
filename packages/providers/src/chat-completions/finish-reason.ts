import { type FinishReason, UpstreamError } from '@sluice/core/provider'

const reasons: ReadonlyMap<string, FinishReason> = new Map<string, FinishReason>([
  ['stop', 'stop'],
  ['length', 'length'],
  ['tool_calls', 'tool_calls'],
  ['content_filter', 'content_filter'],
  ['function_call', 'function_call'],
  ['eos', 'stop'],
  ['eos_token', 'stop'],
  ['end_turn', 'stop'],
  ['end', 'stop'],
  ['stop_sequence', 'stop'],
  ['complete', 'stop'],
  ['max_tokens', 'length'],
  ['max_output_tokens', 'length'],
  ['model_length', 'length'],
  ['model_context_window_exceeded', 'length'],
  ['tool_use', 'tool_calls'],
  ['tool_call', 'tool_calls'],
  ['refusal', 'content_filter'],
  ['safety', 'content_filter'],
  ['recitation', 'content_filter'],
  ['blocklist', 'content_filter'],
  ['prohibited_content', 'content_filter'],
  ['spii', 'content_filter'],
  ['content_filtered', 'content_filter'],
  ['guardrail_intervened', 'content_filter'],
])

/**
 * A vendor's reason as one of the protocol's five; `null` where it gives none, `stop` where it gives one that
 * nobody knows. Throws `UpstreamError` of kind `refused` where the reason is that the vendor failed.
 */
export function finishReason(value: unknown): FinishReason | null {
  if (typeof value !== 'string' || value === '') return null
  const known = reasons.get(value) ?? reasons.get(value.toLowerCase())
  if (known !== undefined) return known
  const failure = failureOfReason(value)
  if (failure !== undefined) throw failure
  return 'stop'
}

/** The failure that a vendor's finish reason means, or `undefined` for a regular end. */
export function failureOfReason(value: unknown): UpstreamError | undefined {
  if (typeof value !== 'string' || value.toLowerCase() !== 'error') return undefined
  return new UpstreamError('The upstream ended its answer with an error.', { kind: 'refused', status: 500 })
}

import { type PartialMessage, UpstreamError } from '@sluice/core/provider'

/** The reasons by which vendors say that the model failed, in lower case. */
const reasons: ReadonlySet<string> = new Set([
  // Gemini. Its own chat-completions endpoint writes `function_call_filter: MALFORMED_FUNCTION_CALL`.
  'malformed_function_call',
  'unexpected_tool_call',
  'too_many_tool_calls',
  'malformed_response',
  'missing_thought_signature',
  'other',
  'finish_reason_unspecified',
  'no_image',
  'image_other',
  // Bedrock.
  'malformed_model_output',
  'malformed_tool_use',
])

/** Whether a vendor's reason to end says that the model failed. What was generated before it may still be of use. */
export function isFailedGeneration(reason: unknown): boolean {
  if (typeof reason !== 'string') return false
  return reasons.has(reason.slice(reason.lastIndexOf(' ') + 1).toLowerCase())
}

/** Whether a message, or a piece of one, holds something that a caller can use: reasoning alone is no answer. */
export function hasAnswer({ content, refusal, audio, ...called }: PartialMessage): boolean {
  if (content || refusal || audio !== undefined || called.function_call !== undefined) return true
  return called.tool_calls !== undefined && called.tool_calls.length > 0
}

/**
 * The failure of a model that ended without text or a tool call. 424 is what Bedrock answers then: another attempt may
 * succeed, and the target counts as healthy, since a request can provoke it.
 */
export function failedGeneration(): UpstreamError {
  return new UpstreamError('The upstream ended its response without text or a tool call.', {
    kind: 'refused',
    status: 424,
  })
}

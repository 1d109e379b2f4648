import type { Usage } from '../../protocol/chat.ts'

/** The usage in a message: cached and written tokens are not among `input_tokens`. */
interface MessageUsage {
  readonly input_tokens: number
  readonly cache_creation_input_tokens: number
  readonly cache_read_input_tokens: number
  readonly output_tokens: number
  readonly server_tool_use: null
  readonly output_tokens_details?: { readonly thinking_tokens: number }
  readonly cost?: number
}

/** Returns usage in the terms of the Messages API. `cost`: US dollars, where it is known. */
export function messageUsage(usage: Usage, cost: number | undefined): MessageUsage {
  const { cached_tokens: cached, cache_write_tokens: written = 0 } = usage.prompt_tokens_details
  const { reasoning_tokens: thinking } = usage.completion_tokens_details
  return {
    input_tokens: Math.max(0, usage.prompt_tokens - cached - written),
    cache_creation_input_tokens: written,
    cache_read_input_tokens: cached,
    output_tokens: usage.completion_tokens,
    server_tool_use: null,
    ...(thinking > 0 && { output_tokens_details: { thinking_tokens: thinking } }),
    ...(cost !== undefined && { cost }),
  }
}

/** Returns usage for the start of a message, whose tokens have not been counted yet. */
export function estimatedMessageUsage(promptTokens: number): MessageUsage {
  return {
    input_tokens: promptTokens,
    cache_creation_input_tokens: 0,
    cache_read_input_tokens: 0,
    output_tokens: 1,
    server_tool_use: null,
  }
}

import type { JsonObject, Usage } from '../../protocol/chat.ts'

/**
 * Returns usage in the terms of the Responses API: cached and written tokens are among `input_tokens`. `cost`: US dollars, where
 * it is known.
 */
export function responseUsage(usage: Usage, cost: number | undefined): JsonObject {
  const { prompt_tokens: input, completion_tokens: output } = usage
  const { cached_tokens, cache_write_tokens = 0 } = usage.prompt_tokens_details
  const { reasoning_tokens } = usage.completion_tokens_details
  return {
    input_tokens: input,
    input_tokens_details: { cached_tokens, cache_write_tokens },
    output_tokens: output,
    output_tokens_details: { reasoning_tokens },
    total_tokens: input + output,
    ...(cost !== undefined && { cost }),
  }
}

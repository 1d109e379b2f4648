import type { Usage } from '@sluice/core'

/** The tokens of a use by type, each counted once: together they are the total. A part is never more than its whole. */
export function tokenTypes(usage: Usage): Readonly<Record<string, number>> {
  const { prompt_tokens: prompt, completion_tokens: completion } = usage
  const { cached_tokens, cache_write_tokens = 0 } = usage.prompt_tokens_details
  const cached = Math.min(cached_tokens, prompt)
  const written = Math.min(cache_write_tokens, prompt - cached)
  const reasoning = Math.min(usage.completion_tokens_details.reasoning_tokens, completion)
  return {
    input: prompt - cached - written,
    input_cached: cached,
    input_cache_write: written,
    output: completion - reasoning,
    output_reasoning: reasoning,
  }
}

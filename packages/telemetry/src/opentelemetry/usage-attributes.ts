import type { Attributes } from '@opentelemetry/api'
import type { AttemptEnd } from '@sluice/core'
import { attributes as names, ownAttributes } from './names.ts'

/** What a call used. Cached tokens are among the input, and reasoning is among the output, as the conventions have it. */
export function usageAttributes({
  usage,
  usageEstimated,
}: Pick<AttemptEnd, 'usage' | 'usageEstimated'>): Attributes {
  if (usage === undefined) return {}
  const { cached_tokens, cache_write_tokens } = usage.prompt_tokens_details
  return {
    [names.usageInputTokens]: usage.prompt_tokens,
    [names.usageOutputTokens]: usage.completion_tokens,
    [names.usageCacheReadInputTokens]: cached_tokens || undefined,
    [names.usageCacheCreationInputTokens]: cache_write_tokens || undefined,
    [names.usageReasoningOutputTokens]: usage.completion_tokens_details.reasoning_tokens || undefined,
    [ownAttributes.usageEstimated]: usageEstimated ? true : undefined,
  }
}

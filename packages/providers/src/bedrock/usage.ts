import type { PartialUsage } from '@sluice/core'
import { countOf, isFields } from '../wire/json-value.ts'

/**
 * Bedrock's counts; `undefined` where it gives none. It counts input without what came from the cache or went
 * into it.
 */
export function usageOf(usage: unknown): PartialUsage | undefined {
  if (!isFields(usage)) return undefined
  const input = countOf(usage.inputTokens)
  const output = countOf(usage.outputTokens)
  if (input === undefined && output === undefined) return undefined
  const read = countOf(usage.cacheReadInputTokens)
  const written = countOf(usage.cacheWriteInputTokens)
  return {
    ...(input === undefined ? {} : { prompt_tokens: input + (read ?? 0) + (written ?? 0) }),
    ...(output === undefined ? {} : { completion_tokens: output }),
    ...(read === undefined ? {} : { cached_tokens: read }),
    ...(written === undefined ? {} : { cache_write_tokens: written }),
  }
}

/** The tier that answered, in the protocol's words; `undefined` where it has no word for it. */
export function serviceTierOf(tier: unknown): string | undefined {
  const type = isFields(tier) ? tier.type : undefined
  return type === 'default' || type === 'flex' || type === 'priority' ? type : undefined
}

import type { PartialUsage } from '@sluice/core/provider'
import { countOf, isFields } from '../wire/json-value.ts'

/** Returns the usage of a response; `undefined` if the vendor reports none. */
export function responseUsage(usage: unknown, webSearches: number): PartialUsage | undefined {
  if (!isFields(usage)) return undefined
  const input = isFields(usage.input_tokens_details) ? usage.input_tokens_details : {}
  const output = isFields(usage.output_tokens_details) ? usage.output_tokens_details : {}
  const counts = {
    prompt_tokens: countOf(usage.input_tokens),
    completion_tokens: countOf(usage.output_tokens),
    cached_tokens: countOf(input.cached_tokens),
    cache_write_tokens: countOf(input.cache_write_tokens),
    reasoning_tokens: countOf(output.reasoning_tokens),
    web_search_requests: webSearches === 0 ? undefined : webSearches,
  }
  const known = Object.entries(counts).filter(([, count]) => count !== undefined)
  return known.length === 0 ? undefined : (Object.fromEntries(known) as PartialUsage)
}

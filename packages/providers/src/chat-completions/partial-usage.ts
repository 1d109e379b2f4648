import type { PartialUsage } from '@sluice/core'
import { countOf, type Fields, isFields } from '../wire/json-value.ts'

const none: Fields = {}

/**
 * The token counts of a completion or a chunk, wherever its vendor puts them; `undefined` where it gives none.
 * What is no whole number >= 0 is left out.
 */
export function partialUsage(answer: Fields): PartialUsage | undefined {
  if (isFields(answer.usage)) return fromUsage(answer.usage)
  const groq = answer.x_groq
  return isFields(groq) && isFields(groq.usage) ? fromUsage(groq.usage) : undefined
}

function fromUsage(usage: Fields): PartialUsage | undefined {
  const prompt = isFields(usage.prompt_tokens_details) ? usage.prompt_tokens_details : none
  const completion = isFields(usage.completion_tokens_details) ? usage.completion_tokens_details : none
  const counts: Record<keyof PartialUsage, number | undefined> = {
    prompt_tokens: countOf(usage.prompt_tokens),
    completion_tokens: countOf(usage.completion_tokens),
    cached_tokens:
      countOf(prompt.cached_tokens) ?? countOf(usage.prompt_cache_hit_tokens) ?? countOf(usage.cached_tokens),
    cache_write_tokens: countOf(prompt.cache_write_tokens) ?? countOf(usage.cache_creation_input_tokens),
    reasoning_tokens: countOf(completion.reasoning_tokens) ?? countOf(usage.reasoning_tokens),
    prompt_audio_tokens: countOf(prompt.audio_tokens),
    completion_audio_tokens: countOf(completion.audio_tokens),
    accepted_prediction_tokens: countOf(completion.accepted_prediction_tokens),
    rejected_prediction_tokens: countOf(completion.rejected_prediction_tokens),
  }
  const { prompt_tokens, completion_tokens, reasoning_tokens } = counts
  if (prompt_tokens !== undefined && completion_tokens !== undefined && reasoning_tokens !== undefined) {
    // xAI counts reasoning beside the completion, not within it; its total tells.
    const beside = prompt_tokens + completion_tokens + reasoning_tokens
    if (usage.total_tokens === beside) counts.completion_tokens = completion_tokens + reasoning_tokens
  }
  const known = Object.entries(counts).filter(([, count]) => count !== undefined)
  return known.length > 0 ? Object.fromEntries(known) : undefined
}

import type { PartialUsage } from '@sluice/core'
import type { AnswerChoice } from './completion.ts'
import { countTokens } from './tokens.ts'

/** The tokens of what was answered: all text, and the names and arguments of calls, over all choices. */
export function countCompletionTokens(choices: readonly AnswerChoice[]): number {
  let count = 0
  for (const { content, refusal, reasoning, calls, functionCall } of choices) {
    for (const pieces of [content, refusal, reasoning]) if (pieces) count += countTokens(pieces.join(''))
    for (const { name, input } of [...(calls ?? []), ...(functionCall ? [functionCall] : [])]) {
      count += countTokens(name) + countTokens(input.join(''))
    }
  }
  return count
}

/** Counts in the protocol's shape (protocol section 2): every key, 0 where nothing is known. */
export function usageBody(usage: PartialUsage): Readonly<Record<string, unknown>> {
  const { prompt_tokens = 0, completion_tokens = 0 } = usage
  return {
    prompt_tokens,
    completion_tokens,
    total_tokens: prompt_tokens + completion_tokens,
    prompt_tokens_details: {
      cached_tokens: usage.cached_tokens ?? 0,
      audio_tokens: usage.prompt_audio_tokens ?? 0,
      ...(usage.cache_write_tokens === undefined ? {} : { cache_write_tokens: usage.cache_write_tokens }),
    },
    completion_tokens_details: {
      reasoning_tokens: usage.reasoning_tokens ?? 0,
      audio_tokens: usage.completion_audio_tokens ?? 0,
      accepted_prediction_tokens: usage.accepted_prediction_tokens ?? 0,
      rejected_prediction_tokens: usage.rejected_prediction_tokens ?? 0,
    },
  }
}

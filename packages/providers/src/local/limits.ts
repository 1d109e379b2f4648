import type { ChatRequest } from '@sluice/core'
import { Refused } from './refused.ts'
import { firstTokens } from './tokens.ts'

/** The most tokens of one choice where the request sets no lower limit; the answer then ends with `length`. */
export const mostTokens = 8_192

/**
 * How many tokens a choice may have: the request's limit, at most 8,192, and what the context window leaves.
 * Throws `Refused` (400) where the prompt alone is longer than the window.
 */
export function tokenLimit(
  request: ChatRequest,
  promptTokens: number,
  contextWindow: number | undefined,
): number {
  if (contextWindow !== undefined && promptTokens > contextWindow) {
    throw new Refused({
      status: 400,
      message: `This model's maximum context length is ${contextWindow} tokens. However, your messages resulted in ${promptTokens} tokens. Please reduce the length of the messages.`,
      code: 'context_length_exceeded',
      param: 'messages',
    })
  }
  const asked = request.max_completion_tokens ?? request.max_tokens ?? mostTokens
  return Math.min(asked, mostTokens, (contextWindow ?? Number.POSITIVE_INFINITY) - promptTokens)
}

/** A text up to its token limit, and within it up to the first stop sequence. */
export function limitText(
  text: string,
  limit: number,
  stop: ChatRequest['stop'],
): { readonly text: string; readonly finishReason: 'stop' | 'length' } {
  const kept = firstTokens(text, limit)
  let end = Number.POSITIVE_INFINITY
  for (const sequence of typeof stop === 'string' ? [stop] : (stop ?? [])) {
    const at = sequence === '' ? -1 : kept.text.indexOf(sequence)
    if (at !== -1 && at < end) end = at
  }
  if (end !== Number.POSITIVE_INFINITY) return { text: kept.text.slice(0, end), finishReason: 'stop' }
  return { text: kept.text, finishReason: kept.whole ? 'stop' : 'length' }
}

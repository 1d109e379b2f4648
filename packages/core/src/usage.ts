import type { ChatRequest, Usage } from './protocol/chat.ts'
import type { PartialCompletion, PartialMessage, PartialUsage } from './provider.ts'

/** The counts in the protocol's shape. What a vendor did not say is 0. */
export function usageOf(partial: PartialUsage): Usage {
  const prompt = partial.prompt_tokens ?? 0
  const completion = partial.completion_tokens ?? 0
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details: {
      cached_tokens: partial.cached_tokens ?? 0,
      audio_tokens: partial.prompt_audio_tokens ?? 0,
      // Most vendors have no such count: 0 would tell who answered.
      ...(partial.cache_write_tokens ? { cache_write_tokens: partial.cache_write_tokens } : {}),
    },
    completion_tokens_details: {
      reasoning_tokens: partial.reasoning_tokens ?? 0,
      audio_tokens: partial.completion_audio_tokens ?? 0,
      accepted_prediction_tokens: partial.accepted_prediction_tokens ?? 0,
      rejected_prediction_tokens: partial.rejected_prediction_tokens ?? 0,
    },
  }
}

/** A guess at the counts, for an answer whose vendor gave none: about four characters a token. */
export function estimatedUsage(input: ChatRequest, answerChars: number): Usage {
  return usageOf({ prompt_tokens: tokens(promptChars(input)), completion_tokens: tokens(answerChars) })
}

function tokens(chars: number): number {
  return Math.ceil(chars / 4)
}

function promptChars(input: ChatRequest): number {
  let chars = 0
  for (const { content } of input.messages) {
    if (typeof content === 'string') chars += content.length
    else for (const part of content ?? []) if (part.type === 'text') chars += part.text.length
  }
  if (input.tools !== undefined) chars += JSON.stringify(input.tools).length
  return chars
}

/** The counts of a whole answer, and whether they are a guess. */
export function completionUsage(
  completion: PartialCompletion,
  input: ChatRequest,
): { readonly usage: Usage; readonly estimated: boolean } {
  if (completion.usage !== undefined) return { usage: usageOf(completion.usage), estimated: false }
  let chars = 0
  for (const { message } of completion.choices) chars += messageChars(message)
  return { usage: estimatedUsage(input, chars), estimated: true }
}

function messageChars(message: PartialMessage): number {
  let chars = (message.content?.length ?? 0) + (message.refusal?.length ?? 0)
  chars += (message.reasoning_content?.length ?? 0) + (message.function_call?.arguments?.length ?? 0)
  for (const call of message.tool_calls ?? []) {
    chars += call.function?.arguments?.length ?? call.custom?.input?.length ?? 0
  }
  return chars
}

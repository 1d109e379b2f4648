import type { ProviderFields } from './chat-completions/provider-fields.ts'

// Fields outside the protocol that answers keep, by vendor. None holds a host, a key or an account id. Sources: the vendors' API
// references, and recorded answers.

/** The tokens of a prompt and of an answer that are text, and those that are images. */
const tokenDetails = [
  'prompt_tokens_details.text_tokens',
  'prompt_tokens_details.image_tokens',
  'completion_tokens_details.text_tokens',
  'completion_tokens_details.image_tokens',
] as const

export const openaiAnswerFields = {
  response: ['moderation'],
  usage: tokenDetails,
} as const satisfies ProviderFields

export const azureAnswerFields = {
  response: ['prompt_filter_results'],
  choice: ['content_filter_results', 'content_filter_offsets'],
  usage: tokenDetails,
} as const satisfies ProviderFields

/** Not `prompt_token_ids`: the instructions that a target adds are among them. */
export const vllmAnswerFields = { choice: ['stop_reason'] } as const satisfies ProviderFields

export const llamacppAnswerFields = { response: ['timings'] } as const satisfies ProviderFields

/** Not `x_groq.error`, which quotes. */
export const groqAnswerFields = {
  response: ['x_groq.id', 'x_groq.seed', 'x_groq.usage', 'x_groq.usage_breakdown', 'usage_breakdown'],
  message: ['executed_tools'],
  usage: ['queue_time', 'prompt_time', 'completion_time', 'total_time'],
} as const satisfies ProviderFields

export const xaiAnswerFields = {
  response: ['citations'],
  usage: [...tokenDetails, 'num_sources_used', 'cost_in_usd_ticks'],
} as const satisfies ProviderFields

/** Not `usage.is_byok`: it says whose account is charged. */
export const openrouterAnswerFields = {
  response: ['provider'],
  choice: ['native_finish_reason'],
  usage: [...tokenDetails, 'prompt_tokens_details.video_tokens', 'cost', 'cost_details'],
} as const satisfies ProviderFields

export const cerebrasAnswerFields = { response: ['time_info'] } as const satisfies ProviderFields

export const perplexityAnswerFields = {
  response: ['citations', 'search_results', 'images', 'related_questions', 'videos'],
  usage: ['cost', 'search_context_size', 'citation_tokens', 'num_search_queries'],
} as const satisfies ProviderFields

import type { ChatRequest } from './chat.ts'

/** The fields that the protocol defines. */
export type NamedFields = {
  [K in keyof ChatRequest as string extends K ? never : number extends K ? never : K]: ChatRequest[K]
}

const named: Readonly<Record<keyof NamedFields, true>> = {
  model: true,
  messages: true,
  functions: true,
  function_call: true,
  tools: true,
  tool_choice: true,
  parallel_tool_calls: true,
  max_completion_tokens: true,
  max_tokens: true,
  n: true,
  temperature: true,
  top_p: true,
  presence_penalty: true,
  frequency_penalty: true,
  logit_bias: true,
  logprobs: true,
  top_logprobs: true,
  stop: true,
  user: true,
  seed: true,
  safety_identifier: true,
  prompt_cache_key: true,
  prompt_cache_retention: true,
  prompt_cache_options: true,
  service_tier: true,
  stream: true,
  stream_options: true,
  store: true,
  metadata: true,
  verbosity: true,
  reasoning_effort: true,
  response_format: true,
  modalities: true,
  audio: true,
  prediction: true,
  web_search_options: true,
  moderation: true,
}

/** Returns whether the protocol defines a top-level field of chat completion requests. */
export function isKnownField(key: string): boolean {
  return Object.hasOwn(named, key)
}

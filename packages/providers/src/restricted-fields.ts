import type { RestrictedFields } from '@sluice/core/provider'

/**
 * Protocol fields in other spellings, such as `Model` or `maxTokens`. Servers in Go and .NET read names in any case, and of
 * two spellings the last one counts.
 */
export const respelledFields = {
  model: 'model',
  messages: 'prompt',
  tools: 'prompt',
  functions: 'prompt',
  prediction: 'prompt',
  max_tokens: 'output',
  max_completion_tokens: 'output',
  n: 'output',
  stream: 'output',
  stream_options: 'output',
  service_tier: 'paid',
  web_search_options: 'paid',
} as const satisfies RestrictedFields

/** Sources: the vendors' API references, and the request types in the servers' source code. */
export const ollamaFields = {
  ...respelledFields,
  options: 'output',
  num_predict: 'output',
  num_ctx: 'output',
  keep_alive: 'scheduling',
  template: 'prompt',
  system: 'prompt',
  raw: 'prompt',
} as const satisfies RestrictedFields

export const vllmFields = {
  ...respelledFields,
  best_of: 'output',
  use_beam_search: 'output',
  min_tokens: 'output',
  chat_template: 'prompt',
  'chat_template_kwargs.chat_template': 'prompt',
  'chat_template_kwargs.documents': 'prompt',
  'chat_template_kwargs.tokenize': 'prompt',
  documents: 'prompt',
  mm_processor_kwargs: 'prompt',
  media_io_kwargs: 'prompt',
  lora_request: 'model',
  logits_processors: 'model',
  kv_transfer_params: 'routing',
  vllm_xargs: 'routing',
  priority: 'scheduling',
  request_id: 'scheduling',
} as const satisfies RestrictedFields

export const llamacppFields = {
  ...respelledFields,
  n_predict: 'output',
  n_cmpl: 'output',
  lora: 'model',
  chat_template: 'prompt',
  'chat_template_kwargs.chat_template': 'prompt',
  prompt: 'prompt',
  id_slot: 'scheduling',
} as const satisfies RestrictedFields

export const lmstudioFields = {
  ...respelledFields,
  draft_model: 'model',
  ttl: 'scheduling',
} as const satisfies RestrictedFields

export const groqFields = {
  ...respelledFields,
  compound_custom: 'model',
  search_settings: 'paid',
  documents: 'prompt',
} as const satisfies RestrictedFields

export const mistralFields = {
  ...respelledFields,
  guardrails: 'paid',
  document_image_limit: 'prompt',
  document_page_limit: 'prompt',
} as const satisfies RestrictedFields

/** DeepSeek's own fields, such as `thinking`, stay within `max_tokens`. */
export const deepseekFields = { ...respelledFields }

export const xaiFields = {
  ...respelledFields,
  search_parameters: 'paid',
  deferred: 'routing',
  bootstrap_host: 'routing',
  bootstrap_port: 'routing',
  bootstrap_room: 'routing',
} as const satisfies RestrictedFields

export const openrouterFields = {
  ...respelledFields,
  models: 'model',
  preset: 'model',
  route: 'routing',
  provider: 'routing',
  debug: 'routing',
  plugins: 'paid',
  speed: 'paid',
  transforms: 'prompt',
  prompt: 'prompt',
} as const satisfies RestrictedFields

export const togetherFields = {
  ...respelledFields,
  safety_model: 'model',
  best_of: 'output',
} as const satisfies RestrictedFields

export const fireworksFields = {
  ...respelledFields,
  best_of: 'output',
  speculation: 'prompt',
} as const satisfies RestrictedFields

export const cerebrasFields = {
  ...respelledFields,
  min_tokens: 'output',
  min_completion_tokens: 'output',
} as const satisfies RestrictedFields

/** OpenAI rejects fields that it does not know. A `prompt` is one that is stored in the account. */
export const openaiFields = {
  ...respelledFields,
  prompt: 'prompt',
} as const satisfies RestrictedFields

export const azureFields = {
  ...respelledFields,
  data_sources: 'routing',
  enhancements: 'paid',
} as const satisfies RestrictedFields

/** Of `anthropicNative`, and the tools that the vendor runs. */
export const anthropicFields = {
  server_tools: 'paid',
  container: 'paid',
  mcp_servers: 'paid',
  speed: 'paid',
  inference_geo: 'routing',
  context_management: 'output',
} as const satisfies RestrictedFields

/** Of `geminiNative`. */
export const geminiFields = { cachedContent: 'prompt' } as const satisfies RestrictedFields

/** Gemini's and Claude's. */
export const vertexFields = { ...geminiFields, ...anthropicFields } as const satisfies RestrictedFields

/** Of `bedrockNative`, and Claude's. */
export const bedrockFields = {
  ...anthropicFields,
  additionalModelRequestFields: 'output',
  guardrailConfig: 'paid',
  performanceConfig: 'paid',
  serviceTier: 'paid',
  promptVariables: 'prompt',
} as const satisfies RestrictedFields

export const perplexityFields = {
  ...respelledFields,
  search_mode: 'paid',
  search_type: 'paid',
  num_search_results: 'paid',
  return_images: 'paid',
  return_related_questions: 'paid',
  media_response: 'paid',
} as const satisfies RestrictedFields

/** The router passes fields on to the services behind it. */
export const huggingfaceFields = {
  ...vllmFields,
  ...groqFields,
  ...togetherFields,
  ...fireworksFields,
  ...cerebrasFields,
  tool_prompt: 'prompt',
} as const satisfies RestrictedFields

export const nvidiaFields = { ...vllmFields, nvext: 'routing' } as const satisfies RestrictedFields

/** Moonshot's own fields, such as `thinking`, stay within `max_tokens`. */
export const moonshotFields = { ...respelledFields }

export const zaiFields = { ...respelledFields, request_id: 'scheduling' } as const satisfies RestrictedFields

export const alibabaFields = {
  ...respelledFields,
  enable_search: 'paid',
  search_options: 'paid',
  enable_code_interpreter: 'paid',
  thinking_budget: 'output',
  vl_high_resolution_images: 'prompt',
} as const satisfies RestrictedFields

export const githubFields = { ...respelledFields }

export const cloudflareFields = {
  ...respelledFields,
  prompt: 'prompt',
  raw: 'prompt',
  lora: 'model',
} as const satisfies RestrictedFields

export const databricksFields = { ...respelledFields }

/** Of servers and gateways that have no preset. */
const otherFields = {
  // Gateways: LiteLLM, Portkey, Vercel, Requesty, NVIDIA Dynamo.
  fallbacks: 'model',
  fallback_models: 'model',
  context_window_fallbacks: 'model',
  content_policy_fallbacks: 'model',
  model_list: 'model',
  user_config: 'routing',
  router_settings_override: 'routing',
  litellm_params: 'routing',
  num_retries: 'routing',
  config: 'routing',
  provider_options: 'routing',
  requesty: 'routing',
  nvext: 'routing',
  api_token: 'routing',
  // Text generation by Hugging Face, LoRAX, SGLang, TensorRT-LLM, LocalAI, mistral.rs, text-generation-webui, KoboldCpp.
  max_new_tokens: 'output',
  max_length: 'output',
  max_output_tokens: 'output',
  max_gen_len: 'output',
  max_tokens_to_sample: 'output',
  max_context_length: 'output',
  n_ctx: 'output',
  num_beams: 'output',
  num_return_sequences: 'output',
  parameters: 'output',
  sampling_params: 'output',
  generation_config: 'output',
  inference_config: 'output',
  adapter: 'model',
  adapters: 'model',
  adapter_id: 'model',
  adapter_source: 'model',
  lora_path: 'model',
  loras: 'model',
  engine: 'model',
  deployment_id: 'model',
  backend: 'model',
  custom_logit_processor: 'model',
  session_params: 'prompt',
  input_ids: 'prompt',
  input_embeds: 'prompt',
  chat_template_str: 'prompt',
  instruction_template: 'prompt',
  instruction_template_str: 'prompt',
  custom_system_message: 'prompt',
  character: 'prompt',
  truncation_length: 'prompt',
  disaggregated_params: 'routing',
  data_parallel_rank: 'routing',
  routed_dp_rank: 'routing',
  // DashScope, MiniMax and other vendors with search.
  enable_search: 'paid',
  search_options: 'paid',
  mcp_servers: 'paid',
  thinking_budget: 'output',
} as const satisfies RestrictedFields

/** Fields of Cohere's own chat API. Its compatible one is documented not to take them. */
export const cohereFields = {
  connectors: 'paid',
  documents: 'prompt',
  priority: 'scheduling',
} as const satisfies RestrictedFields

/** For a server that is not known: it may be any of these. */
export const allRestrictedFields: RestrictedFields = /* @__PURE__ */ (() => ({
  ...otherFields,
  ...ollamaFields,
  ...vllmFields,
  ...llamacppFields,
  ...lmstudioFields,
  ...groqFields,
  ...mistralFields,
  ...xaiFields,
  ...openrouterFields,
  ...togetherFields,
  ...fireworksFields,
  ...cerebrasFields,
  ...perplexityFields,
  ...huggingfaceFields,
  ...alibabaFields,
  ...azureFields,
  ...cohereFields,
}))()

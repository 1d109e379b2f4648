import type { ParameterRules } from '../parameters/parameter-rules.ts'

const ignored = 'dropped for models that ignore it: Gemini 3.5 Flash-Lite, and from 3.6 on'

/** What the Gemini API does with each parameter of the protocol. */
export const geminiParameters: ParameterRules = {
  temperature: { handling: 'passed', note: ignored },
  top_p: { handling: 'passed', as: 'topP', note: ignored },
  max_tokens: { handling: 'passed', as: 'maxOutputTokens' },
  max_completion_tokens: { handling: 'passed', as: 'maxOutputTokens', note: 'wins over max_tokens' },
  n: { handling: 'passed', as: 'candidateCount', note: 'refused above 1 from Gemini 3 on, above 8 before' },
  stop: { handling: 'passed', as: 'stopSequences', note: 'at most 5' },
  presence_penalty: { handling: 'passed', as: 'presencePenalty', note: 'dropped from Gemini 2.5 on' },
  frequency_penalty: { handling: 'passed', as: 'frequencyPenalty', note: 'dropped from Gemini 2.5 on' },
  logit_bias: { handling: 'refused' },
  logprobs: { handling: 'passed', as: 'responseLogprobs', note: 'Gemini 2.0 only' },
  top_logprobs: { handling: 'passed', as: 'logprobs', note: 'Gemini 2.0 only' },
  seed: { handling: 'passed', note: '32 bits' },
  response_format: {
    handling: 'mapped',
    as: 'responseMimeType, responseJsonSchema',
    note: 'keywords that a schema must not have are left out',
  },
  tools: { handling: 'mapped', as: 'functionDeclarations', note: 'functions only' },
  tool_choice: { handling: 'mapped', as: 'functionCallingConfig' },
  parallel_tool_calls: { handling: 'dropped' },
  functions: { handling: 'refused' },
  function_call: { handling: 'refused' },
  reasoning_effort: { handling: 'mapped', as: 'thinkingBudget, from Gemini 3 on thinkingLevel' },
  verbosity: { handling: 'dropped' },
  service_tier: { handling: 'mapped', as: 'serviceTier', note: 'default, flex and priority' },
  metadata: { handling: 'dropped' },
  store: { handling: 'dropped' },
  user: { handling: 'dropped' },
  safety_identifier: { handling: 'dropped' },
  prompt_cache_key: { handling: 'dropped' },
  prompt_cache_retention: { handling: 'dropped' },
  prompt_cache_options: { handling: 'dropped' },
  modalities: { handling: 'refused', note: 'text only' },
  audio: { handling: 'refused' },
  prediction: { handling: 'dropped' },
  web_search_options: { handling: 'refused' },
  moderation: { handling: 'refused' },
}

/** Fields of Gemini's own that callers may send at the top of a request. */
export const geminiNative: readonly string[] = ['top_k', 'thinkingConfig', 'safetySettings', 'cachedContent']

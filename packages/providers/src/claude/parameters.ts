import type { ParameterRules } from '../parameters/parameter-rules.ts'

/** Parameters that neither the Messages API nor Converse has. */
export const unsupportedParameters = {
  n: { handling: 'refused' },
  presence_penalty: { handling: 'dropped' },
  frequency_penalty: { handling: 'dropped' },
  logit_bias: { handling: 'refused' },
  logprobs: { handling: 'refused' },
  top_logprobs: { handling: 'refused' },
  seed: { handling: 'dropped' },
  functions: { handling: 'refused' },
  function_call: { handling: 'refused' },
  verbosity: { handling: 'dropped' },
  store: { handling: 'dropped' },
  prompt_cache_key: { handling: 'dropped' },
  prompt_cache_retention: { handling: 'dropped' },
  prompt_cache_options: { handling: 'dropped' },
  modalities: { handling: 'refused' },
  audio: { handling: 'refused' },
  prediction: { handling: 'dropped' },
  web_search_options: { handling: 'refused' },
  moderation: { handling: 'refused' },
} as const satisfies Partial<ParameterRules>

import { namesOf } from '../known-options.ts'
import type { ParameterName, ParameterRule, ParameterRules } from '../parameters/parameter-rules.ts'
import type { CompatibilityOptions } from './compatibility-options.ts'

const names = /* @__PURE__ */ namesOf<{ readonly [K in ParameterName]: unknown }>({
  max_tokens: true,
  max_completion_tokens: true,
  temperature: true,
  top_p: true,
  n: true,
  stop: true,
  presence_penalty: true,
  frequency_penalty: true,
  logit_bias: true,
  logprobs: true,
  top_logprobs: true,
  seed: true,
  response_format: true,
  tools: true,
  tool_choice: true,
  parallel_tool_calls: true,
  functions: true,
  function_call: true,
  reasoning_effort: true,
  verbosity: true,
  modalities: true,
  audio: true,
  prediction: true,
  web_search_options: true,
  moderation: true,
  service_tier: true,
  metadata: true,
  store: true,
  user: true,
  safety_identifier: true,
  prompt_cache_key: true,
  prompt_cache_retention: true,
  prompt_cache_options: true,
})

/** Returns the rule of each parameter for a vendor with the given compatibility options. */
export function chatParameterRules(compatibility: CompatibilityOptions): ParameterRules {
  return Object.fromEntries(
    names.map(name => [name, ruleOf(name as ParameterName, compatibility)]),
  ) as ParameterRules
}

function ruleOf(name: ParameterName, compatibility: CompatibilityOptions): ParameterRule {
  if (compatibility.refuse?.includes(name)) return { handling: 'refused' }
  if (compatibility.drop?.includes(name)) return { handling: 'dropped' }
  const as = compatibility.rename?.[name]
  if (as !== undefined) return { handling: 'passed', as }
  if (name === 'max_tokens' || name === 'max_completion_tokens') return boundRule(name, compatibility)
  if (name === 'reasoning_effort' && compatibility.reasoningEfforts !== undefined)
    return { handling: 'passed', note: `only ${compatibility.reasoningEfforts.join(', ')}` }
  if (name === 'tool_choice' && compatibility.requiredToolChoice !== undefined)
    return { handling: 'passed', note: `required is ${compatibility.requiredToolChoice}` }
  return { handling: 'passed' }
}

function boundRule(
  name: 'max_tokens' | 'max_completion_tokens',
  { maxTokensParameter = 'by-model' }: CompatibilityOptions,
): ParameterRule {
  if (maxTokensParameter === name) return { handling: 'passed' }
  if (maxTokensParameter !== 'by-model') return { handling: 'passed', as: maxTokensParameter }
  return name === 'max_tokens'
    ? { handling: 'passed', note: 'max_completion_tokens where the model reasons' }
    : { handling: 'passed', as: 'max_tokens', note: 'as it is where the model reasons' }
}

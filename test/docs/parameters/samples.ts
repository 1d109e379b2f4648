import type { ChatRequest } from '@sluice/core'
import type { FunctionTool } from '@sluice/core/provider'
import type { ParameterName } from '../../../packages/providers/src/parameters/parameter-rules.ts'

type Fields = Partial<ChatRequest>

const tool: FunctionTool = {
  type: 'function',
  function: { name: 'f', parameters: { type: 'object', properties: {} } },
}

/** A value of each parameter that asks for something, and that no vendor's default is. */
export const samples: { readonly [K in ParameterName]: NonNullable<ChatRequest[K]> } = {
  max_tokens: 4321,
  max_completion_tokens: 4321,
  temperature: 0.625,
  top_p: 0.375,
  n: 2,
  stop: 'sample-stop',
  presence_penalty: 0.625,
  frequency_penalty: 0.625,
  logit_bias: { 17: 5 },
  logprobs: true,
  top_logprobs: 3,
  seed: 4321,
  response_format: {
    type: 'json_schema',
    json_schema: {
      name: 'sample',
      schema: {
        type: 'object',
        properties: { a: { type: 'string' } },
        required: ['a'],
        additionalProperties: false,
      },
    },
  },
  tools: [tool],
  tool_choice: 'required',
  parallel_tool_calls: false,
  functions: [{ name: 'f', parameters: { type: 'object', properties: {} } }],
  function_call: { name: 'f' },
  reasoning_effort: 'high',
  verbosity: 'low',
  modalities: ['text', 'audio'],
  audio: { voice: 'alloy', format: 'mp3' },
  prediction: { type: 'content', content: 'sample' },
  web_search_options: { search_context_size: 'low' },
  moderation: { model: 'sample' },
  service_tier: 'flex',
  metadata: { team: 'sample' },
  store: true,
  user: 'sample-user',
  safety_identifier: 'sample-identifier',
  prompt_cache_key: 'sample-key',
  prompt_cache_retention: '24h',
  prompt_cache_options: { mode: 'explicit' },
}

/** What a parameter needs beside it to make sense. */
export const beside: Partial<Record<ParameterName, Fields>> = {
  top_logprobs: { logprobs: true },
  tool_choice: { tools: [tool] },
  parallel_tool_calls: { tools: [tool] },
  function_call: { functions: samples.functions },
}

import { unsupportedParameters } from '../claude/parameters.ts'
import type { ParameterRules } from '../parameters/parameter-rules.ts'

/** What the Messages API does with every parameter of the protocol. */
export const anthropicParameters: ParameterRules = {
  ...unsupportedParameters,
  temperature: {
    handling: 'passed',
    note: 'above 1: 400; left out where the model takes none, and while it thinks',
  },
  top_p: {
    handling: 'passed',
    note: 'from Opus 4.1 on: 400 together with temperature; left out as temperature is',
  },
  max_tokens: {
    handling: 'passed',
    note: 'default: 8,192 plus an allowance for thinking; a thinking budget is added',
  },
  max_completion_tokens: { handling: 'passed', as: 'max_tokens', note: 'wins over max_tokens' },
  stop: { handling: 'passed', as: 'stop_sequences', note: 'white space alone: 400' },
  response_format: {
    handling: 'mapped',
    as: 'output_config.format',
    note: 'by a forced tool before Opus 4.1, on Vertex AI before 4.6, and for maps; json_object by a line in the system text',
  },
  tools: {
    handling: 'passed',
    note: 'custom tools: 400; strict from Opus 4.1 on, on Vertex AI from 4.6 on; where none are given, those called earlier',
  },
  tool_choice: {
    handling: 'passed',
    note: 'a forced tool: 400 together with a budget of thinking, and from Opus 5.5, Sonnet 5.5 and Fable 5.1 on',
  },
  parallel_tool_calls: { handling: 'passed', as: 'tool_choice.disable_parallel_tool_use' },
  reasoning_effort: {
    handling: 'mapped',
    as: 'thinking, output_config.effort',
    note: 'before Claude 4.6 a budget: 1,024, 8,192 or 24,576 tokens',
  },
  service_tier: { handling: 'mapped', note: 'auto, and default as standard_only; others are dropped' },
  metadata: { handling: 'dropped' },
  user: {
    handling: 'passed',
    as: 'metadata.user_id',
    note: 'dropped above 256 characters, or as an email address',
  },
  safety_identifier: {
    handling: 'passed',
    as: 'metadata.user_id',
    note: 'wins over user; dropped as user is',
  },
}

/** Fields of the Messages API that the protocol does not know, and that callers may send: they are passed as they are. */
export const anthropicNative: readonly string[] = [
  'top_k',
  'thinking',
  'output_config',
  'cache_control',
  'container',
  'context_management',
  'inference_geo',
  'mcp_servers',
  'speed',
]

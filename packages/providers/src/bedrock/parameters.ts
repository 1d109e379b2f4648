import { unsupportedParameters } from '../claude/parameters.ts'
import type { ParameterRules } from '../parameters/parameter-rules.ts'

/** What Bedrock's Converse does with every parameter of the protocol. */
export const bedrockParameters: ParameterRules = {
  ...unsupportedParameters,
  temperature: {
    handling: 'passed',
    as: 'inferenceConfig.temperature',
    note: 'above 1: 400; left out where Claude takes none, and while it thinks',
  },
  top_p: { handling: 'passed', as: 'inferenceConfig.topP', note: 'for Claude as at Anthropic' },
  max_tokens: {
    handling: 'passed',
    as: 'inferenceConfig.maxTokens',
    note: "Claude's thinking budget is added; default if Claude thinks: 8,192 plus an allowance for thinking",
  },
  max_completion_tokens: {
    handling: 'passed',
    as: 'inferenceConfig.maxTokens',
    note: 'wins over max_tokens',
  },
  stop: {
    handling: 'passed',
    as: 'inferenceConfig.stopSequences',
    note: 'white space alone: 400 for Claude',
  },
  response_format: {
    handling: 'mapped',
    as: 'outputConfig.textFormat',
    note: 'by a forced tool, or a line of the system text, where the model lacks it, as Claude from 4.7 on, and for maps; json_object by such a line',
  },
  tools: {
    handling: 'passed',
    as: 'toolConfig.tools',
    note: 'custom tools: 400; where none are given, those called earlier',
  },
  tool_choice: {
    handling: 'mapped',
    as: 'toolConfig.toolChoice',
    note: 'none leaves the tools out, unless the conversation holds calls; forced tools: 400 where the model takes none',
  },
  parallel_tool_calls: {
    handling: 'mapped',
    as: 'additionalModelRequestFields.tool_choice',
    note: 'Claude; others: dropped',
  },
  reasoning_effort: {
    handling: 'mapped',
    as: 'additionalModelRequestFields',
    note: 'Claude as at Anthropic; Nova 2 and gpt-oss by effort, Nova 2 at high with no bound and no sampling: else 400; others: dropped',
  },
  service_tier: {
    handling: 'passed',
    as: 'serviceTier',
    note: 'default, flex and priority; others are dropped',
  },
  metadata: { handling: 'passed', as: 'requestMetadata', note: 'pairs that it does not take are dropped' },
  user: { handling: 'dropped' },
  safety_identifier: { handling: 'dropped' },
}

/**
 * Fields beyond the protocol that callers may send: Converse's own, which are passed as they are, and `top_k`,
 * `thinking` and `output_config`, which go into `additionalModelRequestFields`, the last two for Claude only.
 */
export const bedrockNative: readonly string[] = [
  'top_k',
  'thinking',
  'output_config',
  'additionalModelRequestFields',
  'guardrailConfig',
  'outputConfig',
  'performanceConfig',
  'promptVariables',
  'requestMetadata',
  'serviceTier',
]

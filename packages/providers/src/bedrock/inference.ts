import type { ChatRequest, ThinkingSetting } from '@sluice/core/provider'
import { answerBound, maxTokens } from '../claude/max-tokens.ts'
import type { ClaudeModel } from '../claude/models.ts'
import { claudeSampling, stopSequences } from '../claude/sampling.ts'
import { claudeThinking } from '../claude/thinking.ts'
import type { MergedTurn } from '../conversation/conversation.ts'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { isFields } from '../wire/json-value.ts'
import { modelReasoning } from './model-reasoning.ts'
import type { BedrockModel } from './models.ts'

/** How an answer is made. */
export interface Inference {
  /** The request's `inferenceConfig`; empty where all is left to the model. */
  readonly config: Readonly<Record<string, unknown>>
  /** What goes into `additionalModelRequestFields`. */
  readonly further: Readonly<Record<string, unknown>>
  /** The request turns Claude's thinking on. */
  readonly thinking: boolean
  /** Claude thinks, whether or not the request says so. */
  readonly thinks: boolean
}

/** What decides how an answer is made. */
export interface InferenceInput {
  readonly input: ChatRequest
  readonly turns: readonly MergedTurn[]
  readonly model: BedrockModel
  /** How much the model may think, where the caller's protocol says more than `reasoning_effort`. */
  readonly setting?: ThinkingSetting | undefined
  /** The answer is the input of a tool that is forced for it. */
  readonly answersByTool: boolean
}

/** Bounds, sampling and reasoning in the model's own terms. Throws `GatewayError` (400) for unsupported parameters. */
export function inference(asked: InferenceInput, adjuster: ParameterAdjuster): Inference {
  const { model, input } = asked
  const { config, ...rest } =
    model.claude === undefined
      ? modelInference(asked, adjuster)
      : claudeInference(asked, model.claude, adjuster)
  const stop = stopSequences(input.stop, model.claude !== undefined, adjuster)
  return { ...rest, config: stop.length === 0 ? config : { ...config, stopSequences: stop } }
}

/** How a Claude makes its answer. What Converse has no field for goes to it in its own words. */
function claudeInference(
  { input, turns, setting, answersByTool }: InferenceInput,
  model: ClaudeModel,
  adjuster: ParameterAdjuster,
): Inference {
  const bound = answerBound(input, model, undefined, adjuster)
  const thinking = claudeThinking(
    { model, input, turns, setting, answerTokens: bound.tokens, answersByTool },
    adjuster,
  )
  // Without a bound Bedrock has one of its own: too small for most budgets, and soon used up by any thinking.
  const bounded = bound.given || thinking.budget !== undefined || thinking.allowance > 0
  const tokens = bounded ? maxTokens(bound, thinking, model, adjuster) : undefined
  const { temperature, top_p, top_k } = claudeSampling(input, model, thinking.on, adjuster)
  const outputConfig = {
    ...(thinking.effort === undefined ? {} : { effort: thinking.effort }),
    ...(isFields(input.output_config) ? input.output_config : {}),
  }
  return {
    config: {
      ...(tokens === undefined ? {} : { maxTokens: tokens }),
      ...(temperature === undefined ? {} : { temperature }),
      ...(top_p === undefined ? {} : { topP: top_p }),
    },
    further: {
      ...(thinking.thinking === undefined ? {} : { thinking: thinking.thinking }),
      ...(Object.keys(outputConfig).length === 0 ? {} : { output_config: outputConfig }),
      ...(top_k === undefined ? {} : { top_k }),
    },
    thinking: thinking.on,
    thinks: thinking.on || (model.thinksByDefault && thinking.thinking?.type !== 'disabled'),
  }
}

/** How a model that is no Claude makes its answer. */
function modelInference({ input, model, setting }: InferenceInput, adjuster: ParameterAdjuster): Inference {
  for (const name of ['thinking', 'output_config']) {
    if (input[name] !== undefined && input[name] !== null) adjuster.drop(name, 'only Claude has it')
  }
  if (setting?.budgetTokens !== undefined && !setting.hasEffort && model.reasoning !== 'none')
    adjuster.map('thinking', `an effort: ${input.reasoning_effort}`)
  const reasoning = modelReasoning(input, model, adjuster)
  const config: Record<string, number> = {}
  const set = (name: string, parameter: string, value: number | undefined) => {
    if (value === undefined) return
    if (reasoning.alone)
      adjuster.unsupported(parameter, "Leave it out, or ask for less than 'high' of 'reasoning_effort'.")
    else config[name] = value
  }
  const { max_tokens: older, max_completion_tokens: newer, temperature, top_p } = input
  if (newer !== undefined && older !== undefined && older !== newer) {
    adjuster.drop('max_tokens', 'max_completion_tokens was given too')
  }
  if (newer !== undefined) set('maxTokens', 'max_completion_tokens', newer)
  else set('maxTokens', 'max_tokens', older)
  if (temperature !== undefined && temperature > 1) {
    adjuster.unsupportedValue('temperature', temperature, 'Expected a value from 0 to 1.')
  } else set('temperature', 'temperature', temperature)
  set('topP', 'top_p', top_p)
  return {
    config,
    further: { ...reasoning.fields, ...topK(input.top_k, model) },
    thinking: false,
    thinks: false,
  }
}

function topK(value: unknown, model: BedrockModel): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {}
  return model.topK === 'top_k' ? { top_k: value } : { inferenceConfig: { topK: value } }
}

import type { ChatRequest } from '@sluice/core'
import type { Adjusting } from '../parameters/adjusting.ts'
import { givenBound } from './answer-bound.ts'
import type { Inference } from './inference.ts'
import { modelReasoning } from './model-reasoning.ts'
import type { BedrockModel } from './models.ts'

/** How a model that is no Claude makes its answer. */
export function modelInference(input: ChatRequest, model: BedrockModel, adjusting: Adjusting): Inference {
  for (const name of ['thinking', 'output_config']) {
    if (input[name] !== undefined && input[name] !== null) adjusting.drop(name, 'only Claude has it')
  }
  const reasoning = modelReasoning(input, model, adjusting)
  const config: Record<string, unknown> = {}
  const set = (name: string, parameter: string, value: number | undefined) => {
    if (value === undefined) return
    if (reasoning.alone)
      adjusting.lack(parameter, "Leave it out, or ask for less than 'high' of 'reasoning_effort'.")
    else config[name] = value
  }
  const bound = givenBound(input, adjusting)
  if (bound !== undefined) set('maxTokens', bound.parameter, bound.tokens)
  const { temperature, top_p } = sampling(input, model, adjusting)
  set('temperature', 'temperature', temperature)
  set('topP', 'top_p', top_p)
  return {
    config,
    further: { ...reasoning.fields, ...topK(input.top_k, model, adjusting) },
    thinking: false,
    thinks: false,
  }
}

function sampling(
  { temperature, top_p }: ChatRequest,
  model: BedrockModel,
  adjusting: Adjusting,
): Pick<ChatRequest, 'temperature' | 'top_p'> {
  if (model.sampling) {
    if (temperature === undefined || temperature <= 1) return { temperature, top_p } as ChatRequest
    adjusting.lackValue('temperature', temperature, 'Expected a value from 0 to 1.')
    return { top_p } as ChatRequest
  }
  // 1 is what both are when they are not sent.
  if (temperature !== undefined && temperature !== 1) adjusting.drop('temperature', 'this model takes none')
  if (top_p !== undefined && top_p !== 1) adjusting.drop('top_p', 'this model takes none')
  return {}
}

function topK(value: unknown, model: BedrockModel, adjusting: Adjusting): Readonly<Record<string, unknown>> {
  if (value === undefined || value === null) return {}
  switch (model.topK) {
    case 'inferenceConfig.topK':
      return { inferenceConfig: { topK: value } }
    case 'nowhere':
      adjusting.drop('top_k', 'this model takes none')
      return {}
    default:
      return { [model.topK]: value }
  }
}

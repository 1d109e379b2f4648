import type { ChatRequest } from '@sluice/core'
import type { Adjusting } from '../parameters/adjusting.ts'
import type { Inference } from './inference.ts'
import { modelReasoning } from './model-reasoning.ts'
import type { BedrockModel } from './models.ts'

/** How a model that is no Claude makes its answer. */
export function modelInference(input: ChatRequest, model: BedrockModel, adjusting: Adjusting): Inference {
  for (const name of ['thinking', 'output_config']) {
    if (input[name] !== undefined && input[name] !== null) adjusting.drop(name, 'only Claude has it')
  }
  const reasoning = modelReasoning(input, model, adjusting)
  const config: Record<string, number> = {}
  const set = (name: string, parameter: string, value: number | undefined) => {
    if (value === undefined) return
    if (reasoning.alone)
      adjusting.lack(parameter, "Leave it out, or ask for less than 'high' of 'reasoning_effort'.")
    else config[name] = value
  }
  const { max_tokens: older, max_completion_tokens: newer, temperature, top_p } = input
  if (newer !== undefined && older !== undefined && older !== newer) {
    adjusting.drop('max_tokens', 'max_completion_tokens was given too')
  }
  if (newer !== undefined) set('maxTokens', 'max_completion_tokens', newer)
  else set('maxTokens', 'max_tokens', older)
  if (temperature !== undefined && temperature > 1) {
    adjusting.lackValue('temperature', temperature, 'Expected a value from 0 to 1.')
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

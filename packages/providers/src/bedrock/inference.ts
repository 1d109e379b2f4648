import type { ChatRequest } from '@sluice/core'
import type { Turn } from '../conversation/conversation.ts'
import type { Adjusting } from '../parameters/adjusting.ts'
import { claudeInference } from './claude-inference.ts'
import { modelInference } from './model-inference.ts'
import type { BedrockModel } from './models.ts'
import { stopSequences } from './stop-sequences.ts'

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
export interface InferenceAsked {
  readonly input: ChatRequest
  readonly turns: readonly Turn[]
  readonly model: BedrockModel
  /** The answer is the input of a tool that is forced for it. */
  readonly answersByTool: boolean
}

/** Bounds, sampling and reasoning in the model's own terms. Throws `GatewayError` (400) for what it lacks. */
export function inference(asked: InferenceAsked, adjusting: Adjusting): Inference {
  const { model, input } = asked
  const { config, ...rest } =
    model.claude === undefined
      ? modelInference(input, model, adjusting)
      : claudeInference(asked, model.claude, adjusting)
  const stop = stopSequences(input.stop, model, adjusting)
  return { ...rest, config: stop.length === 0 ? config : { ...config, stopSequences: stop } }
}

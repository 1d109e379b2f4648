import type { ChatRequest } from '@sluice/core'
import { maxTokens } from '../anthropic/max-tokens.ts'
import type { ClaudeModel } from '../anthropic/models.ts'
import { claudeSampling } from '../anthropic/sampling.ts'
import { type ClaudeThinking, claudeThinking } from '../anthropic/thinking.ts'
import type { Adjusting } from '../parameters/adjusting.ts'
import { isFields } from '../wire/json-value.ts'
import { givenBound } from './answer-bound.ts'
import type { Inference, InferenceAsked } from './inference.ts'

/** What is left to an answer whose caller gave no bound, beside a budget of thinking, in tokens. */
const usual = 8_192

/** How a Claude makes its answer. What Converse has no field for goes to it in its own words. */
export function claudeInference(
  { input: given, turns, answersByTool }: InferenceAsked,
  model: ClaudeModel,
  adjusting: Adjusting,
): Inference {
  const input = withOwnFields(given)
  const bound = givenBound(input, adjusting)
  const answerTokens = bound?.tokens ?? Math.min(model.maxOutput, usual)
  const asked = claudeThinking({ model, input, turns, answerTokens, answersByTool }, adjusting)
  const thinking = answersByTool ? withoutThinking(asked, model) : asked
  // Without a bound the model's own maximum holds, below which every budget fits.
  const tokens =
    bound === undefined ? undefined : maxTokens({ ...bound, given: true }, thinking, model, adjusting)
  const { temperature, top_p, top_k } = claudeSampling(input, model, thinking.on, adjusting)
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
      ...(thinking.thinking === undefined || saysLegacy(given) ? {} : { thinking: thinking.thinking }),
      ...(Object.keys(outputConfig).length === 0 ? {} : { output_config: outputConfig }),
      ...(top_k === undefined ? {} : { top_k }),
    },
    thinking: thinking.on,
    thinks: thinking.on || (model.thinksByDefault && thinking.thinking?.type !== 'disabled'),
  }
}

/** The caller may say these in `additionalModelRequestFields` as well as beside it. */
function withOwnFields(input: ChatRequest): ChatRequest {
  const fields = input.additionalModelRequestFields
  if (!isFields(fields)) return input
  const { thinking = fields.reasoning_config, output_config, top_k } = fields
  return {
    ...input,
    ...(thinking === undefined ? {} : { thinking }),
    ...(output_config === undefined ? {} : { output_config }),
    ...(top_k === undefined ? {} : { top_k }),
  } as ChatRequest
}

/** An older name of the same. */
function saysLegacy({ additionalModelRequestFields: fields }: ChatRequest): boolean {
  return isFields(fields) && fields.reasoning_config !== undefined
}

/** While a tool is forced for the answer, a model that thinks by itself has to be told not to. */
function withoutThinking(asked: ClaudeThinking, model: ClaudeModel): ClaudeThinking {
  if (model.forcedTools === 'always' || !model.thinksByDefault || !model.thinkingOff) return asked
  return { ...asked, thinking: { type: 'disabled' } }
}

import { answerBound, maxTokens } from '../anthropic/max-tokens.ts'
import type { ClaudeModel } from '../anthropic/models.ts'
import { claudeSampling } from '../anthropic/sampling.ts'
import { claudeThinking } from '../anthropic/thinking.ts'
import type { Adjusting } from '../parameters/adjusting.ts'
import { isFields } from '../wire/json-value.ts'
import type { Inference, InferenceAsked } from './inference.ts'

/** How a Claude makes its answer. What Converse has no field for goes to it in its own words. */
export function claudeInference(
  { input, turns, answersByTool }: InferenceAsked,
  model: ClaudeModel,
  adjusting: Adjusting,
): Inference {
  const bound = answerBound(input, model, undefined, adjusting)
  const thinking = claudeThinking(
    { model, input, turns, answerTokens: bound.tokens, answersByTool },
    adjusting,
  )
  // Without a bound Bedrock has one of its own: too small for most budgets, and soon used up by any thinking.
  const bounded = bound.given || thinking.budget !== undefined || thinking.room > 0
  const tokens = bounded ? maxTokens(bound, thinking, model, adjusting) : undefined
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
      ...(thinking.thinking === undefined ? {} : { thinking: thinking.thinking }),
      ...(Object.keys(outputConfig).length === 0 ? {} : { output_config: outputConfig }),
      ...(top_k === undefined ? {} : { top_k }),
    },
    thinking: thinking.on,
    thinks: thinking.on || (model.thinksByDefault && thinking.thinking?.type !== 'disabled'),
  }
}

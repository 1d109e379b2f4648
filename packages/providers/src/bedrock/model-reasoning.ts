import type { ChatRequest } from '@sluice/core/provider'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import type { BedrockModel } from './models.ts'

/** Reasoning in a model's own words. */
export interface ModelReasoning {
  /** For `additionalModelRequestFields`. */
  readonly fields: Readonly<Record<string, unknown>>
  /** It takes neither a bound of the answer nor sampling beside it. */
  readonly alone: boolean
}

type Effort = NonNullable<ChatRequest['reasoning_effort']>

const steps = ['low', 'medium', 'high'] as const
const nothing: ModelReasoning = { fields: {}, alone: false }

/**
 * `reasoning_effort` for a model that is no Claude: mapped to the nearest supported step, which is reported. Sources: the
 * pages of AWS on extended thinking in Nova 2, and on OpenAI's open models.
 */
export function modelReasoning(
  { reasoning_effort: effort }: ChatRequest,
  model: BedrockModel,
  adjuster: ParameterAdjuster,
): ModelReasoning {
  if (effort === undefined) return nothing
  switch (model.reasoning) {
    case 'nova': {
      if (effort === 'none') return { fields: { reasoningConfig: { type: 'disabled' } }, alone: false }
      const maxReasoningEffort = stepOf(effort, adjuster)
      return {
        fields: { reasoningConfig: { type: 'enabled', maxReasoningEffort } },
        alone: maxReasoningEffort === 'high',
      }
    }
    case 'flat':
      return { fields: { reasoning_effort: stepOf(effort, adjuster) }, alone: false }
    case 'none':
      if (effort !== 'none') adjuster.drop('reasoning_effort', 'this model has no such control')
      return nothing
  }
}

function stepOf(effort: Effort, adjuster: ParameterAdjuster): (typeof steps)[number] {
  const known = steps.find(step => step === effort)
  if (known !== undefined) return known
  const nearest = effort === 'none' || effort === 'minimal' ? 'low' : 'high'
  adjuster.map('reasoning_effort', `${nearest}: this model has no ${effort}`)
  return nearest
}

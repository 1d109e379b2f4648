import type { ChatRequest } from '@sluice/core/provider'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import type { ClaudeModel } from './models.ts'
import type { ClaudeThinking } from './thinking.ts'

/** The bound of an answer. */
export interface AnswerBound {
  readonly tokens: number
  /** The parameter that it came by, or would have. */
  readonly parameter: 'max_tokens' | 'max_completion_tokens'
  /** The caller gave it. */
  readonly given: boolean
}

/** What an answer may hold by default, in tokens: far from what large models can, for that is booked against rate limits. */
const usual = 8_192

/** The bound that the caller gave, or else the default. A bound above the model's maximum is kept: the vendor refuses it. */
export function answerBound(
  { max_tokens: older, max_completion_tokens: newer }: ChatRequest,
  model: ClaudeModel,
  defaultMaxTokens: number | undefined,
  adjuster: ParameterAdjuster,
): AnswerBound {
  if (newer !== undefined) {
    if (older !== undefined && older !== newer)
      adjuster.drop('max_tokens', 'max_completion_tokens was given too')
    return { tokens: newer, parameter: 'max_completion_tokens', given: true }
  }
  if (older !== undefined) return { tokens: older, parameter: 'max_tokens', given: true }
  const tokens = Math.min(model.maxOutput, defaultMaxTokens ?? usual)
  return { tokens, parameter: 'max_tokens', given: false }
}

/**
 * The vendor's `max_tokens`, which bounds thinking and answer together. A thinking budget is added to the bound of the
 * answer, up to the model's maximum. Without a budget the caller's bound covers both, as with OpenAI's reasoning models;
 * the default is raised by an allowance for thinking.
 */
export function maxTokens(
  bound: AnswerBound,
  { budget = 0, allowance, own }: ClaudeThinking,
  model: ClaudeModel,
  adjuster: ParameterAdjuster,
): number {
  const { tokens, parameter, given } = bound
  if (given && (own || budget === 0 || tokens > model.maxOutput)) return tokens
  const sum = Math.max(tokens, Math.min(model.maxOutput, tokens + (budget || allowance)))
  const thinking =
    budget > 0 ? `, ${budget} of them for thinking` : allowance > 0 ? ', with room for thinking' : ''
  if (given) adjuster.map(parameter, `${sum} tokens${thinking}`)
  else adjuster.fill(parameter, `${sum} tokens${thinking}`)
  return sum
}

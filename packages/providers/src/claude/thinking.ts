import type { ChatRequest, JsonObject, ThinkingSetting } from '@sluice/core/provider'
import type { MergedTurn } from '../conversation/conversation.ts'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { isFields } from '../wire/json-value.ts'
import type { ClaudeEffort, ClaudeModel } from './models.ts'
import { continuesUnsigned } from './signed-turns.ts'

/** How much thinking is asked for, and what bounds it. */
export interface ThinkingInput {
  readonly model: ClaudeModel
  /** Its `reasoning_effort`, and the vendor's own `thinking` and `output_config`, which win over it. */
  readonly input: ChatRequest
  readonly turns: readonly MergedTurn[]
  /** How much the model may think, where the caller's protocol says more than `reasoning_effort`. */
  readonly setting?: ThinkingSetting | undefined
  /** The bound of the answer without its thinking, in tokens: the caller's, or the default. */
  readonly answerTokens: number
  /** The answer is the input of a tool that is forced for it, while which most models do not think. */
  readonly answersByTool: boolean
}

/** Thinking in the vendor's words. */
export interface ClaudeThinking {
  /** The request's `thinking`; `undefined`: not sent. */
  readonly thinking: JsonObject | undefined
  /** The request's `output_config.effort`; `undefined`: not sent. */
  readonly effort: ClaudeEffort | undefined
  /** The request turns thinking on: then no sampling is sent, and most models let no tool be forced. */
  readonly on: boolean
  /** Tokens of thinking, which count towards `max_tokens`; `undefined` where no budget bounds it. */
  readonly budget: number | undefined
  /** Tokens that thinking without a budget may take, for a bound that the caller did not give; 0 where there is none. */
  readonly allowance: number
  /** It is the caller's own `thinking`: `max_tokens`, where given, is meant for both. */
  readonly own: boolean
}

/** The least that the vendor takes. */
const leastBudget = 1_024

/** As Google's own layer for this protocol has them; `xhigh` and `max` take what the model has. */
const budgets = { minimal: 1_024, low: 1_024, medium: 8_192, high: 24_576 } as const

const defaultThinking: ClaudeThinking = {
  thinking: undefined,
  effort: undefined,
  on: false,
  budget: undefined,
  allowance: 0,
  own: false,
}

/**
 * `reasoning_effort` as the vendor's `thinking` and effort. Where a budget bounds thinking, and a conversation
 * goes on after tool results whose call came without signed reasoning, the vendor takes no thinking: it is
 * left out of this request, and reported.
 *
 * Throws `GatewayError` (400) where the answer is the input of a forced tool.
 *
 * Sources: the vendor's pages on extended thinking, adaptive thinking and effort.
 */
export function claudeThinking(asked: ThinkingInput, adjuster: ParameterAdjuster): ClaudeThinking {
  const { model, input } = asked
  const { reasoning_effort: effort, thinking: own } = input
  if (asked.answersByTool && model.forcedTools !== 'always') return withoutThinking(asked, adjuster)
  if (own !== undefined && own !== null) return ofCaller(own as JsonObject, asked, adjuster)
  const { setting } = asked
  const saysHowMuch = setting !== undefined && setting.onlyDisplay !== true
  if (saysHowMuch && effort !== 'none' && model.thinking !== 'none')
    return ofSetting(setting, asked, adjuster)
  if (effort === undefined) return byDefault(asked)
  switch (model.thinking) {
    case 'adaptive':
      return adaptive(effort, asked, adjuster)
    case 'budget':
      return effort === 'none' ? defaultThinking : boundEffort(effort, asked, adjuster)
    case 'none':
      if (effort !== 'none') adjuster.drop('reasoning_effort', 'this model does not think')
      return defaultThinking
  }
}

/** Thinks as the model does by itself. */
function byDefault({ model, setting }: ThinkingInput): ClaudeThinking {
  if (!model.thinksByDefault) return defaultThinking
  const shows = model.thinkingHidden && setting?.display === 'summarized'
  const thinking = shows ? { type: 'adaptive', display: 'summarized' } : undefined
  return { ...defaultThinking, thinking, allowance: tokensForThinking('high', model) }
}

/** The schema of the answer holds, for the answer would be another without it. */
function withoutThinking(
  { model, input, setting }: ThinkingInput,
  adjuster: ParameterAdjuster,
): ClaudeThinking {
  const { reasoning_effort: effort, thinking: own } = input
  if (setting !== undefined && setting.onlyDisplay !== true && effort === undefined)
    adjuster.drop('thinking', 'this model does not think while it answers in a schema')
  const why = "This model does not think while 'response_format' asks for a schema. Leave out one of them."
  if (isFields(own) && own.type !== 'disabled') adjuster.unsupported('thinking', why)
  if (effort !== undefined && effort !== 'none' && model.thinking !== 'none')
    adjuster.unsupported('reasoning_effort', why)
  return defaultThinking
}

type Effort = NonNullable<ChatRequest['reasoning_effort']>

function adaptive(
  asked: Effort,
  { model, input }: ThinkingInput,
  adjuster: ParameterAdjuster,
): ClaudeThinking {
  if (asked === 'none' && model.thinkingOff)
    return { ...defaultThinking, thinking: { type: model.thinkingOff } }
  const effort = effortOf(asked, model, input, adjuster)
  const display = model.thinkingHidden ? { display: 'summarized' } : {}
  const allowance = tokensForThinking(effort, model)
  return { ...defaultThinking, thinking: { type: 'adaptive', ...display }, effort, on: true, allowance }
}

function tokensForThinking(effort: ClaudeEffort | undefined, { maxOutput }: ClaudeModel): number {
  return effort === 'xhigh' || effort === 'max' ? maxOutput : budgets.high
}

function effortOf(
  asked: Effort,
  model: ClaudeModel,
  input: ChatRequest,
  adjuster: ParameterAdjuster,
): ClaudeEffort | undefined {
  if (isFields(input.output_config) && input.output_config.effort !== undefined) {
    adjuster.drop('reasoning_effort', 'output_config.effort was given too')
    return undefined
  }
  const known = model.efforts.find(word => word === asked)
  if (known !== undefined) return known
  const nearest = asked === 'none' || asked === 'minimal' ? 'low' : 'max'
  adjuster.map('reasoning_effort', `effort ${nearest}: this model has no ${asked}`)
  return nearest
}

function boundEffort(
  asked: Exclude<Effort, 'none'>,
  request: ThinkingInput,
  adjuster: ParameterAdjuster,
): ClaudeThinking {
  const { model, turns, answerTokens } = request
  if (continuesUnsigned(turns)) {
    adjuster.drop('reasoning_effort', "the assistant's last turn came without its signed reasoning")
    return defaultThinking
  }
  if (answerTokens === 0) {
    adjuster.drop('reasoning_effort', 'an answer of no tokens has no thinking')
    return defaultThinking
  }
  const wanted = asked === 'xhigh' || asked === 'max' ? model.maxOutput : budgets[asked]
  const budget = Math.min(wanted, Math.max(leastBudget, model.maxOutput - answerTokens))
  adjuster.map('reasoning_effort', `thinking with a budget of ${budget} tokens`)
  return { ...defaultThinking, thinking: { type: 'enabled', budget_tokens: budget }, on: true, budget }
}

/** Thinks as the caller of a protocol with tokens of thinking has said, if the model can. */
function ofSetting(
  { budgetTokens, hasEffort, display }: ThinkingSetting,
  request: ThinkingInput,
  adjuster: ParameterAdjuster,
): ClaudeThinking {
  const { model, input, turns, answerTokens } = request
  const { reasoning_effort: effort } = input
  const shown = display === undefined ? {} : { display }
  if (model.thinking === 'adaptive') {
    if (budgetTokens !== undefined && !hasEffort)
      adjuster.map('thinking', `adaptive, with an effort: ${effort}`)
    const thinking = { type: 'adaptive', ...shown }
    if (effort !== undefined) return { ...adaptive(effort, request, adjuster), thinking, own: true }
    return { ...defaultThinking, thinking, on: true, own: true }
  }
  if (budgetTokens === undefined) {
    if (effort !== undefined && effort !== 'none') return boundEffort(effort, request, adjuster)
    adjuster.drop('thinking', 'this model thinks only with a budget')
    return defaultThinking
  }
  if (continuesUnsigned(turns)) {
    adjuster.drop('thinking', "the assistant's last turn came without its signed reasoning")
    return defaultThinking
  }
  if (hasEffort) adjuster.drop('reasoning_effort', 'thinking was given too')
  // The bound of the answer counts thinking, too, and may have been lowered to what the model can.
  const budget = Math.min(budgetTokens, answerTokens - 1)
  if (budget < leastBudget) {
    adjuster.drop('thinking', `the answer has a bound of ${answerTokens} tokens`)
    return defaultThinking
  }
  if (budget < budgetTokens) adjuster.map('thinking', `a budget of ${budget} tokens`)
  const thinking = { type: 'enabled', budget_tokens: budget, ...shown }
  return { ...defaultThinking, thinking, on: true, budget, own: true }
}

function ofCaller(
  own: JsonObject,
  { model, input }: ThinkingInput,
  adjuster: ParameterAdjuster,
): ClaudeThinking {
  const { reasoning_effort: asked } = input
  let effort: ClaudeEffort | undefined
  if (asked !== undefined) {
    if (own.type === 'adaptive' && asked !== 'none' && model.efforts.length > 0)
      effort = effortOf(asked, model, input, adjuster)
    else adjuster.drop('reasoning_effort', 'thinking was given too')
  }
  const budget = typeof own.budget_tokens === 'number' ? own.budget_tokens : undefined
  const allowance = own.type === 'adaptive' ? tokensForThinking(effort, model) : 0
  return { thinking: own, effort, on: own.type !== 'disabled', budget, allowance, own: true }
}

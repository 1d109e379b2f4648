import type { ChatRequest, ThinkingSetting } from '@sluice/core/provider'
import type { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import type { GeminiModel, Thinking, ThinkingLevel } from './models.ts'

type Effort = NonNullable<ChatRequest['reasoning_effort']>

/** Tokens for each effort, those of Google's own chat-completions layer where it has one. */
const budgets: Readonly<Record<Effort, number>> = {
  none: 0,
  minimal: 512,
  low: 1_024,
  medium: 8_192,
  high: 24_576,
  xhigh: 32_768,
  max: 32_768,
}

/** For each effort the level that is nearest, then the next best. */
const levels: Readonly<Record<Effort, readonly ThinkingLevel[]>> = {
  none: ['minimal', 'low'],
  minimal: ['minimal', 'low'],
  low: ['low', 'minimal'],
  medium: ['medium', 'high'],
  high: ['high'],
  xhigh: ['high'],
  max: ['high'],
}

/**
 * `reasoning_effort` as a `thinkingConfig`, `undefined` where nothing has to be said. The thoughts are asked
 * for where the caller asked for thinking. An approximate value is reported; a model without
 * thinking does not support the parameter.
 */
export function thinkingConfig(
  effort: Effort | undefined,
  setting: ThinkingSetting | undefined,
  { thinking }: GeminiModel,
  adjuster: ParameterAdjuster,
): Readonly<Record<string, unknown>> | undefined {
  const shown = setting?.display === 'omitted' ? {} : { includeThoughts: true }
  const ownAmount = setting?.hasEffort === false && setting.onlyDisplay !== true
  if (ownAmount && thinking.by === 'budget')
    return { thinkingBudget: budgetOf(setting.budgetTokens, thinking, adjuster), ...shown }
  if (effort === undefined) {
    const thinks = thinking.by !== 'nothing' && (ownAmount || thinking.idle !== true)
    return setting !== undefined && thinks ? shown : undefined
  }
  if (thinking.by === 'nothing') {
    if (effort !== 'none') adjuster.unsupported('reasoning_effort', 'It does not reason.')
    return undefined
  }
  const amount =
    thinking.by === 'budget'
      ? budget(effort, thinking, adjuster)
      : level(effort, ownAmount, thinking, adjuster)
  return effort === 'none' ? amount : { ...amount, ...shown }
}

/** How many tokens the model may think. -1: it decides. */
function budgetOf(
  asked: number | undefined,
  { min, max }: Thinking & { by: 'budget' },
  adjuster: ParameterAdjuster,
): number {
  if (asked === undefined) return -1
  const budget = Math.min(Math.max(asked, min), max)
  if (budget !== asked) adjuster.map('thinking', `thinkingBudget ${budget}`)
  return budget
}

function budget(
  effort: Effort,
  { min, max, off }: Thinking & { by: 'budget' },
  adjuster: ParameterAdjuster,
): { readonly thinkingBudget: number } {
  if (effort === 'none' && off) return { thinkingBudget: 0 }
  const thinkingBudget = Math.min(Math.max(budgets[effort], min), max)
  adjuster.map('reasoning_effort', `thinkingBudget ${thinkingBudget}`)
  return { thinkingBudget }
}

function level(
  effort: Effort,
  isFromBudget: boolean,
  { levels: known }: Thinking & { by: 'level' },
  adjuster: ParameterAdjuster,
): { readonly thinkingLevel: ThinkingLevel } {
  const thinkingLevel = levels[effort].find(one => known.includes(one)) ?? 'high'
  // The effort of a caller who gave a budget is not the caller's own.
  if (thinkingLevel !== effort || isFromBudget)
    adjuster.map('reasoning_effort', `thinkingLevel ${thinkingLevel}`)
  return { thinkingLevel }
}

import type { ChatRequest } from '@sluice/core/provider'
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
  { thinking }: GeminiModel,
  adjuster: ParameterAdjuster,
): Readonly<Record<string, unknown>> | undefined {
  if (effort === undefined) return undefined
  if (thinking.by === 'nothing') {
    if (effort !== 'none') adjuster.unsupported('reasoning_effort', 'It does not reason.')
    return undefined
  }
  const amount =
    thinking.by === 'budget' ? budget(effort, thinking, adjuster) : level(effort, thinking, adjuster)
  return effort === 'none' ? amount : { ...amount, includeThoughts: true }
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
  { levels: known }: Thinking & { by: 'level' },
  adjuster: ParameterAdjuster,
): { readonly thinkingLevel: ThinkingLevel } {
  const thinkingLevel = levels[effort].find(one => known.includes(one)) ?? 'high'
  if (thinkingLevel !== effort) adjuster.map('reasoning_effort', `thinkingLevel ${thinkingLevel}`)
  return { thinkingLevel }
}

import type { Draft } from '../contracts/draft.ts'
import type { LimitContext } from '../contracts/limiter.ts'
import type { Outline } from '../contracts/outline.ts'
import type { Usage } from '../protocol/chat.ts'
import { generates } from './operations.ts'
import { estimatePromptTokens, promptEstimate } from './prompt-estimate.ts'

/** The maximum usage of a request. */
export interface Reservation {
  readonly promptTokens: number
  /** For all choices together. */
  readonly completionTokens: number
  /** Per choice: the maximum of the request, or the default of the limiter. */
  readonly maxOutputTokens: number
  readonly outline: Outline
}

/** An amount to reserve, and what remains charged if the request is never settled. */
export interface ReservedAmount {
  readonly amount: number
  readonly floor: number
}

const maxAmount = Number.MAX_SAFE_INTEGER

/** Returns the maximum usage of a request. Only generated answers and completed texts have completion tokens. */
export function reservationOf(draft: Draft, defaultOutputTokens: number): Reservation {
  const { operation, outline } = draft
  const named = countOf(outline.maxOutputTokens, 0)
  const maxOutputTokens = generates(operation) ? (named ?? defaultOutputTokens) : 0
  return {
    promptTokens: promptEstimate(draft),
    completionTokens: Math.min(maxAmount, (countOf(outline.choices, 1) ?? 1) * maxOutputTokens),
    maxOutputTokens,
    outline,
  }
}

/** Returns a count of an outline, or `undefined`: a dialect may pass on what its request has not been validated for. */
function countOf(value: number | undefined, least: number): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= least ? value : undefined
}

export function reservedTokens({ promptTokens, completionTokens }: Reservation): ReservedAmount {
  return { amount: Math.min(maxAmount, promptTokens + completionTokens), floor: promptTokens }
}

/**
 * Returns the maximum cost in billionths of a US dollar: at the most expensive target and token category, such as cache writes
 * or audio. The floor is the cost of the prompt as plain text. Returns `undefined` if a target has no price.
 */
export function reservedMoney(
  reservation: Reservation,
  context: Pick<LimitContext, 'targets' | 'price'>,
): ReservedAmount | undefined {
  const amount = maxCost(usagesOf(reservation), context)
  if (amount === undefined) return undefined
  const floor = maxCost([usageOf(reservation.promptTokens, 0, 0, 0, 0)], context)
  // A custom price function need not be monotonic: the floor must not exceed the amount.
  return floor === undefined ? undefined : { amount, floor: Math.min(floor, amount) }
}

/** Returns the maximum cost. The first usage, and those with audio output, must have a price at each target. */
function maxCost(
  usages: readonly Usage[],
  { targets, price }: Pick<LimitContext, 'targets' | 'price'>,
): number | undefined {
  let most: number | undefined
  for (const target of targets) {
    for (let at = 0; at < usages.length; at++) {
      const usage = usages[at] as Usage
      const cost = price(usage, target)
      if (isPrice(cost)) most = Math.max(most ?? 0, nanoDollars(cost))
      // The others are optional: a price function may not support them.
      else if (at === 0 || usage.completion_tokens_details.audio_tokens > 0) return undefined
    }
  }
  return most
}

function isPrice(cost: unknown): cost is number {
  return typeof cost === 'number' && Number.isFinite(cost) && cost >= 0
}

/** Returns the ways in which it may be billed: all plain, the prompt as cache writes, prompt or output as audio. */
function usagesOf({ promptTokens, completionTokens, outline }: Reservation): Usage[] {
  const { hasAudio = false } = outline
  const usages = plainAndWritten(promptTokens, completionTokens, hasAudio, 0)
  if (!outline.wantsAudio) return usages
  return [...usages, ...plainAndWritten(promptTokens, completionTokens, hasAudio, completionTokens)]
}

function plainAndWritten(prompt: number, completion: number, heard: boolean, spoken: number): Usage[] {
  const usages = [usageOf(prompt, completion, 0, 0, spoken), usageOf(prompt, completion, prompt, 0, spoken)]
  if (heard) usages.push(usageOf(prompt, completion, 0, prompt, spoken))
  return usages
}

function usageOf(prompt: number, completion: number, written: number, audio: number, spoken: number): Usage {
  return {
    prompt_tokens: prompt,
    completion_tokens: completion,
    total_tokens: prompt + completion,
    prompt_tokens_details:
      written > 0
        ? { cached_tokens: 0, audio_tokens: audio, cache_write_tokens: written }
        : { cached_tokens: 0, audio_tokens: audio },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: spoken,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}

/** Returns a likely number of prompt tokens plus the maximum output of the request, if it has one. */
export function estimateTokens(draft: Draft): number {
  const { operation, outline } = draft
  const output = generates(operation) ? countOf(outline.maxOutputTokens, 0) : undefined
  return estimatePromptTokens(draft) + (output ?? 0)
}

/** Returns the estimated usage, with `outputTokens` per choice if the request has no maximum. */
export function estimatedUse(draft: Draft, outputTokens: number): Usage {
  const { promptTokens, completionTokens } = reservationOf(draft, outputTokens)
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
    prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 },
    completion_tokens_details: {
      reasoning_tokens: 0,
      audio_tokens: 0,
      accepted_prediction_tokens: 0,
      rejected_prediction_tokens: 0,
    },
  }
}

/**
 * Converts US dollars to integer billionths, rounded up; at most `Number.MAX_SAFE_INTEGER`. Tolerates floating-point error:
 * 0.0125 dollars are exactly 12,500,000.
 */
export function nanoDollars(dollars: number): number {
  const exact = dollars * 1e9
  const near = Math.round(exact)
  const whole = Math.abs(exact - near) <= exact * 2 ** -50 ? near : Math.ceil(exact)
  return Math.min(whole, Number.MAX_SAFE_INTEGER)
}

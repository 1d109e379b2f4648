import type { Draft } from '../contracts/draft.ts'
import type { LimitContext } from '../contracts/limiter.ts'
import type { JsonObject, Usage } from '../protocol/chat.ts'
import { jsonItems, jsonMember } from '../protocol/json-members.ts'
import { promptEstimate } from './prompt-estimate.ts'

/** The maximum usage of a request. */
export interface Reservation {
  readonly promptTokens: number
  /** For all choices together. */
  readonly completionTokens: number
  /** Per choice: the maximum of the request, or the default of the limiter. */
  readonly maxOutputTokens: number
  /** The body of the request. */
  readonly body: JsonObject
}

/** An amount to reserve, and what remains charged if the request is never settled. */
export interface ReservedAmount {
  readonly amount: number
  readonly floor: number
}

const maxAmount = Number.MAX_SAFE_INTEGER

/**
 * Returns the maximum usage of a request. The body may be invalid: an invalid maximum or `n` counts as absent, as the request
 * will be rejected. Of two maximums the greater one counts, because vendors differ in which they apply.
 */
export function reservationOf(draft: Draft, defaultOutputTokens: number): Reservation {
  const bound = jsonMember(draft.body, 'max_completion_tokens')
  const older = jsonMember(draft.body, 'max_tokens')
  const greatest = Math.max(isBound(bound) ? bound : -1, isBound(older) ? older : -1)
  const maxOutputTokens = greatest === -1 ? defaultOutputTokens : greatest
  const n = jsonMember(draft.body, 'n')
  const choices = isBound(n) && n >= 1 && n <= 128 ? n : 1
  return {
    promptTokens: promptEstimate(draft),
    completionTokens: Math.min(maxAmount, choices * maxOutputTokens),
    maxOutputTokens,
    body: draft.body,
  }
}

/** Returns whether messages contain audio, or refer to earlier audio. */
function holdsAudio(body: JsonObject): boolean {
  return jsonItems(jsonMember(body, 'messages')).some(
    message =>
      (jsonMember(message, 'audio') ?? null) !== null ||
      jsonItems(jsonMember(message, 'content')).some(part => {
        const type = jsonMember(part, 'type')
        return type === 'input_audio' || type === 'audio_url'
      }),
  )
}

function isBound(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
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

/** Returns the maximum cost. The first usage must have a price at each target. */
function maxCost(
  usages: readonly Usage[],
  { targets, price }: Pick<LimitContext, 'targets' | 'price'>,
): number | undefined {
  let most: number | undefined
  for (const target of targets) {
    for (let at = 0; at < usages.length; at++) {
      const cost = price(usages[at] as Usage, target)
      if (isPrice(cost)) most = Math.max(most ?? 0, nanoDollars(cost))
      // The others are optional: a price function may not support them.
      else if (at === 0) return undefined
    }
  }
  return most
}

function isPrice(cost: unknown): cost is number {
  return typeof cost === 'number' && Number.isFinite(cost) && cost >= 0
}

/** Returns the ways in which it may be billed: all plain, the prompt as cache writes, prompt or output as audio. */
function usagesOf({ promptTokens, completionTokens, body }: Reservation): Usage[] {
  const heard = holdsAudio(body)
  const usages = plainAndWritten(promptTokens, completionTokens, heard, 0)
  if (!jsonItems(jsonMember(body, 'modalities')).includes('audio')) return usages
  return [...usages, ...plainAndWritten(promptTokens, completionTokens, heard, completionTokens)]
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

/** Returns a likely number of prompt tokens: three quarters of the high estimate, which is one per four bytes of text. */
export function estimatePromptTokens(draft: Draft): number {
  return Math.ceil(promptEstimate(draft) * 0.75)
}

/** Returns a likely number of prompt tokens plus the maximum output of the request, if it has one. */
export function estimateTokens(draft: Draft): number {
  const { promptTokens, maxOutputTokens } = reservationOf(draft, 0)
  return Math.ceil(promptTokens * 0.75) + maxOutputTokens
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

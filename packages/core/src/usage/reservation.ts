import type { Draft } from '../contracts/draft.ts'
import type { LimitContext } from '../contracts/limiter.ts'
import type { JsonObject, Usage } from '../protocol/chat.ts'
import { jsonItems, jsonMember } from '../protocol/json-members.ts'
import { promptEstimate } from './prompt-estimate.ts'

/** The most that a request can use. */
export interface Reservation {
  readonly promptTokens: number
  /** Of all choices together. */
  readonly completionTokens: number
  /** Of one choice: the caller's own bound, or that of the limiter. */
  readonly maxOutputTokens: number
  /** What it is for. */
  readonly body: JsonObject
}

/** An amount, and what of it stays charged if the request is never settled. */
export interface ReservedAmount {
  readonly amount: number
  readonly floor: number
}

const most = Number.MAX_SAFE_INTEGER

/**
 * What is reserved for a request. Its body need not be valid: of a bound or an `n` that is none, which will be refused,
 * the default is taken. Of two bounds the greater one counts: vendors differ in which they obey.
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
    completionTokens: Math.min(most, choices * maxOutputTokens),
    maxOutputTokens,
    body: draft.body,
  }
}

/** What is sent, or was answered before and is named again. */
function holdsAudio(body: JsonObject): boolean {
  return jsonItems(jsonMember(body, 'messages')).some(
    message =>
      (jsonMember(message, 'audio') ?? null) !== null ||
      jsonItems(jsonMember(message, 'content')).some(part => jsonMember(part, 'type') === 'input_audio'),
  )
}

function isBound(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0
}

export function reservedTokens({ promptTokens, completionTokens }: Reservation): ReservedAmount {
  return { amount: Math.min(most, promptTokens + completionTokens), floor: promptTokens }
}

/**
 * In billionths of a dollar, by the dearest target, and by the dearest that a token can be: some vendors take more for
 * what goes into their cache, and for audio. What stays if nothing else is known is the plain prompt. `undefined` where a target has no price.
 */
export function reservedMoney(
  reservation: Reservation,
  context: Pick<LimitContext, 'targets' | 'price'>,
): ReservedAmount | undefined {
  const amount = dearest(usagesOf(reservation), context)
  if (amount === undefined) return undefined
  const floor = dearest([usageOf(reservation.promptTokens, 0, 0, 0, 0)], context)
  // Not all prices are sums: a floor is never above its amount.
  return floor === undefined ? undefined : { amount, floor: Math.min(floor, amount) }
}

/** The first usage has to have a price at each target. */
function dearest(
  usages: readonly Usage[],
  { targets, price }: Pick<LimitContext, 'targets' | 'price'>,
): number | undefined {
  let most: number | undefined
  for (const target of targets) {
    for (let at = 0; at < usages.length; at++) {
      const cost = price(usages[at] as Usage, target)
      if (isPrice(cost)) most = Math.max(most ?? 0, nanoDollars(cost))
      // Prices need not know of everything else that can be.
      else if (at === 0) return undefined
    }
  }
  return most
}

function isPrice(cost: unknown): cost is number {
  return typeof cost === 'number' && Number.isFinite(cost) && cost >= 0
}

/** What it may be counted as: all plain, all of the prompt as new in a cache, all of one side as audio. */
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

/**
 * How many tokens a prompt is likely to have: three quarters of the most that is likely, which is one for every four
 * bytes of text.
 */
export function likelyPromptTokens(draft: Draft): number {
  return Math.ceil(promptEstimate(draft) * 0.75)
}

/** How many tokens a prompt is likely to have together with the bound of its answer, where it has one. */
export function estimateTokens(draft: Draft): number {
  const { promptTokens, maxOutputTokens } = reservationOf(draft, 0)
  return Math.ceil(promptTokens * 0.75) + maxOutputTokens
}

/** What a request is expected to use, where it names no bound with so many completion tokens for each choice. */
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
 * Dollars in whole billionths, rounded up; at most what a double holds exactly. What is a whole number but for the
 * error of floats is that number: 0.0125 dollars are 12,500,000.
 */
export function nanoDollars(dollars: number): number {
  const exact = dollars * 1e9
  const near = Math.round(exact)
  const whole = Math.abs(exact - near) <= exact * 2 ** -50 ? near : Math.ceil(exact)
  return Math.min(whole, Number.MAX_SAFE_INTEGER)
}

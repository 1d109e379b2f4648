import type { Draft } from '../contracts/draft.ts'
import { promptEstimate } from './prompt-estimate.ts'
import { reservationOf } from './reservation.ts'

/**
 * How many tokens a prompt is likely to have: three quarters of the most that is likely, which is one for every four
 * bytes of text.
 */
export function likelyPromptTokens(draft: Draft): number {
  return Math.ceil(promptEstimate(draft) * 0.75)
}

/** How many tokens a prompt is likely to have together with the bound of its answer, where it has one. */
export function likelyTokens(draft: Draft): number {
  const { promptTokens, maxOutputTokens } = reservationOf(draft, 0)
  return Math.ceil(promptTokens * 0.75) + maxOutputTokens
}

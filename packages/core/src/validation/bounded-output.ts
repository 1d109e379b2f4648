import type { Adjustment, Target } from '../contracts/provider.ts'
import type { ChatRequest } from '../protocol/chat.ts'

// Tuned for the bench row `node`: the last adjustment is remembered (see http/gateway-response.ts).

/** A request whose answer has a bound, and what was added to it for that. */
export interface BoundedOutput {
  readonly input: ChatRequest
  readonly adjustments: readonly Adjustment[]
}

/**
 * Gives a request without a bound the one that its room is for: what was reserved must be the most it can use. It is
 * written into the request, which is the copy that validation made: another copy of it would be dear. Throws `TypeError`
 * for a bound that is none.
 */
export function boundOutput(input: ChatRequest, maxOutputTokens: number | undefined): BoundedOutput {
  const named = input.max_completion_tokens ?? input.max_tokens
  if (maxOutputTokens === undefined || named !== undefined) return { input, adjustments: none }
  if (!(Number.isSafeInteger(maxOutputTokens) && maxOutputTokens >= 1)) {
    throw new TypeError(
      `limit gave a lease with maxOutputTokens ${String(maxOutputTokens)}, expected a whole number from 1.`,
    )
  }
  const copy: { max_completion_tokens?: number } = input
  copy.max_completion_tokens = maxOutputTokens
  return { input, adjustments: defaultedTo(maxOutputTokens) }
}

const none: readonly Adjustment[] = Object.freeze([])
/** Nearly always the one of the request before: a limiter has one bound. */
let last = { maxOutputTokens: 0, adjustments: none }

function defaultedTo(maxOutputTokens: number): readonly Adjustment[] {
  if (last.maxOutputTokens !== maxOutputTokens) {
    const adjustment = {
      parameter: 'max_completion_tokens',
      action: 'defaulted',
      detail: String(maxOutputTokens),
    } as const
    last = { maxOutputTokens, adjustments: Object.freeze([Object.freeze(adjustment)]) }
  }
  return last.adjustments
}

/**
 * The places of a request that was given a bound of so many tokens. One whose model answers with fewer at most has that
 * as its own: what it would refuse is nothing that the caller asked for.
 */
export function boundTargets<T extends Target>(targets: readonly T[], tokens: number): readonly T[] {
  const mostOf = ({ capabilities }: T) => capabilities?.maxOutputTokens ?? tokens
  if (targets.every(target => mostOf(target) >= tokens)) return targets
  return targets.map(target => {
    if (mostOf(target) >= tokens) return target
    return { ...target, parameters: { max_completion_tokens: mostOf(target), ...target.parameters } }
  })
}

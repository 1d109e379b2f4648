import type { Adjustment, Target } from '../contracts/provider.ts'
import type { ChatRequest } from '../protocol/chat.ts'

/** A request with a limit on its output, and the adjustments for it. */
export interface BoundedOutput {
  readonly input: ChatRequest
  readonly adjustments: readonly Adjustment[]
}

/**
 * Sets the maximum output of a request without one to the reserved tokens, so that it cannot use more than was reserved. It
 * modifies the request, which is a copy made by validation, because copying it again is expensive.
 *
 * Throws `TypeError` for an invalid maximum.
 */
export function boundOutput(input: ChatRequest, maxOutputTokens: number | undefined): BoundedOutput {
  const named = input.max_completion_tokens ?? input.max_tokens
  if (maxOutputTokens === undefined || named !== undefined) return { input, adjustments: none }
  if (!(Number.isSafeInteger(maxOutputTokens) && maxOutputTokens >= 1)) {
    throw new TypeError(
      `limits returned a lease with maxOutputTokens ${String(maxOutputTokens)}, expected a whole number from 1.`,
    )
  }
  const copy: { max_completion_tokens?: number } = input
  copy.max_completion_tokens = maxOutputTokens
  return { input, adjustments: defaultedTo(maxOutputTokens) }
}

const none: readonly Adjustment[] = Object.freeze([])

function defaultedTo(maxOutputTokens: number): readonly Adjustment[] {
  const detail = String(maxOutputTokens)
  return [{ parameter: 'max_completion_tokens', action: 'defaulted', detail }]
}

/**
 * Lowers an added maximum output for targets whose model supports less. Otherwise they would reject a value that the caller
 * did not set.
 */
export function boundTargets<T extends Target>(targets: readonly T[], tokens: number): readonly T[] {
  const maxTokensOf = ({ capabilities }: T) => capabilities?.maxOutputTokens ?? tokens
  if (targets.every(target => maxTokensOf(target) >= tokens)) return targets
  return targets.map(target => {
    if (maxTokensOf(target) >= tokens) return target
    return { ...target, parameters: { max_completion_tokens: maxTokensOf(target), ...target.parameters } }
  })
}

import type { Target } from '../contracts/provider.ts'
import type { ChatRequest } from '../protocol/chat.ts'
import type { AbandonedTokens } from './usage.ts'

/**
 * What a call is charged whose answer was cut off before any of it came: its client left, the gateway closed, it timed out,
 * or another call was faster. The vendor may have made all of the answer, and nobody knows.
 */
export interface AbandonedCallOptions {
  /**
   * `reservation` (default): the prompt and all of the output that was reserved. `time`: the prompt, and output for the time
   * that the call took. `prompt`: the prompt alone, which is too little wherever the vendor answered.
   */
  readonly charge: 'reservation' | 'prompt' | 'time'
  /** With `time`: how many tokens a second a model writes, in each choice. Default 100. */
  readonly outputTokensPerSecond: number
  /** The output tokens of one choice where the request names no bound and none was reserved. Default 4,096. */
  readonly maxOutputTokens: number
}

/** A call that was abandoned. */
export interface AbandonedCall {
  readonly input: ChatRequest
  readonly target: Target
  /** The prompt tokens that were reserved, where some were. */
  readonly reservedPromptTokens: number | undefined
  /** How long it ran, in milliseconds. */
  readonly ranMs: number
}

/** Returns what an abandoned call is charged. */
export function abandonedTokens(
  { input, target, reservedPromptTokens, ranMs }: AbandonedCall,
  { charge, outputTokensPerSecond, maxOutputTokens }: AbandonedCallOptions,
): AbandonedTokens {
  if (charge === 'prompt') return { promptTokens: undefined, completionTokens: 0 }
  const choices = input.n ?? 1
  const bound = choices * outputBound(input, target, maxOutputTokens)
  if (charge === 'reservation') return { promptTokens: reservedPromptTokens, completionTokens: bound }
  const written = Math.ceil((choices * outputTokensPerSecond * ranMs) / 1000)
  return { promptTokens: undefined, completionTokens: Math.min(bound, written) }
}

/** Of two bounds the greater one counts, as when it was reserved. A target may have a lower one. */
function outputBound(input: ChatRequest, { parameters }: Target, unbounded: number): number {
  const { max_completion_tokens: bound, max_tokens: older } = input
  const asked = bound === undefined && older === undefined ? unbounded : Math.max(bound ?? 0, older ?? 0)
  const own = parameters?.max_completion_tokens
  return typeof own === 'number' ? Math.min(own, asked) : asked
}

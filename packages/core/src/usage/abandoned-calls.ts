import type { Target } from '../contracts/provider.ts'
import type { Settings } from '../conversation/generate-request.ts'
import type { AbandonedTokens } from './usage.ts'

/**
 * What to charge for an abandoned call: an upstream call that was cancelled before any content arrived, because the client
 * disconnected, the gateway was closed, it timed out, or another call was faster. The vendor may still have generated and
 * billed the full response.
 */
export interface AbandonedCallOptions {
  /**
   * `reservation` (default): the prompt and all of the reserved output. `time`: the prompt, and output in proportion to the
   * duration of the call. `prompt`: the prompt only, which is too little if the vendor generated output.
   */
  readonly charge: 'reservation' | 'prompt' | 'time'
  /** For `time`: output tokens per second and choice. Default 100. */
  readonly outputTokensPerSecond: number
  /** Output tokens per choice, if the request has no maximum and none was reserved. Default 4,096. */
  readonly maxOutputTokens: number
}

/** An upstream call that was cancelled before any content arrived. */
export interface AbandonedCall {
  readonly settings: Settings
  readonly target: Target
  /** The reserved prompt tokens, if there was a reservation. */
  readonly reservedPromptTokens: number | undefined
  /** How long it ran, in milliseconds. */
  readonly ranMs: number
}

/** Returns the tokens to charge for an abandoned call. */
export function abandonedTokens(
  { settings, target, reservedPromptTokens, ranMs }: AbandonedCall,
  { charge, outputTokensPerSecond, maxOutputTokens }: AbandonedCallOptions,
): AbandonedTokens {
  if (charge === 'prompt') return { promptTokens: undefined, completionTokens: 0 }
  const choices = settings.n ?? 1
  const bound = choices * outputBound(settings, target, maxOutputTokens)
  if (charge === 'reservation') return { promptTokens: reservedPromptTokens, completionTokens: bound }
  const written = Math.ceil((choices * outputTokensPerSecond * ranMs) / 1000)
  return { promptTokens: undefined, completionTokens: Math.min(bound, written) }
}

/** Returns the greater of two maximums, as for the reservation, unless the target has a lower one. */
function outputBound(settings: Settings, { parameters }: Target, unbounded: number): number {
  const { max_completion_tokens: bound, max_tokens: older } = settings
  const asked = bound === undefined && older === undefined ? unbounded : Math.max(bound ?? 0, older ?? 0)
  const own = parameters?.max_completion_tokens
  return typeof own === 'number' ? Math.min(own, asked) : asked
}

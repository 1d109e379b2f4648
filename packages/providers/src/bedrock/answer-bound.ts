import type { ChatRequest } from '@sluice/core'
import type { Adjusting } from '../parameters/adjusting.ts'

/** The bound of an answer that the caller gave. */
export interface GivenBound {
  readonly tokens: number
  readonly parameter: 'max_tokens' | 'max_completion_tokens'
}

/** The bound that the caller gave, by its newer name where both are there. */
export function givenBound(
  { max_tokens: older, max_completion_tokens: newer }: ChatRequest,
  adjusting: Adjusting,
): GivenBound | undefined {
  if (newer !== undefined) {
    if (older !== undefined && older !== newer)
      adjusting.drop('max_tokens', 'max_completion_tokens was given too')
    return { tokens: newer, parameter: 'max_completion_tokens' }
  }
  return older === undefined ? undefined : { tokens: older, parameter: 'max_tokens' }
}

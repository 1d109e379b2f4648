import type { Draft } from '../contracts/draft.ts'
import type { Usage } from '../protocol/chat.ts'

import { reservationOf } from './reservation.ts'

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

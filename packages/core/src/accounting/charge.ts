import type { Charge } from '../contracts/ledger.ts'
import type { Usage } from '../protocol/chat.ts'

/** A usage and its price, as the ledger keeps them. */
export function chargeOf(usage: Usage, cost: number | null): Charge {
  return {
    promptTokens: usage.prompt_tokens,
    completionTokens: usage.completion_tokens,
    cachedTokens: usage.prompt_tokens_details?.cached_tokens ?? 0,
    reasoningTokens: usage.completion_tokens_details?.reasoning_tokens ?? 0,
    cost,
  }
}

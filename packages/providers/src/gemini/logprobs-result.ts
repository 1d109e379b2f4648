import type { Logprobs, TokenLogprob } from '@sluice/core'
import { type Fields, isFields, objectsOf } from '../wire/json-value.ts'

/** A candidate's `logprobsResult` in the protocol's form, or `undefined` where it tells of no token. */
export function logprobsOf(result: unknown): Logprobs | undefined {
  if (!isFields(result)) return undefined
  const chosen = objectsOf(result.chosenCandidates)
  if (chosen === undefined) return undefined
  const top = Array.isArray(result.topCandidates) ? result.topCandidates : []
  const content = chosen.map((token, index): TokenLogprob => {
    const others: unknown = top[index]
    const candidates = isFields(others) ? objectsOf(others.candidates) : undefined
    return { ...tokenOf(token), top_logprobs: (candidates ?? []).map(tokenOf) }
  })
  return { content, refusal: null }
}

/** Gemini tells no bytes, and those of a token that is half a character could not be told from its text. */
function tokenOf({ token, logProbability }: Fields): Omit<TokenLogprob, 'top_logprobs'> {
  return {
    token: typeof token === 'string' ? token : '',
    // The protocol's own word for a token that is too unlikely to be counted.
    logprob: typeof logProbability === 'number' ? logProbability : -9999,
    bytes: null,
  }
}

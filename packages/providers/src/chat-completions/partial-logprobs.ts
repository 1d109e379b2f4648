import type { Logprobs, TokenLogprob } from '@sluice/core/provider'
import { type Fields, isFields, objectsOf } from '../wire/json-value.ts'

/** The log probabilities of a choice, or `undefined` where it has none in the protocol's form. */
export function partialLogprobs(value: unknown): Logprobs | undefined {
  if (!isFields(value)) return undefined
  const content = tokens(value.content)
  const refusal = tokens(value.refusal)
  return content === null && refusal === null ? undefined : { content, refusal }
}

function tokens(value: unknown): readonly TokenLogprob[] | null {
  const objects = objectsOf(value)
  if (objects === undefined) return null
  return objects.map(token => ({
    ...one(token),
    top_logprobs: (objectsOf(token.top_logprobs) ?? []).map(one),
  }))
}

function one(token: Fields): { token: string; logprob: number; bytes: readonly number[] | null } {
  return {
    token: typeof token.token === 'string' ? token.token : '',
    logprob: typeof token.logprob === 'number' ? token.logprob : -9999,
    bytes: Array.isArray(token.bytes) ? token.bytes.filter(byte => typeof byte === 'number') : null,
  }
}

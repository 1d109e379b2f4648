import { expect } from 'vitest'
import { expectKeys } from './expect-keys.ts'

const token = ['token', 'logprob', 'bytes']

/** Holds log probabilities to the protocol (section 2). */
export function expectLogprobs(value: unknown): void {
  if (value === null) return
  expectKeys(value, ['content', 'refusal'])
  const { content, refusal } = value as Record<string, Record<string, unknown>[] | null>
  for (const list of [content, refusal]) {
    for (const entry of list ?? []) {
      expectKeys(entry, [...token, 'top_logprobs'])
      for (const one of [entry, ...(entry.top_logprobs as Record<string, unknown>[])]) {
        expect(one.token).toBeTypeOf('string')
        expect(one.logprob).toBeTypeOf('number')
        expect(one.bytes === null || Array.isArray(one.bytes)).toBe(true)
      }
      for (const one of entry.top_logprobs as object[]) expectKeys(one, token)
    }
  }
}

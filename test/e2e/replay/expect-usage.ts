import { expect } from 'vitest'
import { withoutProviderFields } from './expect-keys.ts'
import type { Counts } from './said.ts'

const top = [
  'prompt_tokens',
  'completion_tokens',
  'total_tokens',
  'prompt_tokens_details',
  'completion_tokens_details',
]
const promptDetails = ['cached_tokens', 'audio_tokens']
const completionDetails = [
  'reasoning_tokens',
  'audio_tokens',
  'accepted_prediction_tokens',
  'rejected_prediction_tokens',
]

/** Holds counts to the protocol (section 2): every key in its order, whole numbers, a right sum. Tells them. */
export function expectUsage(value: unknown): Counts {
  const usage = withoutProviderFields(value as Record<string, Record<string, number> & number>)
  expect(Object.keys(usage)).toEqual(top)
  const prompt = Object.keys(usage.prompt_tokens_details!)
  expect(prompt.filter(key => key !== 'cache_write_tokens')).toEqual(promptDetails)
  expect(Object.keys(usage.completion_tokens_details!)).toEqual(completionDetails)
  const counts = [
    usage.prompt_tokens,
    usage.completion_tokens,
    usage.total_tokens,
    ...Object.values(usage.prompt_tokens_details!),
    ...Object.values(usage.completion_tokens_details!),
  ]
  for (const count of counts) expect(Number.isSafeInteger(count) && Number(count) >= 0, `${count}`).toBe(true)
  expect(usage.total_tokens).toBe(Number(usage.prompt_tokens) + Number(usage.completion_tokens))
  return {
    prompt: usage.prompt_tokens!,
    completion: usage.completion_tokens!,
    cached: usage.prompt_tokens_details!.cached_tokens!,
    cacheWrite: usage.prompt_tokens_details!.cache_write_tokens ?? 0,
    reasoning: usage.completion_tokens_details!.reasoning_tokens!,
  }
}

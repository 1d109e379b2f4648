import type { ChatCompletion, Choice } from '@sluice/core/provider'
import type { RawExchange } from '@sluice/testing'
import { expect } from 'vitest'

/** The completion that an answer holds. */
export function completionOf(answer: RawExchange): ChatCompletion {
  expect(answer.status, answer.body).toBe(200)
  return answer.json as unknown as ChatCompletion
}

/** The completion's first choice. */
export function choiceOf(answer: RawExchange): Choice {
  return completionOf(answer).choices[0]!
}

import { type KeptAnswer, keptAnswerOf } from './kept-answer.ts'
import { parsedText } from './parsed-text.ts'

/** What is kept under an idempotency key. */
export interface KeyState {
  /** Of the request that came with the key. */
  readonly requestId: string
  /** The digest of its body. */
  readonly fingerprint: string
  /** `running`: it has not been answered yet. `gone`: it was, and the answer is too large to be kept. */
  readonly answer: KeptAnswer | 'running' | 'gone'
}

export function keyStateText(state: KeyState): string {
  return JSON.stringify(state)
}

/** What a store's text says; `undefined` for what is no such state. */
export function keyStateOf(text: unknown): KeyState | undefined {
  const value = parsedText(text)
  if (typeof value !== 'object' || value === null) return undefined
  const { requestId, fingerprint, answer } = value as Partial<Record<keyof KeyState, unknown>>
  if (typeof requestId !== 'string' || typeof fingerprint !== 'string') return undefined
  const known = answer === 'running' || answer === 'gone' ? answer : keptAnswerOf(answer)
  return known && { requestId, fingerprint, answer: known }
}

import type { AnswerStore } from '../contracts/answer-store.ts'
import { ownMembers } from '../primitives/own-members.ts'
import { aStore, checkOptions, defaultMaxBytes, milliseconds, wholeBytes } from './answer-options.ts'
import { memoryAnswers } from './memory-answers.ts'
import type { Idempotency } from './repeated.ts'

export interface IdempotencyOptions {
  /** Where answers are kept. Default: `memoryAnswers()`, in this process. */
  readonly store?: AnswerStore
  /** How long an answer is kept, in milliseconds. Default 86,400,000 (24 hours). */
  readonly ttlMs?: number
  /** How many bytes the text of an answer may have; of a larger one only its id is kept. Default 1,048,576 (1 MiB). */
  readonly maxBytes?: number
  /**
   * While the store does not answer: `closed` (default) refuses requests with a key by 503, `open` answers them as
   * without one.
   */
  readonly onStoreFailure?: 'closed' | 'open'
}

/**
 * Answers a request with an `Idempotency-Key` once: the same one with the same key gets the same answer, for as long as
 * it is kept. Throws `TypeError` naming every option that it cannot use.
 */
export function idempotency(given: IdempotencyOptions = {}): Idempotency {
  const options = ownMembers(given)
  const { ttlMs = 86_400_000, maxBytes = defaultMaxBytes, onStoreFailure = 'closed' } = options
  checkOptions('idempotency', { ...options, ttlMs }, checks)
  return { store: options.store ?? memoryAnswers(), ttlMs, maxBytes, onStoreFailure }
}

const checks = {
  store: aStore,
  ttlMs: milliseconds,
  maxBytes: wholeBytes,
  onStoreFailure: (value: unknown) =>
    value === 'closed' || value === 'open' ? undefined : "'closed' or 'open'",
}

import type { Operation } from '../contracts/outline.ts'

/** All operations, in the order in which errors name them. */
export const allOperations: readonly Operation[] = [
  'generate',
  'embed',
  'countTokens',
  'rerank',
  'moderate',
  'complete',
]

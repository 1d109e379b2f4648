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

/** Returns whether an operation generates text, which is billed apart from the prompt. */
export function generates(operation: Operation): boolean {
  return operation === 'generate' || operation === 'complete'
}

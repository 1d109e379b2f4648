import type { Fields } from '../wire/json-value.ts'

/** A content block of a stream that has begun and not ended. What its kind does not need stays empty. */
export interface OpenBlock {
  /** `answer`: a call whose input is the answer. `ignored`: tools that the vendor runs, and whatever is not known. */
  readonly kind: 'text' | 'thinking' | 'call' | 'answer' | 'ignored'
  /** Where its text begins in the answer's, in UTF-16 code units. */
  readonly start: number
  /** How many calls the answer has before it. */
  readonly call: number
  /** Input that came with its start: some servers send no pieces. */
  readonly input: unknown
  hasInput: boolean
  thinking: string
  signature: string
  citations: Fields[] | undefined
}

/** A block as it begins. */
export function openBlock(kind: OpenBlock['kind'], start: number, call: number, input: unknown): OpenBlock {
  return { kind, start, call, input, hasInput: false, thinking: '', signature: '', citations: undefined }
}

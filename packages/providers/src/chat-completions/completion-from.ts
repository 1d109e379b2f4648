import type { PartialCompletion } from '@sluice/core'
import { jsonOf } from '../wire/json-of.ts'
import { wholeCompletion } from '../wire/whole-completion.ts'
import { partialCompletion } from './partial-completion.ts'

/** A completion from its JSON text. Throws `UpstreamError` for anything else. */
export function completionFrom(text: string): PartialCompletion {
  return wholeCompletion(text, jsonOf, partialCompletion)
}

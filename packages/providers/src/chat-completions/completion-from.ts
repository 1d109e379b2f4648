import type { PartialCompletion } from '@sluice/core'
import { garbled, upstreamFailure } from './garbled.ts'
import { partialCompletion } from './partial-completion.ts'

/** A completion from its JSON text. Throws `UpstreamError` for anything else. */
export function completionFrom(text: string): PartialCompletion {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch (cause) {
    throw garbled(text.trim() === '' ? 'an empty body' : 'a body that is no JSON', cause)
  }
  try {
    return partialCompletion(value)
  } catch (error) {
    throw upstreamFailure(error)
  }
}

import { type PartialCompletion, UpstreamError } from '@sluice/core'
import { garbled, upstreamFailure } from '../wire/garbled.ts'
import { jsonOf } from '../wire/json-of.ts'
import { partialCompletion } from './partial-completion.ts'

/** A completion from its JSON text. Throws `UpstreamError` for anything else. */
export function completionFrom(text: string): PartialCompletion {
  let value: unknown
  try {
    value = jsonOf(text)
  } catch (cause) {
    if (UpstreamError.is(cause)) throw cause
    throw garbled(text.trim() === '' ? 'an empty body' : 'a body that is no JSON', cause)
  }
  try {
    return partialCompletion(value)
  } catch (error) {
    throw upstreamFailure(error)
  }
}

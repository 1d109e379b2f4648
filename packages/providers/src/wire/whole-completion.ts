import { type PartialChunk, type PartialCompletion, UpstreamError } from '@sluice/core/provider'
import { garbled, upstreamFailure } from './garbled.ts'

/**
 * A completion from the JSON text of a body, by a vendor's own reader. Throws `UpstreamError`: what the reader
 * throws, or of kind `garbled`.
 *
 * @param parse - reads the JSON: `jsonOf`, or `exactJsonOf` where numbers become text again.
 */
export function wholeCompletion(
  text: string,
  parse: (text: string) => unknown,
  read: (value: unknown) => PartialCompletion,
): PartialCompletion {
  let value: unknown
  try {
    value = parse(text)
  } catch (cause) {
    if (UpstreamError.is(cause)) throw cause
    throw garbled(text.trim() === '' ? 'an empty body' : 'a body that is no JSON', cause)
  }
  try {
    return read(value)
  } catch (error) {
    throw upstreamFailure(error)
  }
}

/** A whole answer where a stream was asked for, as its only chunk. */
export function asChunk({ choices, ...rest }: PartialCompletion): PartialChunk {
  return { ...rest, choices: choices.map(({ message, ...choice }) => ({ ...choice, delta: message })) }
}

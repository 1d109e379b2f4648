import { type PartialChunk, type PartialCompletion, UpstreamError } from '@sluice/core/provider'
import { garbledResponse, toUpstreamError } from './garbled-response.ts'

/**
 * Parses a completion from a JSON body with a vendor's reader. Throws `UpstreamError`: the reader's, or of kind
 * `garbled`.
 *
 * @param parse - parses the JSON: `parseJson`, or `parseExactJson` to keep numbers exact.
 */
export function parseCompletion(
  text: string,
  parse: (text: string) => unknown,
  read: (value: unknown) => PartialCompletion,
): PartialCompletion {
  let value: unknown
  try {
    value = parse(text)
  } catch (cause) {
    if (UpstreamError.is(cause)) throw cause
    throw garbledResponse(text.trim() === '' ? 'an empty body' : 'a body that is no JSON', cause)
  }
  try {
    return read(value)
  } catch (error) {
    throw toUpstreamError(error)
  }
}

/** Converts a non-streaming response to a stream's only chunk. */
export function toChunk({ choices, ...rest }: PartialCompletion): PartialChunk {
  return { ...rest, choices: choices.map(({ message, ...choice }) => ({ ...choice, delta: message })) }
}

import {
  type FinishReason,
  foldChunks,
  type PartialChunk,
  type PartialCompletion,
  type PartialMessage,
  type ProviderSpecificFields,
  type Reply,
  UpstreamError,
} from '@sluice/core/provider'
import { garbledResponse, toUpstreamError } from './garbled-response.ts'

/**
 * Parses a completion, or its chunks, from a JSON body with a vendor's reader. Throws `UpstreamError`: the reader's, or of kind
 * `garbled`.
 *
 * @param parse - parses the JSON: `parseJson`, or `parseExactJson` to keep numbers exact.
 */
export function parseCompletion<Completion>(
  text: string,
  parse: (text: string) => unknown,
  read: (value: unknown) => Completion,
): Completion {
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

/** Returns a reply with a complete answer, of which the chunks are in the order in which it was generated. */
export function orderedReply(
  ordered: readonly PartialChunk[],
): Extract<Reply, { readonly kind: 'completion' }> {
  return { kind: 'completion', completion: foldChunks(ordered), ordered }
}

/**
 * Returns an answer with one choice as chunks.
 *
 * @param deltas - what each of its parts adds.
 * @param rest - what is complete only at its end: it is in the last delta.
 * @param origin - what belongs to all of the answer.
 * @param fields - what the vendor adds to the choice.
 */
export function answerChunks(
  deltas: readonly PartialMessage[],
  rest: PartialMessage,
  finish_reason: FinishReason | null,
  origin: Omit<PartialChunk, 'choices'>,
  fields?: ProviderSpecificFields,
): readonly PartialChunk[] {
  const last = {
    index: 0,
    delta: { ...deltas.at(-1), ...rest },
    finish_reason,
    ...(fields && { provider_specific_fields: fields }),
  }
  const chunks: PartialChunk[] = deltas.slice(0, -1).map(delta => ({ choices: [{ index: 0, delta }] }))
  chunks.push({ choices: [last], ...origin })
  return chunks
}

/** Converts a non-streaming response to a stream's only chunk. */
export function toChunk({ choices, ...rest }: PartialCompletion): PartialChunk {
  return { ...rest, choices: choices.map(({ message, ...choice }) => ({ ...choice, delta: message })) }
}

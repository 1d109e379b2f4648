import type { EmbedCall, EmbeddingVector, EmbedReply, UpstreamResponse } from '@sluice/core/provider'
import { UpstreamError } from '@sluice/core/provider'
import { checkResponseHead } from '../wire/garbled-response.ts'
import { countOf } from '../wire/json-value.ts'
import { errorInBody, parseErrorResponse } from '../wire/upstream-error-response.ts'
import { wallClock } from '../wire/wall-clock.ts'
import { type EmbeddingsBody, garbledEmbeddings, parseEmbeddings } from './read-vectors.ts'

/** How a vendor answers a request for embeddings. */
export interface EmbeddingsReader {
  /** Reads an answer. Throws `UpstreamError` of kind `garbled` for what is none. */
  readonly read: (body: EmbeddingsBody, call: EmbedCall, response: UpstreamResponse) => EmbedReply
  /** Reads an error response. Default: that of any vendor. */
  readonly parseError?: typeof parseErrorResponse
  /** Whether `dimensions` of the request was sent, so that the vectors must have this length. */
  readonly sendsDimensions: (call: EmbedCall) => boolean
}

/**
 * Decodes a response to a request for embeddings. Rejects with `UpstreamError`: `refused` for an error response, also with status
 * 200; `garbled` for anything but one vector for each input.
 */
export async function decodeEmbeddings(
  response: UpstreamResponse,
  call: EmbedCall,
  { read, parseError = parseErrorResponse, sendsDimensions }: EmbeddingsReader,
): Promise<EmbedReply> {
  const { status } = response
  if (status < 200 || status > 299) throw await parseError(response, wallClock)
  checkResponseHead(response)
  const { dimensions } = call.request
  const body = parseEmbeddings(await response.text(), sendsDimensions(call) ? dimensions : undefined)
  try {
    return read(body, call, response)
  } catch (cause) {
    const refusal = errorInBody(body.value)
    if (refusal !== undefined) throw refusal
    throw UpstreamError.is(cause) ? cause : garbledEmbeddings('something that cannot be read', cause)
  }
}

/** Returns a reply. An input is never empty, so 0 tokens mean that the vendor did not count them. */
export function embedReply(
  vectors: readonly EmbeddingVector[],
  promptTokens: unknown,
  model?: string | undefined,
): EmbedReply {
  const count = countOf(promptTokens)
  return {
    vectors,
    ...(model === undefined ? {} : { model }),
    ...(count === undefined || count === 0 ? {} : { promptTokens: count }),
  }
}

import type { NativeCall, Reply, UpstreamResponse } from '@sluice/core/provider'
import { parseExactJson } from '../wire/exact-json.ts'
import { checkResponseHead } from '../wire/garbled-response.ts'
import { withNativeError } from '../wire/native-error.ts'
import { orderedReply, parseCompletion } from '../wire/parse-completion.ts'
import { parseErrorResponse } from '../wire/upstream-error-response.ts'
import { wallClock } from '../wire/wall-clock.ts'
import { responseChunks, responseStream } from './decode.ts'

/**
 * Reads an answer of the Responses API to a caller who speaks it, with the vendor's own text.
 *
 * Throws `UpstreamError`: `refused` for an error, also under status 200; `garbled` for what is no response; `truncated` for a
 * stream that ends before its last event (from the stream, as it is read).
 */
export async function decodeNativeResponses(
  response: UpstreamResponse,
  call: NativeCall,
  now: () => number = wallClock,
): Promise<Reply> {
  const { status } = response
  if (status < 200 || status > 299) {
    throw await withNativeError(response, call, answer => parseErrorResponse(answer, now), 'responses')
  }
  checkResponseHead(response)
  if (call.request.stream) return { kind: 'stream', chunks: responseStream(response.body, true) }
  const text = await response.text()
  return { ...orderedReply(parseCompletion(text, parseExactJson, responseChunks)), native: text }
}

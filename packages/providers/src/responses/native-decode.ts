import {
  type ChunkBatch,
  decodeSse,
  type NativeCall,
  type PartialChunk,
  type Reply,
  type UpstreamResponse,
} from '@sluice/core/provider'
import { eventChunks } from '../wire/event-chunks.ts'
import { parseExactJson } from '../wire/exact-json.ts'
import { checkResponseHead, garbledResponse } from '../wire/garbled-response.ts'
import { isFields } from '../wire/json-value.ts'
import { withNativeError } from '../wire/native-error.ts'
import { orderedReply, parseCompletion } from '../wire/parse-completion.ts'
import { PeekedBody } from '../wire/peeked-body.ts'
import { parseErrorResponse } from '../wire/upstream-error-response.ts'
import { wallClock } from '../wire/wall-clock.ts'
import { responseError } from './errors.ts'
import { ResponseEvents } from './response-events.ts'

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
  if (call.request.stream) return { kind: 'stream', chunks: responseStream(response.body) }
  const text = await response.text()
  return { ...orderedReply(parseCompletion(text, parseExactJson, responseChunks)), native: text }
}

async function* responseStream(body: AsyncIterable<Uint8Array>): AsyncGenerator<ChunkBatch, void> {
  const source = new PeekedBody(body)
  if (await source.beginsAsJson()) {
    parseCompletion(await source.text(), parseExactJson, responseChunks)
    throw garbledResponse('a body in place of a stream')
  }
  const events = decodeSse(source, { bareJson: true })
  yield* eventChunks(events, new ResponseEvents(), () => source.ended, true)
}

/** Converts a response that has ended to chunks, item by item. Throws `UpstreamError`. */
export function responseChunks(value: unknown): readonly PartialChunk[] {
  if (!isFields(value)) throw garbledResponse('a body that is no object')
  if (value.status === 'failed' || isFields(value.error)) throw responseError(value)
  if (!Array.isArray(value.output)) throw garbledResponse('a body without output')
  if (value.status === 'queued' || value.status === 'in_progress')
    throw garbledResponse('a response that has not ended')
  const events = new ResponseEvents()
  const chunks: PartialChunk[] = []
  for (const [index, item] of value.output.filter(isFields).entries()) events.addItem(item, index, chunks)
  events.finish(value, chunks)
  return chunks
}

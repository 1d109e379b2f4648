import {
  type Call,
  type ChunkBatch,
  decodeSse,
  type PartialChunk,
  type Reply,
  type UpstreamResponse,
} from '@sluice/core/provider'
import { eventChunks } from '../wire/event-chunks.ts'
import { parseExactJson } from '../wire/exact-json.ts'
import { checkResponseHead, garbledResponse } from '../wire/garbled-response.ts'
import { isFields } from '../wire/json-value.ts'
import { orderedReply, parseCompletion } from '../wire/parse-completion.ts'
import { PeekedBody } from '../wire/peeked-body.ts'
import { parseErrorResponse } from '../wire/upstream-error-response.ts'
import { wallClock } from '../wire/wall-clock.ts'
import { responseError } from './errors.ts'
import { ResponseEvents } from './response-events.ts'

/**
 * Decodes an answer of the Responses API to a translated request.
 *
 * Throws `UpstreamError`: `refused` for an error, also under status 200; `garbled` for what is no response; `truncated` for a
 * stream that ends before its last event (from the stream, as it is read).
 */
export async function decodeResponses(
  response: UpstreamResponse,
  call: Call,
  now: () => number = wallClock,
): Promise<Reply> {
  const { status } = response
  if (status < 200 || status > 299) throw await parseErrorResponse(response, now)
  checkResponseHead(response)
  if (call.input.stream === true) return { kind: 'stream', chunks: responseStream(response.body, false) }
  return orderedReply(parseCompletion(await response.text(), parseExactJson, responseChunks))
}

/**
 * Reads a streamed response; a server that does not stream sends it whole. Throws what `decodeResponses` throws.
 *
 * @param native - whether to return the vendor's events, too.
 */
export async function* responseStream(
  body: AsyncIterable<Uint8Array>,
  native: boolean,
): AsyncGenerator<ChunkBatch, void> {
  const source = new PeekedBody(body)
  if (await source.beginsAsJson()) {
    const chunks = parseCompletion(await source.text(), parseExactJson, responseChunks)
    if (native) throw garbledResponse('a body in place of a stream')
    yield chunks
    return
  }
  const events = decodeSse(source, { bareJson: true })
  yield* eventChunks(events, new ResponseEvents(), () => source.ended, native)
}

/** What a response is before its end, and after one that nobody asked for. */
const unfinished: ReadonlySet<unknown> = new Set(['queued', 'in_progress', 'cancelled'])

/** Converts a response that has ended to chunks, item by item. Throws `UpstreamError`. */
export function responseChunks(value: unknown): readonly PartialChunk[] {
  if (!isFields(value)) throw garbledResponse('a body that is no object')
  if (value.status === 'failed' || isFields(value.error)) throw responseError(value)
  if (!Array.isArray(value.output)) throw garbledResponse('a body without output')
  if (unfinished.has(value.status)) throw garbledResponse('a response that has not ended')
  const events = new ResponseEvents()
  const chunks: PartialChunk[] = []
  for (const [index, item] of value.output.filter(isFields).entries()) events.addItem(item, index, chunks)
  events.finish(value, chunks)
  return chunks
}

import type { Call, PartialChunk, Reply, UpstreamResponse } from '@sluice/core/provider'
import { eventChunks } from '../wire/event-chunks.ts'
import { parseExactJson } from '../wire/exact-json.ts'
import { checkResponseHead } from '../wire/garbled-response.ts'
import { orderedReply, parseCompletion } from '../wire/parse-completion.ts'
import { PeekedBody } from '../wire/peeked-body.ts'
import { wallClock } from '../wire/wall-clock.ts'
import { converseChunks } from './converse-chunks.ts'
import { ConverseEvents } from './converse-events.ts'
import { parseBedrockError } from './errors.ts'
import { decodeEventStream } from './event-stream.ts'

/**
 * Reads an answer of Converse, or of ConverseStream, as `call` asked for it.
 *
 * Throws `UpstreamError`: `refused` for an error answer, also one under status 200 or within a stream; `garbled`
 * for what is no answer; `truncated` for a stream that ends before its end mark (the last ones from the stream, as
 * it is read). `now` gives milliseconds since 1970, for a `retry-after` that is a date.
 */
export async function decodeConverse(
  response: UpstreamResponse,
  call: Call,
  now: () => number = wallClock,
): Promise<Reply> {
  if (response.status < 200 || response.status > 299) throw await parseBedrockError(response, now)
  checkResponseHead(response)
  if (call.input.stream === true) return { kind: 'stream', chunks: chunksOf(response.body, call) }
  return orderedReply(chunksIn(await response.text(), call))
}

async function* chunksOf(
  body: UpstreamResponse['body'],
  call: Call,
): AsyncGenerator<readonly PartialChunk[], void> {
  const source = new PeekedBody(body)
  // A length of four bytes begins no JSON. What does is an error, or an answer in one piece.
  if (await source.beginsAsJson()) {
    yield chunksIn(await source.text(), call)
    return
  }
  yield* eventChunks(decodeEventStream(source), new ConverseEvents(call), () => false)
}

function chunksIn(text: string, call: Call): readonly PartialChunk[] {
  return parseCompletion(text, parseExactJson, value => converseChunks(value, call))
}

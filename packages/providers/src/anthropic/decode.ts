import {
  type Call,
  decodeSse,
  type PartialChunk,
  type Reply,
  type UpstreamResponse,
} from '@sluice/core/provider'
import { eventChunks } from '../wire/event-chunks.ts'
import { parseExactJson } from '../wire/exact-json.ts'
import { checkResponseHead } from '../wire/garbled-response.ts'
import { orderedReply, parseCompletion } from '../wire/parse-completion.ts'
import { PeekedBody } from '../wire/peeked-body.ts'
import { wallClock } from '../wire/wall-clock.ts'
import { answerToolName } from './answer-format.ts'
import { parseMessagesError } from './errors.ts'
import { messageChunks } from './message-chunks.ts'
import { MessageEvents } from './message-events.ts'

/**
 * Reads an answer of the Messages API, whole or streamed, as `call` asked for it.
 *
 * Throws `UpstreamError`: `refused` for an error answer, also one under status 200; `garbled` for what is no
 * message; `truncated` for a stream that ends before its end mark (from the stream, as it is read).
 * `now` gives milliseconds since 1970, for a `retry-after` that is a date.
 */
export async function decodeMessages(
  response: UpstreamResponse,
  call: Call,
  now: () => number = wallClock,
): Promise<Reply> {
  const { status } = response
  if (status < 200 || status > 299) throw await parseMessagesError(response, now)
  checkResponseHead(response)
  const answerTool = answerToolName(call)
  if (call.input.stream === true) return { kind: 'stream', chunks: messageStream(response.body, answerTool) }
  return orderedReply(chunksFrom(await response.text(), answerTool))
}

async function* messageStream(
  body: AsyncIterable<Uint8Array>,
  answerTool: string | undefined,
): AsyncGenerator<readonly PartialChunk[], void> {
  const source = new PeekedBody(body)
  // Servers that cannot stream answer with the whole message.
  if (await source.beginsAsJson()) yield chunksFrom(await source.text(), answerTool)
  else
    yield* eventChunks(
      decodeSse(source, { bareJson: true }),
      new MessageEvents(answerTool),
      () => source.ended,
    )
}

function chunksFrom(text: string, answerTool: string | undefined): readonly PartialChunk[] {
  return parseCompletion(text, parseExactJson, value => messageChunks(value, answerTool))
}

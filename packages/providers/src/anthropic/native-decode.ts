import {
  type ChunkBatch,
  decodeSse,
  type NativeCall,
  type Reply,
  type UpstreamError,
  type UpstreamResponse,
} from '@sluice/core/provider'
import { eventChunks } from '../wire/event-chunks.ts'
import { parseExactJson } from '../wire/exact-json.ts'
import { checkResponseHead } from '../wire/garbled-response.ts'
import { withNativeError } from '../wire/native-error.ts'
import { orderedReply, parseCompletion } from '../wire/parse-completion.ts'
import { PeekedBody } from '../wire/peeked-body.ts'
import { wallClock } from '../wire/wall-clock.ts'
import { parseMessagesError } from './errors.ts'
import { messageAsEvents } from './message-as-events.ts'
import { messageChunks } from './message-chunks.ts'
import { MessageEvents } from './message-events.ts'

/** Parses an error response of a host. Never rejects. */
export type ErrorParser = (response: UpstreamResponse, now: () => number) => Promise<UpstreamError>

/**
 * Reads an answer of the Messages API to a caller who speaks it: as `decodeMessages` does, with the vendor's own text.
 *
 * Throws what `decodeMessages` throws. An error response in the shape of the API is its `native`.
 */
export async function decodeNativeMessages(
  response: UpstreamResponse,
  call: NativeCall,
  parseError: ErrorParser = parseMessagesError,
  now: () => number = wallClock,
): Promise<Reply> {
  await checkNativeHead(response, call, parseError, now)
  if (call.request.stream) return { kind: 'stream', chunks: messageStream(response.body) }
  return nativeMessage(await response.text())
}

/** Throws for an error response, and for one that can be no message. */
export async function checkNativeHead(
  response: UpstreamResponse,
  call: NativeCall,
  parseError: ErrorParser,
  now: () => number,
): Promise<void> {
  const { status } = response
  if (status < 200 || status > 299) {
    throw await withNativeError(response, call, answer => parseError(answer, now))
  }
  checkResponseHead(response)
}

/** Reads a whole message. */
export function nativeMessage(text: string): Reply {
  const ordered = parseCompletion(text, parseExactJson, value => messageChunks(value, undefined))
  return { ...orderedReply(ordered), native: text }
}

/** Reads a whole message from a server that was asked for a stream and cannot stream: as the events of one read. */
export function nativeMessageBatch(text: string): ChunkBatch {
  const chunks = parseCompletion(text, parseExactJson, value => messageChunks(value, undefined))
  return Object.assign([...chunks], { native: messageAsEvents(text) })
}

async function* messageStream(body: AsyncIterable<Uint8Array>): AsyncGenerator<ChunkBatch, void> {
  const source = new PeekedBody(body)
  if (await source.beginsAsJson()) yield nativeMessageBatch(await source.text())
  else {
    const events = decodeSse(source, { bareJson: true })
    yield* eventChunks(events, new MessageEvents(undefined), () => source.ended, true)
  }
}

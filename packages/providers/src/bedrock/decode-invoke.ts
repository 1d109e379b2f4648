import type {
  ChunkBatch,
  NativeCall,
  PartialChunk,
  Reply,
  SseEvent,
  UpstreamResponse,
} from '@sluice/core/provider'
import { MessageEvents } from '../anthropic/message-events.ts'
import { checkNativeHead, nativeMessage, nativeMessageBatch } from '../anthropic/native-decode.ts'
import { type EventReader, eventChunks, type Progress } from '../wire/event-chunks.ts'
import { garbledResponse } from '../wire/garbled-response.ts'
import { type Fields, isFields } from '../wire/json-value.ts'
import { parseJson } from '../wire/parse-json.ts'
import { PeekedBody } from '../wire/peeked-body.ts'
import { wallClock } from '../wire/wall-clock.ts'
import { bedrockException, parseBedrockError } from './errors.ts'
import { decodeEventStream } from './event-stream.ts'

/**
 * Reads an answer of InvokeModel, or of InvokeModelWithResponseStream, by a Claude model, with its own text. Throws what
 * `decodeConverse` throws.
 */
export async function decodeInvoke(
  response: UpstreamResponse,
  call: NativeCall,
  now: () => number = wallClock,
): Promise<Reply> {
  await checkNativeHead(response, call, parseBedrockError, now)
  if (call.request.stream) return { kind: 'stream', chunks: invokedStream(response.body) }
  return nativeMessage(await response.text())
}

async function* invokedStream(body: UpstreamResponse['body']): AsyncGenerator<ChunkBatch, void> {
  const source = new PeekedBody(body)
  // As in `decodeConverse`.
  if (await source.beginsAsJson()) yield nativeMessageBatch(await source.text())
  else yield* eventChunks(messageEvents(decodeEventStream(source)), new InvokedEvents(), () => false, true)
}

/** Takes the events of the model out of the events of Bedrock: `{"bytes":"..."}`, in base64. */
async function* messageEvents(
  batches: AsyncIterable<readonly SseEvent[]>,
): AsyncGenerator<readonly SseEvent[], void> {
  for await (const batch of batches) {
    const events: SseEvent[] = []
    let failure: unknown
    try {
      for (const event of batch) {
        if (event.event === 'chunk') events.push({ event: 'message', data: payloadOf(event.data) })
        else if (isFailure(event.event)) events.push(event)
      }
    } catch (error) {
      failure = error
    }
    if (events.length > 0) yield events
    if (failure !== undefined) throw failure
  }
}

const utf8 = /* @__PURE__ */ new TextDecoder('utf-8', { fatal: true })

function payloadOf(data: string): string {
  try {
    const value = parseJson(data)
    if (isFields(value) && typeof value.bytes === 'string') {
      const bytes = Uint8Array.from(atob(value.bytes), character => character.charCodeAt(0))
      return utf8.decode(bytes)
    }
  } catch (cause) {
    throw garbledResponse('a chunk that cannot be read', cause)
  }
  throw garbledResponse('a chunk that holds nothing')
}

function isFailure(event: string): boolean {
  return event.startsWith('exception:') || event.startsWith('error:')
}

/** The events of a message, between which Bedrock may fail. */
class InvokedEvents implements EventReader {
  readonly #message = new MessageEvents(undefined)

  get progress(): Progress {
    return this.#message.progress
  }

  read(value: Fields, event: string, chunks: PartialChunk[]): void {
    if (isFailure(event)) throw bedrockException(event.slice(event.indexOf(':') + 1), value)
    this.#message.read(value, event, chunks)
  }
}

import {
  type ChunkBatch,
  type NativeEvent,
  type PartialChunk,
  type SseEvent,
  UpstreamError,
} from '@sluice/core/provider'
import { garbledResponse, toUpstreamError } from './garbled-response.ts'
import { type Fields, isFields, textOf } from './json-value.ts'
import { parseJson } from './parse-json.ts'

/**
 * How far a streamed answer has come. It only moves on: `open` to `whole` to `ended`, or from `open` to either.
 *
 * - `open`: what ends the vendor's answers has not come. A body that ends here was cut off.
 * - `whole`: it has come; what may still follow counts tokens, or is an end mark that not everybody sends.
 * - `ended`: the last that the vendor says has come. Nothing more is read.
 */
export type Progress = 'open' | 'whole' | 'ended'

/** Converts one vendor's events to chunks, and knows where its response ends. */
export interface EventReader {
  /**
   * Appends the chunks of an event; ignores unknown events. Throws `UpstreamError` for an error within the stream, and
   * for an invalid event.
   */
  read(value: Fields, event: string, chunks: PartialChunk[]): void
  readonly progress: Progress
}

/**
 * Reads events whose data is JSON as a streamed answer: one array per read that added something.
 *
 * Throws `UpstreamError`: what the reader throws, `garbled` for an event that is no JSON object, `truncated`
 * where the body ends before the answer is whole. What came before it is delivered first.
 *
 * @param bodyEnded - whether the body has ended: an event that it left in the middle is a cut, not garbage.
 * @param native - whether to return the events too: each that the reader accepts, once and in order. A read may then give no
 * chunk. Events without data, which keep connections alive, are left out.
 */
export async function* eventChunks(
  events: AsyncIterable<readonly SseEvent[]>,
  reader: EventReader,
  bodyEnded: () => boolean,
  native = false,
): AsyncGenerator<ChunkBatch, void> {
  let ended = false
  for await (const batch of events) {
    const chunks: PartialChunk[] = []
    const passed: NativeEvent[] | undefined = native ? [] : undefined
    let failure: unknown
    try {
      for (const { event, data } of batch) {
        // A keep-alive in the form of an event.
        if (data.trim() === '') continue
        ended = isForeignEnd(data)
        if (!ended) {
          const value = parseEvent(data, bodyEnded)
          reader.read(value, event, chunks)
          passed?.push(nativeEvent(value, event, data))
        }
        if (ended || reader.progress === 'ended') break
      }
    } catch (error) {
      failure = toUpstreamError(error)
    }
    if (passed !== undefined && passed.length > 0) yield Object.assign(chunks, { native: passed })
    else if (chunks.length > 0) yield chunks
    if (failure !== undefined) throw failure
    if (reader.progress === 'ended') return
    if (ended) break
  }
  if (reader.progress === 'open') throw truncated()
}

/**
 * Returns an event as it came. Servers that send no names repeat them in the data. Line breaks between the tokens of the data
 * become spaces, because a field of an event is one line.
 */
function nativeEvent(value: Fields, event: string, data: string): NativeEvent {
  const line = data.includes('\n') ? data.replaceAll('\n', ' ') : data
  if (event !== 'message') return { event, data: line }
  const type = textOf(value.type)
  return type !== undefined && /^[\w.-]{1,64}$/.test(type) ? { event: type, data: line } : { data: line }
}

/** Creates the error for a stream that ends before its response is complete. */
export function truncated(): UpstreamError {
  return new UpstreamError("The upstream's stream ended before its answer was complete.", {
    kind: 'truncated',
  })
}

/** The end mark of the chat-completions protocol, which proxies add to streams of other protocols. */
function isForeignEnd(data: string): boolean {
  return data.length < 16 && data.trim() === '[DONE]'
}

function parseEvent(data: string, bodyEnded: () => boolean): Fields {
  let value: unknown
  try {
    value = parseJson(data)
  } catch (cause) {
    if (UpstreamError.is(cause)) throw cause
    throw bodyEnded() ? truncated() : garbledResponse('an event that is no JSON', cause)
  }
  // Google may wrap an error in a list.
  const only: unknown = Array.isArray(value) && value.length === 1 ? value[0] : value
  if (isFields(only)) return only
  throw garbledResponse('an event that is no object')
}

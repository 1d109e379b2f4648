import type { SseEvent } from '@sluice/core/provider'
import { truncated } from '../wire/event-chunks.ts'
import { FrameReader } from './frame-reader.ts'

/**
 * Reads `application/vnd.amazon.eventstream` from bytes: one array per read that completed a message, never an
 * empty one. A message's name is its `:event-type`; of an exception `exception:` and its type; of an error
 * `error:` and its code, with `{"message": ...}` as data. Where a message has no payload, its data is `{}`. Messages
 * of other kinds are left out.
 *
 * Throws `UpstreamError`, after the messages before it have been delivered: `garbled` for a frame whose
 * checksum, length or headers are wrong, `truncated` where the body ends within a frame. When the consumer
 * stops, the body's iterator is returned.
 */
export async function* decodeEventStream(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly SseEvent[], void, undefined> {
  const frames = new FrameReader()
  for await (const bytes of body) {
    const events: SseEvent[] = []
    let failure: unknown
    try {
      frames.push(bytes, events)
    } catch (error) {
      failure = error
    }
    if (events.length > 0) yield events
    if (failure !== undefined) throw failure
  }
  if (frames.within) throw truncated()
}

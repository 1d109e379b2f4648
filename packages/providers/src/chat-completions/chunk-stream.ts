import { decodeSse, type PartialChunk, UpstreamError } from '@sluice/core'
import { truncated } from '../wire/event-chunks.ts'
import { garbled, upstreamFailure } from '../wire/garbled.ts'
import { jsonOf } from '../wire/json-of.ts'
import { PeekedBody } from '../wire/peeked-body.ts'
import { asChunk } from '../wire/whole-completion.ts'
import { ChunkReader } from './chunk-reader.ts'
import { completionFrom } from './completion-from.ts'

/**
 * Reads a streamed completion: one array per read that added something. It ends at `[DONE]`, or where the body ends
 * cleanly after each choice that was asked for, or more, had its reason to end.
 *
 * Throws `UpstreamError`: `refused` for an error in the stream, `truncated` for an early end, `garbled` for
 * what is no chunk. What came before it is delivered first. A body that is one JSON completion is taken too.
 *
 * @param asked - how many choices (`n`).
 */
export async function* chunkStream(
  body: AsyncIterable<Uint8Array>,
  asked: number,
): AsyncGenerator<readonly PartialChunk[], void> {
  const source = new PeekedBody(body)
  if (await source.beginsAsJson()) {
    yield [asChunk(completionFrom(await source.text()))]
    return
  }
  const reader = new ChunkReader(asked)
  for await (const events of decodeSse(source)) {
    const chunks: PartialChunk[] = []
    let failure: unknown
    try {
      for (const { event, data } of events) {
        if (data.startsWith('[DONE]')) {
          reader.end()
          break
        }
        const value = eventValue(event, data, source)
        if (value === undefined) continue
        const chunk = reader.read(value, event)
        if (chunk !== undefined) chunks.push(chunk)
        if (reader.failure !== undefined) throw reader.failure
      }
    } catch (error) {
      failure = upstreamFailure(error)
    }
    if (chunks.length > 0) yield chunks
    if (failure !== undefined) throw failure
    if (reader.progress === 'ended') return
  }
  if (reader.progress === 'open') throw truncated()
}

function eventValue(event: string, data: string, source: PeekedBody): unknown {
  // A keep-alive in the form of an event.
  if (data.trim() === '') return undefined
  try {
    return jsonOf(data)
  } catch (cause) {
    if (UpstreamError.is(cause)) throw cause
    if (event === 'error') return { error: data }
    if (event !== 'message') return undefined
    // The piece of an event that a cut left behind.
    if (source.ended) return undefined
    throw garbled('an event that is no JSON', cause)
  }
}

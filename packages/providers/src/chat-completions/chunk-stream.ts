import { decodeSse, type PartialChunk, type PartialCompletion, UpstreamError } from '@sluice/core'
import { ChunkReader } from './chunk-reader.ts'
import { completionFrom } from './completion-from.ts'
import { garbled, upstreamFailure } from './garbled.ts'
import { PeekedBody } from './peeked-body.ts'
import { refusalWithin } from './upstream-refusal.ts'

/**
 * Reads a streamed completion: one array per read that added something. It is complete at `[DONE]`, or
 * where the body ends cleanly after every choice that was seen had its reason to end.
 *
 * Throws `UpstreamError`: `refused` for an error in the stream, `truncated` for an early end, `garbled` for
 * what is no chunk. What came before it is delivered first. A body that is one JSON completion is taken too.
 */
export async function* chunkStream(
  body: AsyncIterable<Uint8Array>,
): AsyncGenerator<readonly PartialChunk[], void> {
  const source = new PeekedBody(body)
  if (await source.beginsAsJson()) {
    yield [asChunk(completionFrom(await source.text()))]
    return
  }
  const reader = new ChunkReader()
  for await (const events of decodeSse(source)) {
    const chunks: PartialChunk[] = []
    let failure: unknown
    let done = false
    try {
      for (const { event, data } of events) {
        if (data.startsWith('[DONE]')) {
          done = true
          break
        }
        const value = jsonOf(event, data, source)
        if (value === undefined) continue
        if (event === 'error') throw errorEvent(value)
        const chunk = reader.read(value)
        if (chunk !== undefined) chunks.push(chunk)
      }
    } catch (error) {
      failure = upstreamFailure(error)
    }
    if (chunks.length > 0) yield chunks
    if (failure !== undefined) throw failure
    if (done) {
      if (reader.started) return
      throw truncated()
    }
  }
  if (!reader.finished) throw truncated()
}

function jsonOf(event: string, data: string, source: PeekedBody): unknown {
  // A keep-alive in the form of an event.
  if (data.trim() === '') return undefined
  try {
    return JSON.parse(data)
  } catch (cause) {
    if (event === 'error') return { error: data }
    if (event !== 'message') return undefined
    // The piece of an event that a cut left behind.
    if (source.ended) return undefined
    throw garbled('an event that is no JSON', cause)
  }
}

function errorEvent(value: unknown): UpstreamError {
  return (
    refusalWithin(value) ??
    new UpstreamError('The upstream ended its stream with an error.', { kind: 'refused', status: 500 })
  )
}

function asChunk({ choices, ...rest }: PartialCompletion): PartialChunk {
  return { ...rest, choices: choices.map(({ message, ...choice }) => ({ ...choice, delta: message })) }
}

function truncated(): UpstreamError {
  return new UpstreamError("The upstream's stream ended before its answer was complete.", {
    kind: 'truncated',
  })
}

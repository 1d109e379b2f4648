import { type ChunkBatch, decodeSse, type NativeEvent, type PartialChunk } from '@sluice/core/provider'
import { truncated } from '../wire/event-chunks.ts'
import { garbledResponse, toUpstreamError } from '../wire/garbled-response.ts'
import { parseJson } from '../wire/parse-json.ts'
import { PeekedBody } from '../wire/peeked-body.ts'
import { errorInBody } from '../wire/upstream-error-response.ts'
import { type ChoiceForm, readTextChunk } from './text-completion.ts'

/**
 * Reads a stream of text completions, with the vendor's events. It ends at `[DONE]`, or where the body ends cleanly after each choice
 * that was asked for had its reason to end.
 *
 * Throws `UpstreamError`: `refused` for an error in the stream, `truncated` for an early end, `garbled` for what is no chunk. What
 * came before it is delivered first.
 *
 * @param asked - how many choices.
 */
export async function* completionStream(
  body: AsyncIterable<Uint8Array>,
  asked: number,
  form: ChoiceForm,
): AsyncGenerator<ChunkBatch, void> {
  const source = new PeekedBody(body)
  if (await source.beginsAsJson()) throw unstreamedBody(await source.text())
  const finished = new Set<number>()
  for await (const events of decodeSse(source, { bareJson: true })) {
    const chunks: PartialChunk[] = []
    const native: NativeEvent[] = []
    let isDone = false
    let failure: unknown
    try {
      for (const { data } of events) {
        // A keep-alive in the form of an event.
        if (data.trim() === '') continue
        isDone = data.trim() === '[DONE]'
        if (isDone) break
        const read = readTextChunk(data, form)
        chunks.push(read.chunk)
        native.push({ data: read.native })
        for (const { index, finish_reason } of read.chunk.choices) if (finish_reason) finished.add(index)
      }
    } catch (error) {
      // An event that the end of the body left in the middle is a cut.
      failure = source.ended ? truncated() : toUpstreamError(error)
    }
    if (chunks.length > 0) yield Object.assign(chunks, { native })
    if (failure !== undefined) throw failure
    if (isDone) return
  }
  if (finished.size < asked) throw truncated()
}

/** Returns the error for a server that does not stream: its own, if it is one. */
function unstreamedBody(text: string): unknown {
  try {
    const error = errorInBody(parseJson(text))
    if (error !== undefined) return error
  } catch {
    // Below.
  }
  return garbledResponse('a body in place of a stream')
}

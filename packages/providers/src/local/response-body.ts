import { UpstreamError } from '@sluice/core/provider'
import { sleep } from './pace.ts'
import type { FakeReply } from './script.ts'
import { errorBody, type WireEvent } from './wire.ts'

const eventsPerRead = 32
const readsPerTurn = 32
const encoder = new TextEncoder()

/**
 * Delivers an answer as it is read, in one read up to 32 events that need no delay, with the faults of its reply.
 * `delayOf` returns the milliseconds before a piece, the first being 0. Rejects with the signal's reason on abort.
 */
export async function* responseBody(
  events: Iterable<WireEvent>,
  faults: FakeReply,
  delayOf: (piece: number) => number,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const { cutAfter, malformedAfter, errorAfter, hang } = faults
  const stallAfter = typeof hang === 'number' ? hang : hang === undefined ? undefined : -1
  const faultAfter = cutAfter ?? malformedAfter ?? errorAfter ?? stallAfter
  let batch: string[] = []
  let pieces = 0
  let reads = 0
  for (const { kind, text } of events) {
    signal.throwIfAborted()
    // A shorter answer fails before its end.
    if (faultAfter !== undefined) {
      if (faultAfter < 0 || kind === 'closing' || (kind === 'piece' && pieces >= faultAfter)) break
    }
    const delay = kind === 'piece' ? delayOf(pieces++) : 0
    if (delay > 0) {
      if (batch.length > 0) yield encoder.encode(batch.join(''))
      batch = []
      await sleep(delay, signal)
    }
    if (batch.push(text) < eventsPerRead) continue
    yield encoder.encode(batch.join(''))
    batch = []
    // A reader that never waits must not block the event loop.
    if (++reads % readsPerTurn === 0) await sleep(0, signal)
  }
  signal.throwIfAborted()
  if (malformedAfter !== undefined) batch.push('data: {"id":"chatcmpl-\n\n')
  if (errorAfter !== undefined) batch.push(`data: ${errorBody(faults.error ?? {})}\n\n`)
  if (batch.length > 0) yield encoder.encode(batch.join(''))
  if (stallAfter !== undefined) await sleep(Number.POSITIVE_INFINITY, signal)
  if (cutAfter !== undefined)
    throw new UpstreamError('The connection to the local provider was cut, as its options ask.', {
      kind: 'truncated',
    })
}

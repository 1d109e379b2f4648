import { UpstreamError } from '@sluice/core'
import type { Mishap } from './mishap.ts'
import { pause } from './pause.ts'
import type { WireEvent } from './wire.ts'

const eventsPerRead = 32
const readsPerTurn = 32
const encoder = new TextEncoder()

/** How an answer's bytes are handed out. */
export interface Delivery {
  /** Milliseconds to wait before the piece at this place, the first one being 0. */
  readonly waitBefore: (piece: number) => number
  readonly mishap?: Mishap
}

/**
 * The bytes of a stream, made as they are read. Events that need not wait come up to 32 in one read. Rejects
 * with the signal's reason when it aborts, also while it waits.
 */
export async function* streamBody(
  events: Iterable<WireEvent>,
  delivery: Delivery,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const { mishap, waitBefore } = delivery
  let batch = ''
  let held = 0
  let pieces = 0
  let reads = 0
  for (const event of events) {
    signal.throwIfAborted()
    if (mishap !== undefined && strikesAt(mishap, event, pieces)) break
    if (event.kind === 'piece') {
      const wait = waitBefore(pieces++)
      if (wait > 0) {
        if (batch !== '') yield encoder.encode(batch)
        batch = ''
        held = 0
        await pause(wait, signal)
      }
    }
    batch += event.text
    if (++held < eventsPerRead) continue
    yield encoder.encode(batch)
    batch = ''
    held = 0
    // Everything else in the process has its turn, also beside a reader that never waits.
    if (++reads % readsPerTurn === 0) await pause(0, signal)
  }
  signal.throwIfAborted()
  if (batch !== '') yield encoder.encode(batch)
  if (mishap !== undefined) yield* strike(mishap, signal, 'data: {"id":"chatcmpl-\n\n')
}

/** The bytes of a JSON body, in one read; a mishap strikes in its middle. */
export async function* wholeBody(
  json: string,
  mishap: Mishap | undefined,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  signal.throwIfAborted()
  const bytes = encoder.encode(json)
  if (mishap === undefined) {
    yield bytes
    return
  }
  yield bytes.subarray(0, bytes.length >> 1)
  yield* strike(mishap, signal, '')
}

/** In the place that it is set for, and in a shorter answer before its end. */
function strikesAt({ after }: Mishap, { kind }: WireEvent, pieces: number): boolean {
  return after < 0 || kind === 'closing' || (kind === 'piece' && pieces >= after)
}

async function* strike(
  mishap: Mishap,
  signal: AbortSignal,
  garbage: string,
): AsyncGenerator<Uint8Array, void> {
  signal.throwIfAborted()
  switch (mishap.kind) {
    case 'malformed':
      if (garbage !== '') yield encoder.encode(garbage)
      return
    case 'error':
      yield encoder.encode(`data: ${mishap.error ?? '{"error":{}}'}\n\n`)
      return
    case 'hang':
      await pause(Number.POSITIVE_INFINITY, signal)
      return
    case 'cut':
      throw new UpstreamError('The connection to the local provider was cut, as its options ask.', {
        kind: 'truncated',
      })
  }
}

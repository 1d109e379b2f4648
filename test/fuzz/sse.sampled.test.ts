import { deepStrictEqual, equal, ok } from 'node:assert/strict'
import { UpstreamError } from '@sluice/core'
import { decodeSse, type SseEvent } from '@sluice/core/provider'
import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { fuzz } from './fuzz.ts'
import { byteSoup, cutBy, eventText, steps } from './sse/event-texts.ts'
import { isTooLarge } from './sse/reference-size.ts'

fuzz({
  name: 'server-sent events: any splits, by two readers',
  cases: 700_000,
  quick: 6_000,
  input: fc.record({ text: eventText, sizes: steps }),
  async check({ text, sizes }) {
    const bytes = Buffer.from(text)
    const { events, failure } = await decoded([bytes])
    equal(failure, undefined)
    deepStrictEqual(await decoded(cutBy(bytes, sizes)), { events, failure })
    // The other reader is given text, and so no mark of byte order.
    deepStrictEqual(events, otherReader(text.replace(/^\ufeff/, '')))
  },
})

fuzz({
  name: 'server-sent events: any bytes',
  cases: 200_000,
  quick: 2_000,
  input: fc.record({ bytes: byteSoup, sizes: steps }),
  async check({ bytes, sizes }) {
    const { events, failure } = await decoded([bytes])
    equal(failure, undefined)
    deepStrictEqual(await decoded(cutBy(bytes, sizes)), { events, failure })
    for (const { event, data } of events) ok(!surrogate.test(event + data))
  },
})

fuzz({
  name: 'server-sent events: never more held than allowed',
  cases: 100_000,
  quick: 1_000,
  input: fc.record({
    bytes: fc.oneof(
      eventText.map(text => Buffer.from(text)),
      byteSoup,
    ),
    sizes: steps,
    most: fc.integer({ min: 1, max: 40 }),
  }),
  async check({ bytes, sizes, most }) {
    const parts = cutBy(bytes, sizes)
    let taken = 0
    async function* body() {
      for (const part of parts) {
        taken += part.length
        yield part
      }
    }
    const { events, failure } = await collected(decodeSse(body(), { maxEventBytes: most }))
    for (const { data } of events) ok(data.length <= most)
    // It refuses at the first read after which it holds too much, and at no other.
    let came = 0
    for (const part of parts) {
      came += part.length
      if (!isTooLarge(bytes.subarray(0, came), most, false)) continue
      ok(failure !== undefined, `took more than ${most}`)
      equal(taken, came)
      return
    }
    equal(failure !== undefined, isTooLarge(bytes, most, true))
  },
})

const surrogate = /\p{Surrogate}/u

interface Decoded {
  readonly events: readonly SseEvent[]
  readonly failure: UpstreamError | undefined
}

function decoded(parts: readonly Uint8Array[]): Promise<Decoded> {
  async function* body() {
    yield* parts
  }
  return collected(decodeSse(body()))
}

async function collected(batches: AsyncIterable<readonly SseEvent[]>): Promise<Decoded> {
  const events: SseEvent[] = []
  try {
    for await (const batch of batches) {
      ok(batch.length > 0)
      events.push(...batch)
    }
    return { events, failure: undefined }
  } catch (failure) {
    if (!UpstreamError.is(failure) || failure.kind !== 'garbled') throw failure
    return { events, failure }
  }
}

function otherReader(text: string): SseEvent[] {
  const events: SseEvent[] = []
  const parser = createParser({
    onEvent: ({ event, data }) => events.push({ event: event || 'message', data }),
  })
  parser.feed(`${text}\n\n`)
  return events
}

import { type Call, type Provider, UpstreamError } from '@sluice/core/provider'
import { splitBytes } from '@sluice/testing'
import { describe, expect, inject, it } from 'vitest'
import { expectations } from './expected.ts'
import { inMemory } from './in-memory.ts'
import { present, recordings, vendorNames } from './recordings.ts'
import { vendors } from './vendors.ts'

// Streams in memory, straight through `decode`: cut into bytes, so that there is a cut at every position, and cut in
// two at every position. To cut in two costs the reading of all of it: of a long stream only each
// n-th position is taken, so that all cuts together read no more than this.
const mostRead = inject('exhaustive') ? 40_000_000 : 500_000

const streams = recordings.filter(({ kind }) => kind === 'stream')

describe.skipIf(!present)('recorded streams cut (skipped where ../shared/fixtures is absent)', () => {
  describe.each(vendorNames)('%s', vendor => {
    const own = streams.filter(recording => recording.vendor === vendor)

    it.each(own.map(recording => [recording.name, recording] as const))('%s', async (name, recording) => {
      const { bytes, contentType } = recording
      const { connect, model } = vendors[vendor]
      const { asked, model: own = model } = expectations.get(name) ?? {}
      const { provider } = connect('http://127.0.0.1:9')
      const messages = [{ role: 'user', content: 'Hello!' }] as const
      const call = { model: own, input: { model: own, messages, stream: true, ...asked } }
      const read = (pieces: readonly Uint8Array[]) => decoded(provider, call, contentType, pieces)

      const whole = await read([bytes])
      expect(await read(splitBytes(bytes, 'bytes')), 'in bytes').toBe(whole)
      const stride = Math.max(1, Math.ceil(bytes.length ** 2 / mostRead))
      for (let at = 1; at < bytes.length; at += stride) {
        const answer = await read([bytes.subarray(0, at), bytes.subarray(at)])
        // Compared by hand: to make an expectation of each costs more than the reading.
        if (answer !== whole) expect(answer, `cut at ${at}`).toBe(whole)
      }
    })
  })
})

/** All that comes out, as text, however it was divided into reads. */
async function decoded(
  provider: Provider,
  call: Call,
  contentType: string,
  pieces: readonly Uint8Array[],
): Promise<string> {
  const chunks: unknown[] = []
  try {
    const reply = await provider.decode(inMemory(contentType, pieces), call)
    if (reply.kind === 'completion') return JSON.stringify(reply.completion)
    for await (const read of reply.chunks) chunks.push(...read)
    return JSON.stringify(chunks)
  } catch (error) {
    if (!UpstreamError.is(error)) throw error
    const { kind, status, code, message, vendorMessage } = error
    return JSON.stringify([chunks, { kind, status, code, message, vendorMessage }])
  }
}

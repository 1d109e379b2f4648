import { decodeSse } from '@sluice/core/provider'
import type { Case } from './case.ts'
import { streamOf } from './vendor-streams.ts'

/** Server-sent events, by how many of them one read brings. */
export const sseCases: Case[] = [1, 4, 64].map(eventsPerRead => {
  const { reads, bytes } = streamOf('chat', { words: 1_000, eventsPerRead })
  return {
    group: 'server-sent events: bytes to events',
    name: `1,000 events, ${eventsPerRead} a read`,
    bytes,
    async run() {
      let count = 0
      for await (const events of decodeSse(each(reads))) count += events.length
      return count
    },
  }
})

async function* each(reads: readonly Uint8Array[]) {
  yield* reads
}

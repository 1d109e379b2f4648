import type { Call, UpstreamResponse } from '@sluice/core/provider'
import { vendorModels } from '../../packages/providers/test/vendors/properties/vendors.ts'
import type { Case } from './case.ts'
import { conversations } from './requests.ts'
import { streamOf } from './vendor-streams.ts'

/** One for each wire protocol, and where the same one is spoken otherwise. */
const vendors = ['openai', 'anthropic, adaptive', 'gemini 3', 'vertex with claude', 'bedrock with nova']

export const encodeCases: Case[] = vendors.flatMap(vendor => {
  const { provider, model } = vendorModels[vendor]!.target
  return conversations.map(({ name, bytes, body }) => ({
    group: `encode: ${vendor}`,
    name,
    bytes: bytes.length,
    run: () => provider.encode({ input: body as unknown as Call['input'], model }),
  }))
})

export const decodeCases: Case[] = vendors.flatMap(vendor => {
  const { target, wire } = vendorModels[vendor]!
  return [10, 1_000].flatMap(words => {
    const stream = streamOf(wire, { words, eventsPerRead: 4 })
    const decode = async (streamed: boolean) => {
      const answer = streamed
        ? answerOf(stream.type, stream.reads, '')
        : answerOf('application/json', [Buffer.from(stream.whole)], stream.whole)
      const input = { model: 'm', messages: [{ role: 'user' as const, content: 'Hello' }], stream: streamed }
      const reply = await target.provider.decode(answer, { input, model: target.model })
      if (reply.kind !== 'stream') return reply.completion.choices.length
      let pieces = 0
      for await (const chunks of reply.chunks) pieces += chunks.length
      return pieces
    }
    const group = `decode: ${vendor}`
    return [
      { group, name: `whole, ${words} words`, bytes: stream.whole.length, run: () => decode(false) },
      { group, name: `stream, ${words} words`, bytes: stream.bytes, run: () => decode(true) },
    ]
  })
})

function answerOf(type: string, reads: readonly Uint8Array[], text: string): UpstreamResponse {
  async function* body() {
    yield* reads
  }
  const headers = new Headers({ 'content-type': type })
  return { status: 200, headers, body: body(), text: async () => text }
}

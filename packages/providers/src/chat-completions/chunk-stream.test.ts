import type { PartialChunk } from '@sluice/core/provider'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ChunkReader } from './chunk-reader.ts'
import { ChunkStream } from './chunk-stream.ts'
import { selectFields } from './provider-fields.ts'

const fields = selectFields(
  { response: ['trace'], choice: ['filter'], message: ['tools'], usage: ['cost'] },
  'acme',
)

it('reads the same provider-specific fields with templates of text events as without', async () => {
  const value = fc.constantFrom<unknown>(undefined, undefined, null, {}, 'a', 'b', { a: 1 })
  const event = fc.record({
    index: fc.constantFrom(0, 0, 0, 1),
    content: fc.constantFrom('a', 'b', '[1]', ''),
    trace: value,
    filter: value,
    tools: fc.oneof({ weight: 4, arbitrary: fc.constant(undefined) }, value),
    cost: fc.option(fc.nat(9), { nil: undefined, freq: 8 }),
  })
  // Few different events, so that templates match and fields change back.
  const list = fc
    .tuple(fc.array(event, { minLength: 1, maxLength: 3 }), fc.array(fc.nat(2), { maxLength: 20 }))
    .map(([pool, order]) => order.map(nth => pool[nth % pool.length]!))
  await fc.assert(
    fc.asyncProperty(fc.boolean(), list, async (cites, list) => {
      const extras = { fields, numberedCitations: cites }
      const end = [0, 1].map(index => ({
        citations: ['https://a.example'],
        choices: [{ index, delta: {}, finish_reason: 'stop' }],
      }))
      const events = list.map(({ index, content, trace, filter, tools, cost }) => ({
        trace,
        choices: [{ index, delta: { content, tools }, filter, finish_reason: null }],
        usage: cost === undefined ? undefined : { completion_tokens: 1, cost },
      }))
      const reader = new ChunkReader(2, extras)
      const expected = [...events, ...end].flatMap(
        sent => reader.read(JSON.parse(JSON.stringify(sent)), 'message') ?? [],
      )
      const text = [...events, ...end].map(sent => `data: ${JSON.stringify(sent)}\n\n`).join('')
      const chunks: PartialChunk[] = []
      for await (const batch of new ChunkStream(bodyOf(text), 2, extras)) chunks.push(...batch)
      expect(chunks).toEqual(expected)
    }),
    { numRuns: 1_000 },
  )
})

async function* bodyOf(text: string): AsyncGenerator<Uint8Array> {
  yield new TextEncoder().encode(text)
}

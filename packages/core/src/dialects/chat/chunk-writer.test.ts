import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ChunkChoice, Delta, JsonObject } from '../../protocol/chat.ts'
import { ChunkWriter } from './chunk-writer.ts'

const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string(),
  fc.constantFrom('"', '\\', '\n', '\u2028', '\ud800', ''),
)
/** What a vendor adds. */
const fields = fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 2 }) as fc.Arbitrary<JsonObject>
const delta: fc.Arbitrary<Delta> = fc.oneof(
  text.map(content => ({ content })),
  fc.record(
    {
      role: fc.constant('assistant' as const),
      content: fc.option(text),
      refusal: fc.option(text),
      reasoning_content: text,
      tool_calls: fc.array(fc.record({ index: fc.nat(3), function: fc.record({ arguments: text }) })),
      audio: fc.dictionary(fc.string(), fc.jsonValue()) as fc.Arbitrary<never>,
    },
    { requiredKeys: [] },
  ),
)
const token = fc.record({
  token: text,
  logprob: fc.double({ max: 0, noNaN: true }),
  bytes: fc.constant(null),
})
const plainChoice: fc.Arbitrary<ChunkChoice> = fc.record({
  index: fc.nat(127),
  delta,
  logprobs: fc.option(
    fc.record({
      content: fc.array(token.map(one => ({ ...one, top_logprobs: [] }))),
      refusal: fc.constant(null),
    }),
  ),
  finish_reason: fc.option(fc.constantFrom('stop' as const, 'length' as const, 'tool_calls' as const)),
})
const choice = fc.oneof(
  plainChoice,
  fc.tuple(plainChoice, fields).map(([one, added]) => ({ ...one, provider_specific_fields: added })),
)
const head = fc.record({ id: text, created: fc.nat(), model: text })

describe('ChunkWriter', () => {
  it('writes what JSON.stringify makes of each chunk, byte for byte', () => {
    fc.assert(
      fc.property(
        head,
        fc.array(choice),
        fc.option(fc.string(), { nil: undefined }),
        fc.option(text),
        fc.boolean(),
        fc.option(fields, { nil: undefined }),
        (head, choices, tier, fingerprint, includeUsage, added) => {
          const chunks = choices.map((one, nth) => ({
            id: head.id,
            object: 'chat.completion.chunk',
            created: head.created,
            model: head.model,
            service_tier: tier,
            system_fingerprint: fingerprint,
            choices: [one],
            ...(nth === 0 && added !== undefined ? { provider_specific_fields: added } : {}),
            ...(includeUsage ? { usage: null } : {}),
          }))
          const written = new ChunkWriter(head, includeUsage).choices(choices, tier, fingerprint, added)
          expect(written).toBe(chunks.map(chunk => `data: ${JSON.stringify(chunk)}\n\n`).join(''))
        },
      ),
      { numRuns: 2_000 },
    )
  })
})

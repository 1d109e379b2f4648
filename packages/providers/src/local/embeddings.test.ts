import type { EmbeddingVector } from '@sluice/core/provider'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type EmbedParts, embedCall } from '../../test/embeddings.ts'
import { local } from '../local.ts'
import type { LocalOptions } from './server.ts'

/** What a call returns, over the provider's own transport. */
async function embed(parts: EmbedParts = {}, options: LocalOptions = {}) {
  const { provider, model } = local(options)('demo')
  const call = embedCall(model, parts)
  const response = await provider.transport!(await provider.embed!.encode(call), new AbortController().signal)
  const text = async () => {
    let all = ''
    for await (const bytes of response.body) all += new TextDecoder().decode(bytes)
    return all
  }
  return provider.embed!.decode({ ...response, text }, call)
}

function valuesOf(vector: EmbeddingVector): number[] {
  if (vector.kind === 'json') return JSON.parse(vector.text)
  if (vector.kind === 'values') return [...(vector.values as number[])]
  const bytes = Buffer.from(vector.text, 'base64')
  return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4))
}

async function vectors(parts: EmbedParts): Promise<number[][]> {
  return (await embed(parts)).vectors.map(valuesOf)
}

function product(one: readonly number[], other: readonly number[]): number {
  return one.reduce((sum, value, at) => sum + value * other[at]!, 0)
}

describe('embeddings of local()', () => {
  it('have 256 numbers, the model and the tokens', async () => {
    const reply = await embed({ inputs: ['Hello, world!', 'again'] })
    expect(reply).toMatchObject({ model: 'demo', promptTokens: 5 })
    expect(reply.vectors.map(valuesOf).map(({ length }) => length)).toEqual([256, 256])
  })

  it('are the same for the same text, also for each of several', async () => {
    const [first] = await vectors({ inputs: ['The cat sat.'] })
    const [other, again] = await vectors({ inputs: ['A dog.', 'The cat sat.'] })
    expect(again).toEqual(first)
    expect(other).not.toEqual(first)
  })

  it('are more similar for texts that share words', async () => {
    const inputs = ['How do I reset my password?', 'reset a forgotten password', 'Grilled fish with lemon']
    const [question, near, far] = await vectors({ inputs })
    expect(product(question!, near!)).toBeGreaterThan(product(question!, far!) + 0.2)
  })

  it('are the same in both encodings', async () => {
    const inputs = ['Hello, world!']
    const [floats] = await vectors({ inputs })
    const reply = await embed({ inputs, encoding: 'base64' })
    expect(reply.vectors[0]?.kind).toBe('base64')
    expect(reply.vectors.map(valuesOf)).toEqual([floats!.map(Math.fround)])
  })

  it('have length 1 for any text, any token ids and any dimensions', async () => {
    const char = fc.constantFrom('a', 'B', 'é', 'ß', '7', '_', ' ', '\n', '.', '中', '👍', '\u0301')
    const input = fc.oneof(fc.string({ minLength: 1, unit: char }), fc.array(fc.nat(), { minLength: 1 }))
    await fc.assert(
      fc.asyncProperty(input, fc.integer({ min: 1, max: 600 }), async (one, dimensions) => {
        const [vector] = await vectors({ inputs: [one], dimensions })
        expect(vector).toHaveLength(dimensions)
        expect(product(vector!, vector!)).toBeCloseTo(1, 4)
      }),
      { numRuns: 30 },
    )
  })

  it('refuse more dimensions than they have, and inputs beyond the context window', async () => {
    await expect(embed({ dimensions: 8_193 })).rejects.toMatchObject({ status: 400, param: 'dimensions' })
    const inputs = ['one two', 'one two three four five']
    await expect(embed({ inputs }, { contextWindow: 4 })).rejects.toMatchObject({
      status: 400,
      code: 'context_length_exceeded',
      param: 'input',
    })
  })

  it('drop and report fields that they do not know', async () => {
    const { provider, model } = local()('demo')
    const { adjustments } = await provider.embed!.encode(embedCall(model, { extra: { input_type: 'query' } }))
    expect(adjustments).toMatchObject([{ parameter: 'input_type', action: 'dropped' }])
  })

  it.each<[LocalOptions['faults'], object]>([
    [
      { rateLimited: 1, retryAfter: 3 },
      { status: 429, retryAfterMs: 3_000 },
    ],
    [{ failed: 1 }, { status: 500 }],
    [{ malformed: 1 }, { kind: 'garbled' }],
    [{ cut: 1 }, { kind: 'truncated' }],
  ])('have the faults %j', async (faults, expected) => {
    await expect(embed({}, { faults: faults! })).rejects.toMatchObject(expected)
  })

  it('take no response of a script', async () => {
    expect((await embed({}, { script: ['fixed'] })).vectors).toHaveLength(1)
  })
})

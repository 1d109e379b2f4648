import { describe, expect, it } from 'vitest'
import { decodedEmbeddings, encodedEmbeddings } from '../../test/embeddings.ts'
import { vertex } from '../vertex.ts'

const ours = vertex({ project: 'my-project', location: 'us-central1', token: 'ya29.t' })
const at = 'https://us-central1-aiplatform.googleapis.com/v1/projects/my-project/locations/us-central1'
const two = { inputs: ['a', 'b'] }

describe('embeddings of Vertex AI', () => {
  it('go to predict, and are never cut', async () => {
    const parts = { ...two, dimensions: 256, extra: { task_type: 'RETRIEVAL_QUERY', title: 'T' } }
    const { url, headers, body } = await encodedEmbeddings(ours('text-embedding-005'), parts)
    expect(url).toBe(`${at}/publishers/google/models/text-embedding-005:predict`)
    expect(headers.authorization).toBe('Bearer ya29.t')
    expect(body).toEqual({
      instances: [
        { content: 'a', task_type: 'RETRIEVAL_QUERY', title: 'T' },
        { content: 'b', task_type: 'RETRIEVAL_QUERY', title: 'T' },
      ],
      parameters: { outputDimensionality: 256, autoTruncate: false },
    })
  })

  it.each(['gemini-embedding-2', 'google/gemini-embedding-2-preview', 'intfloat/e5-large-instruct-maas'])(
    'of %s go to embedContent',
    async model => {
      const parts = { dimensions: 256, extra: { task_type: 'CLUSTERING' } }
      const { url, body } = await encodedEmbeddings(ours(model), parts)
      expect(url).toMatch(/:embedContent$/)
      expect(body).toEqual({
        content: { parts: [{ text: 'Hello' }] },
        embedContentConfig: { taskType: 'CLUSTERING', outputDimensionality: 256, autoTruncate: false },
      })
      const json = { embedding: { values: [0.5] }, usageMetadata: { promptTokenCount: 11 } }
      expect(await decodedEmbeddings(ours(model), { json })).toEqual({
        vectors: [{ kind: 'json', text: '[0.5]' }],
        promptTokens: 11,
      })
    },
  )

  it.each<[string, number]>([
    ['text-embedding-005', 250],
    ['endpoints/123', 250],
    ['gemini-embedding-001', 1],
    ['publishers/google/models/gemini-embedding-001', 1],
    ['gemini-embedding-2', 1],
  ])('of %s are for at most %i inputs', (model, inputs) => {
    const { maxInputs } = ours.provider.embed!
    expect(typeof maxInputs === 'function' && maxInputs(model)).toBe(inputs)
  })

  it('refuse Claude models, token ids, and dimensions of the oldest models', async () => {
    const refusal = async (model: string, parts = {}) =>
      (await encodedEmbeddings(ours(model), parts).catch(error => error)).param
    expect(await refusal('claude-sonnet-4@20250514')).toBe('model')
    expect(await refusal('text-embedding-005', { inputs: [[1]] })).toBe('input')
    expect(await refusal('textembedding-gecko@003', { dimensions: 3 })).toBe('dimensions')
  })

  it('are decoded with the sum of the tokens', async () => {
    const prediction = (values: unknown, statistics?: unknown) => ({ embeddings: { values, statistics } })
    const counted = [prediction([0.5], { token_count: 3 }), prediction([1], { token_count: 4 })]
    const target = ours('text-embedding-005')
    expect(await decodedEmbeddings(target, { json: { predictions: counted } }, two)).toEqual({
      vectors: [
        { kind: 'json', text: '[0.5]' },
        { kind: 'json', text: '[1]' },
      ],
      promptTokens: 7,
    })
    const uncounted = [prediction([0.5], { token_count: 3 }), prediction([1])]
    const reply = await decodedEmbeddings(target, { json: { predictions: uncounted } }, two)
    expect(reply).not.toHaveProperty('promptTokens')
  })

  it.each<[string, string, unknown]>([
    ['text-embedding-005', 'one vector for two inputs', { predictions: [{ embeddings: { values: [1] } }] }],
    ['text-embedding-005', 'no vectors', {}],
    ['text-embedding-005', 'empty predictions', { predictions: [{}, null] }],
    ['gemini-embedding-2', 'no vector', { embedding: {} }],
    ['gemini-embedding-2', 'nothing', {}],
    ['gemini-embedding-2', 'one vector for two inputs', { embedding: { values: [1] } }],
  ])('of %s are garbled with %s', async (model, _, json) => {
    await expect(decodedEmbeddings(ours(model), { json }, two)).rejects.toMatchObject({ kind: 'garbled' })
  })

  it("are refused with Google's error, also that a text is too long", async () => {
    const error = {
      code: 400,
      message: 'The input token count is 3000 but the model supports up to 2048.',
      status: 'INVALID_ARGUMENT',
    }
    const answer = { status: 400, body: JSON.stringify({ error }) }
    await expect(decodedEmbeddings(ours('text-embedding-005'), answer)).rejects.toMatchObject({ status: 400 })
  })
})

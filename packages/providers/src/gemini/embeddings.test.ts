import { describe, expect, it } from 'vitest'
import { decodedEmbeddings, encodedEmbeddings } from '../../test/embeddings.ts'
import { gemini } from '../gemini.ts'

const target = gemini({ apiKey: 'the-key' })('gemini-embedding-001')
const two = { inputs: ['a', 'b'] }

describe('embeddings of the Gemini API', () => {
  it('request each input on its own, so that each gets a vector', async () => {
    const parts = { ...two, dimensions: 768, extra: { task_type: 'RETRIEVAL_DOCUMENT', title: 'T' } }
    const model = 'models/gemini-embedding-001'
    const fields = { outputDimensionality: 768, taskType: 'RETRIEVAL_DOCUMENT', title: 'T' }
    expect(await encodedEmbeddings(target, parts)).toEqual({
      method: 'POST',
      url: `https://generativelanguage.googleapis.com/v1beta/${model}:batchEmbedContents`,
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'accept-encoding': 'identity',
        'x-goog-api-key': 'the-key',
      },
      body: {
        requests: [
          { model, content: { parts: [{ text: 'a' }] }, ...fields },
          { model, content: { parts: [{ text: 'b' }] }, ...fields },
        ],
      },
      adjustments: [],
    })
    expect(target.provider.embed?.maxInputs).toBe(100)
    expect(target.capabilities).toEqual({ operations: ['embed'] })
  })

  it('have the key of the call', async () => {
    const vendor = gemini({ apiKey: ['a', { key: 'b', label: 'other' }] })
    const request = await encodedEmbeddings(vendor('models/gemini-embedding-2'), { key: 'other' })
    expect(request.headers['x-goog-api-key']).toBe('b')
    expect(request.url).toContain('/models/gemini-embedding-2:batchEmbedContents')
  })

  it('drop and report what the vendor does not know', async () => {
    const parts = { user: 'ann', extra: { input_type: 'query', model: 'x' } }
    const { body, adjustments } = await encodedEmbeddings(target, parts)
    expect(adjustments).toEqual([
      { parameter: 'user', action: 'dropped' },
      { parameter: 'input_type', action: 'dropped', detail: 'not known to this vendor' },
      { parameter: 'model', action: 'dropped', detail: 'not known to this vendor' },
    ])
    const model = 'models/gemini-embedding-001'
    expect(body).toEqual({ requests: [{ model, content: { parts: [{ text: 'Hello' }] } }] })
  })

  it('refuse token ids, and dimensions of a model with a fixed length', async () => {
    const tokens = encodedEmbeddings(target, { inputs: [[1, 2]] })
    await expect(tokens).rejects.toMatchObject({ status: 400, code: 'unsupported_value', param: 'input' })
    const fixed = encodedEmbeddings(gemini({ apiKey: 'k' })('embedding-001'), { dimensions: 3 })
    await expect(fixed).rejects.toMatchObject({ code: 'unsupported_parameter', param: 'dimensions' })
  })

  it('are decoded in order, with the tokens if there are any', async () => {
    const embeddings = [{ values: [0.5] }, { values: [-1] }]
    const vectors = [
      { kind: 'json', text: '[0.5]' },
      { kind: 'json', text: '[-1]' },
    ]
    const json = { embeddings, usageMetadata: { promptTokenCount: 4 } }
    expect(await decodedEmbeddings(target, { json }, two)).toEqual({ vectors, promptTokens: 4 })
    expect(await decodedEmbeddings(target, { json: { embeddings } }, two)).toEqual({ vectors })
  })

  it.each<[string, unknown]>([
    ['one vector for two inputs', { embeddings: [{ values: [1] }] }],
    ['three vectors', { embeddings: [{ values: [1] }, { values: [2] }, { values: [3] }] }],
    ['no vectors', {}],
    ['an empty vector', { embeddings: [{ values: [1] }, { values: [] }] }],
    ['an entry without values', { embeddings: [{ values: [1] }, {}] }],
    ['a null', { embeddings: [{ values: [1] }, null] }],
    ['numbers in place of entries', { embeddings: [1, 2] }],
  ])('are garbled with %s', async (_, json) => {
    await expect(decodedEmbeddings(target, { json }, two)).rejects.toMatchObject({ kind: 'garbled' })
  })

  it("are refused with Google's error", async () => {
    const error = {
      code: 400,
      message: 'API key not valid.',
      status: 'INVALID_ARGUMENT',
      details: [{ reason: 'API_KEY_INVALID' }],
    }
    const answer = { status: 400, body: JSON.stringify({ error }) }
    await expect(decodedEmbeddings(target, answer)).rejects.toMatchObject({ kind: 'refused', status: 401 })
  })
})

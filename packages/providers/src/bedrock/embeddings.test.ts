import { describe, expect, it } from 'vitest'
import { decodedEmbeddings, encodedEmbeddings } from '../../test/embeddings.ts'
import { bedrock } from '../bedrock.ts'

const ours = bedrock({ region: 'us-east-1', bearerToken: 'token' })
const titan1 = ours('amazon.titan-embed-text-v1')
const titan2 = ours('amazon.titan-embed-text-v2:0')
const nova = ours('amazon.nova-2-multimodal-embeddings-v1:0')
const cohere3 = ours('cohere.embed-english-v3')
const cohere4 = ours('us.cohere.embed-v4:0')
const counted = { 'x-amzn-bedrock-input-token-count': '9' }
const two = { inputs: ['a', 'b'] }

describe('the request to an embedding model of Bedrock', () => {
  it('goes to InvokeModel with the bearer token', async () => {
    expect(await encodedEmbeddings(titan1)).toEqual({
      method: 'POST',
      url: 'https://bedrock-runtime.us-east-1.amazonaws.com/model/amazon.titan-embed-text-v1/invoke',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        authorization: 'Bearer token',
      },
      body: { inputText: 'Hello' },
      adjustments: [],
    })
  })

  it('is signed with credentials', async () => {
    const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret/key+example' }
    const target = bedrock({ region: 'us-east-1', credentials })('amazon.titan-embed-text-v2:0')
    const { url, headers } = await encodedEmbeddings(target)
    expect(url).toMatch(/\/model\/amazon\.titan-embed-text-v2%3A0\/invoke$/)
    expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\//)
  })

  it('has dimensions and normalize for Titan 2, which Titan 1 does not take', async () => {
    const parts = { dimensions: 512, extra: { normalize: false } }
    const { body, adjustments } = await encodedEmbeddings(titan2, parts)
    expect([body, adjustments]).toEqual([{ inputText: 'Hello', dimensions: 512, normalize: false }, []])
    await expect(encodedEmbeddings(titan1, parts)).rejects.toMatchObject({
      status: 400,
      code: 'unsupported_parameter',
      param: 'dimensions',
    })
    const older = await encodedEmbeddings(titan1, { ...parts, unsupportedParameters: 'drop' })
    expect(older.body).toEqual({ inputText: 'Hello' })
    expect(older.adjustments.map(({ parameter }) => parameter)).toEqual(['dimensions', 'normalize'])
  })

  it('has the purpose for Nova, and cuts no text', async () => {
    const { body, adjustments } = await encodedEmbeddings(nova, { dimensions: 384 })
    expect(body).toEqual({
      taskType: 'SINGLE_EMBEDDING',
      singleEmbeddingParams: {
        embeddingPurpose: 'GENERIC_INDEX',
        embeddingDimension: 384,
        text: { truncationMode: 'NONE', value: 'Hello' },
      },
    })
    expect(adjustments).toEqual([{ parameter: 'task_type', action: 'defaulted', detail: 'GENERIC_INDEX' }])
    const extra = { task_type: 'TEXT_RETRIEVAL', truncate: 'END' }
    const chosen = await encodedEmbeddings(nova, { extra })
    expect(chosen.body.singleEmbeddingParams).toEqual({
      embeddingPurpose: 'TEXT_RETRIEVAL',
      text: { truncationMode: 'END', value: 'Hello' },
    })
    expect(chosen.adjustments).toEqual([])
  })

  it('has all texts for Cohere, with the type of the input, and cuts none', async () => {
    const { body, adjustments } = await encodedEmbeddings(cohere4, { ...two, dimensions: 256 })
    expect(body).toEqual({
      texts: ['a', 'b'],
      input_type: 'search_document',
      truncate: 'NONE',
      embedding_types: ['float'],
      output_dimension: 256,
    })
    expect(adjustments).toEqual([{ parameter: 'input_type', action: 'defaulted', detail: 'search_document' }])
    const extra = { input_type: 'search_query', truncate: 'END' }
    const chosen = await encodedEmbeddings(cohere3, { extra })
    expect(chosen.body).toMatchObject(extra)
    expect(chosen.adjustments).toEqual([])
    await expect(encodedEmbeddings(cohere3, { dimensions: 256 })).rejects.toMatchObject({
      param: 'dimensions',
    })
  })

  it.each([titan1, titan2, nova, cohere4])('refuses token ids', async target => {
    const call = encodedEmbeddings(target, { inputs: [[1]] })
    await expect(call).rejects.toMatchObject({ status: 400, code: 'unsupported_value', param: 'input' })
  })

  it('is refused for a model that is not known to embed', async () => {
    const call = encodedEmbeddings(ours('us.amazon.nova-pro-v1:0'))
    await expect(call).rejects.toMatchObject({ status: 400, param: 'model' })
  })

  it.each([
    [titan1, 1],
    [titan2, 1],
    [nova, 1],
    [cohere4, 96],
  ])('has at most as many inputs as the model takes', ({ model, capabilities }, inputs) => {
    const { maxInputs } = ours.provider.embed!
    expect(typeof maxInputs === 'function' && maxInputs(model)).toBe(inputs)
    expect(capabilities).toEqual({ operations: ['embed'] })
  })
})

describe('the answer of an embedding model of Bedrock', () => {
  const vector = { kind: 'json', text: '[0.5,-1]' }

  it('of Titan has its tokens in the body', async () => {
    const json = { embedding: [0.5, -1], inputTextTokenCount: 3, embeddingsByType: { float: [0.5, -1] } }
    const expected = { vectors: [vector], promptTokens: 3 }
    expect(await decodedEmbeddings(titan2, { json, headers: counted })).toEqual(expected)
    expect(await decodedEmbeddings(titan1, { json })).toEqual(expected)
  })

  it('of Nova has its tokens in a header', async () => {
    const json = { embeddings: [{ embeddingType: 'TEXT', embedding: [0.5, -1] }] }
    const expected = { vectors: [vector], promptTokens: 9 }
    expect(await decodedEmbeddings(nova, { json, headers: counted })).toEqual(expected)
    expect(await decodedEmbeddings(nova, { json })).toEqual({ vectors: [vector] })
  })

  it.each<[string, unknown]>([
    ['by type', { float: [[0.5, -1], [2]] }],
    ['as a list', [[0.5, -1], [2]]],
  ])('of Cohere has vectors %s', async (_, embeddings) => {
    const reply = await decodedEmbeddings(cohere4, { json: { embeddings }, headers: counted }, two)
    expect(reply).toEqual({ vectors: [vector, { kind: 'json', text: '[2]' }], promptTokens: 9 })
  })

  it.each<[string, typeof nova, unknown]>([
    ['Titan without a vector', titan2, {}],
    ['Titan with an empty one', titan2, { embedding: [] }],
    ['Titan for two inputs', titan2, { embedding: [1] }],
    ['Nova without vectors', nova, {}],
    [
      'Nova with too many',
      nova,
      { embeddings: [{ embedding: [1] }, { embedding: [1] }, { embedding: [1] }] },
    ],
    ['Cohere without vectors', cohere4, { embeddings: {} }],
    ['Cohere with too few', cohere4, { embeddings: { float: [[1]] } }],
    ['Cohere with numbers', cohere4, { embeddings: { float: [1, 2] } }],
  ])('is garbled: %s', async (_, target, json) => {
    await expect(decodedEmbeddings(target, { json }, two)).rejects.toMatchObject({ kind: 'garbled' })
  })

  it('must have the length that was asked for', async () => {
    const short = decodedEmbeddings(titan2, { json: { embedding: [1] } }, { dimensions: 256 })
    await expect(short).rejects.toMatchObject({ kind: 'garbled' })
  })

  it('is refused with the exception of AWS', async () => {
    const headers = { 'x-amzn-errortype': 'ThrottlingException:http://internal' }
    const answer = { status: 400, headers, body: '{"message":"Too many requests"}' }
    await expect(decodedEmbeddings(titan2, answer)).rejects.toMatchObject({ kind: 'refused', status: 429 })
  })
})

import { createGateway, models } from '@sluice/core'
import { describe, expect, it } from 'vitest'
import { decodedEmbeddings, encodedEmbeddings } from '../test/embeddings.ts'
import { cohere } from './cohere.ts'
import { voyage } from './embedding-services.ts'

const two = { inputs: ['a', 'b'] }

describe('voyage', () => {
  const target = voyage({ apiKey: 'the-key' })('voyage-3.5')

  it('is asked for base64 or nothing, and cuts no text', async () => {
    const { url, headers, body } = await encodedEmbeddings(target, { encoding: 'base64', ...two })
    expect(url).toBe('https://api.voyageai.com/v1/embeddings')
    expect(headers.authorization).toBe('Bearer the-key')
    expect(body).toEqual({
      model: 'voyage-3.5',
      input: ['a', 'b'],
      encoding_format: 'base64',
      truncation: false,
    })
    expect((await encodedEmbeddings(target)).body).not.toHaveProperty('encoding_format')
  })

  it('gets the type of the input and the dimensions by its own names', async () => {
    const parts = { dimensions: 256, extra: { input_type: 'query', truncation: true, task_type: 'X' } }
    const { body, adjustments } = await encodedEmbeddings(target, parts)
    expect(body).toMatchObject({ output_dimension: 256, input_type: 'query', truncation: true })
    expect(adjustments).toMatchObject([{ parameter: 'task_type', action: 'dropped' }])
    const older = encodedEmbeddings(voyage({ apiKey: 'k' })('voyage-3'), { dimensions: 256 })
    await expect(older).rejects.toMatchObject({ code: 'unsupported_parameter', param: 'dimensions' })
    const tokens = encodedEmbeddings(target, { inputs: [[1]] })
    await expect(tokens).rejects.toMatchObject({ code: 'unsupported_value', param: 'input' })
    expect(target.provider.embed?.maxInputs).toBe(1_000)
  })

  it('counts the total of the tokens', async () => {
    const json = {
      data: [{ index: 0, embedding: 'AAAAPw==' }],
      model: 'voyage-3.5',
      usage: { total_tokens: 4 },
    }
    expect(await decodedEmbeddings(target, { json })).toEqual({
      vectors: [{ kind: 'base64', text: 'AAAAPw==' }],
      model: 'voyage-3.5',
      promptTokens: 4,
    })
  })
})

describe('cohere', () => {
  const target = cohere({ apiKey: 'the-key' })('embed-v4.0')

  it('is called by its own API', async () => {
    const { url, headers, body, adjustments } = await encodedEmbeddings(target, { dimensions: 1024, ...two })
    expect(url).toBe('https://api.cohere.com/v2/embed')
    expect(headers.authorization).toBe('Bearer the-key')
    expect(body).toEqual({
      model: 'embed-v4.0',
      texts: ['a', 'b'],
      input_type: 'search_document',
      truncate: 'NONE',
      embedding_types: ['float'],
      output_dimension: 1024,
    })
    expect(adjustments).toEqual([{ parameter: 'input_type', action: 'defaulted', detail: 'search_document' }])
    expect(target.provider.embed?.maxInputs).toBe(96)
  })

  it('has its tokens as billed units', async () => {
    const json = { embeddings: { float: [[1], [2]] }, meta: { billed_units: { input_tokens: 5 } } }
    const reply = await decodedEmbeddings(target, { json }, two)
    expect(reply.promptTokens).toBe(5)
    expect(reply.vectors).toHaveLength(2)
  })

  it('is refused with its message', async () => {
    const answer = { status: 404, body: '{"id":"1","message":"model not found"}' }
    await expect(decodedEmbeddings(target, answer)).rejects.toMatchObject({
      status: 404,
      vendorMessage: 'model not found',
    })
  })
})

describe('services for search', () => {
  it('have several keys and another base URL', async () => {
    const vendor = cohere({
      apiKey: ['a', { key: 'b', label: 'other' }],
      baseURL: 'http://proxy.test/cohere/v2/',
      headers: { 'x-team': 'search' },
      maxConcurrent: 2,
    })
    const { url, headers } = await encodedEmbeddings(vendor('embed-v4.0'), { key: 'other' })
    expect(url).toBe('http://proxy.test/cohere/v2/embed')
    expect(headers).toMatchObject({ authorization: 'Bearer b', 'x-team': 'search' })
    expect(vendor.provider.maxConcurrent).toBe(2)
  })

  it('answer a chat with 400', async () => {
    const gateway = createGateway({
      authenticate: () => ({ id: 'ann' }),
      route: models({ m: voyage({ apiKey: 'k' })('voyage-3.5') }),
    })
    const response = await gateway.fetch('http://sluice.test/v1/chat/completions', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] }),
    })
    expect(response.status).toBe(400)
    await gateway.close()
    const { provider, model } = voyage({ apiKey: 'k' })('m')
    expect(() => provider.encode({ input: { model: 'm', messages: [] }, model })).toThrow('generate nothing')
  })

  it('reject options that they do not know, and need a key', () => {
    expect(() => voyage({ apiKey: 'k', region: 'eu' } as object)).toThrow('region')
    expect(() => cohere({ apiKey: '' })).toThrow('apiKey')
    expect(() => cohere({ apiKey: 'k', baseURL: 'ftp://host' })).toThrow('baseURL')
  })
})

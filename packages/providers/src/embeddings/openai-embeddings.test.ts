import { describe, expect, it } from 'vitest'
import { decodedEmbeddings, type EmbedParts, encodedEmbeddings } from '../../test/embeddings.ts'
import { openai } from '../openai.ts'
import { openaiCompatible } from '../openai-compatible.ts'
import { groq, llamacpp, mistral, ollama, presets, vllm } from '../presets.ts'

const small = openai({ apiKey: 'the-key' })('text-embedding-3-small')
const plain = openaiCompatible({ name: 'acme', baseURL: 'https://acme.example/v1' })('acme-embed')

const entry = (index: unknown, embedding: unknown = [0.5, -0.25]) => ({
  object: 'embedding',
  index,
  embedding,
})
const listOf = (...data: unknown[]) => ({ object: 'list', data, model: 'm-2', usage: { prompt_tokens: 7 } })

describe('the request', () => {
  it('goes to the path of embeddings with the key, and asks for the encoding of the caller', async () => {
    expect(await encodedEmbeddings(small, { encoding: 'base64', dimensions: 8, user: 'ann' })).toEqual({
      method: 'POST',
      url: 'https://api.openai.com/v1/embeddings',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'accept-encoding': 'identity',
        authorization: 'Bearer the-key',
      },
      body: {
        model: 'text-embedding-3-small',
        input: ['Hello'],
        encoding_format: 'base64',
        dimensions: 8,
        user: 'ann',
      },
      adjustments: [],
    })
    expect((await encodedEmbeddings(small)).body.encoding_format).toBe('float')
  })

  it('has all inputs in order, also token ids', async () => {
    const inputs = ['one', [1, 2], 'three', [4]]
    expect((await encodedEmbeddings(small, { inputs })).body.input).toEqual(inputs)
  })

  it('has the headers of the configuration, and the key of the call', async () => {
    const { provider } = openai({
      apiKey: ['key-a', { key: 'key-b', label: 'b' }],
      organization: 'org',
      baseURL: 'http://proxy.test/v1/',
    })
    const request = await encodedEmbeddings({ provider, model: 'm' }, { key: 'b' })
    expect(request.url).toBe('http://proxy.test/v1/embeddings')
    expect(request.headers).toMatchObject({ authorization: 'Bearer key-b', 'openai-organization': 'org' })
  })

  it('asks a server that is not known to take an encoding for none', async () => {
    for (const encoding of ['float', 'base64'] as const) {
      expect((await encodedEmbeddings(plain, { encoding })).body).toEqual({
        model: 'acme-embed',
        input: ['Hello'],
      })
    }
  })

  it.each<[string, ReturnType<typeof ollama>, string, boolean]>([
    ['vllm', vllm(), 'base64', true],
    ['llamacpp', llamacpp(), 'base64', true],
    ['ollama', ollama(), 'base64', false],
    ['mistral', mistral({ apiKey: 'k' }), 'base64', false],
  ])('asks %s for an encoding only if it takes one', async (_, vendor, encoding, isSent) => {
    const { body } = await encodedEmbeddings(vendor('m'), { encoding: encoding as 'base64' })
    expect(body.encoding_format).toBe(isSent ? encoding : undefined)
  })

  it("has the vendor's name of dimensions", async () => {
    const { body } = await encodedEmbeddings(mistral({ apiKey: 'k' })('codestral-embed'), { dimensions: 512 })
    expect(body).toEqual({ model: 'codestral-embed', input: ['Hello'], output_dimension: 512 })
  })

  it.each([
    openai({ apiKey: 'k' })('text-embedding-ada-002'),
    mistral({ apiKey: 'k' })('mistral-embed'),
    mistral({ apiKey: 'k' })('mistral-embed-2312'),
  ])('refuses dimensions of a model with a fixed length', async target => {
    await expect(encodedEmbeddings(target, { dimensions: 512 })).rejects.toMatchObject({
      status: 400,
      code: 'unsupported_parameter',
      param: 'dimensions',
    })
    const dropped = await encodedEmbeddings(target, { dimensions: 512, unsupportedParameters: 'drop' })
    expect(dropped.adjustments).toEqual([{ parameter: 'dimensions', action: 'dropped' }])
    expect(dropped.body).not.toHaveProperty('dimensions')
    expect(dropped.body).not.toHaveProperty('output_dimension')
  })

  it('refuses token ids for a vendor that takes texts', async () => {
    const call = encodedEmbeddings(ollama()('nomic-embed-text'), { inputs: ['a', [1]] })
    await expect(call).rejects.toMatchObject({ status: 400, code: 'unsupported_value', param: 'input' })
  })

  it('drops and reports what the vendor does not know', async () => {
    const extra = { input_type: 'query', absent: null, api_base: 'https://evil.example' }
    const { body, adjustments } = await encodedEmbeddings(small, { extra })
    expect(Object.keys(body)).toEqual(['model', 'input', 'encoding_format'])
    expect(adjustments).toEqual([
      { parameter: 'input_type', action: 'dropped', detail: 'not known to this vendor' },
      { parameter: 'api_base', action: 'dropped', detail: 'where a request goes is set by the service' },
    ])
    const hinted = await encodedEmbeddings(ollama()('m'), { user: 'ann' })
    expect(hinted.adjustments).toEqual([{ parameter: 'user', action: 'dropped' }])
    expect(hinted.body).not.toHaveProperty('user')
  })

  it('gives an unknown server every field, but what would redirect it, replace the input or change the encoding', async () => {
    const extra = JSON.parse(
      '{"input_type":"query","__proto__":{"x":1},"Input":"other","model_":"other","encodingFormat":"bytes","output_dtype":"int8","base_url":"https://evil.example"}',
    )
    const { body, adjustments } = await encodedEmbeddings(plain, { extra })
    expect(JSON.stringify(body)).toBe(
      '{"input_type":"query","__proto__":{"x":1},"model":"acme-embed","input":["Hello"]}',
    )
    expect(adjustments.map(({ parameter }) => parameter)).toEqual([
      'Input',
      'model_',
      'encodingFormat',
      'output_dtype',
      'base_url',
    ])
  })

  it('has the fields that a server needs, unless the caller sends them', async () => {
    const acme = openaiCompatible({
      name: 'acme',
      baseURL: 'https://acme.example/v1',
      embeddings: { defaults: { truncation: false }, fields: ['truncation'], maxInputs: 3 },
    })
    expect((await encodedEmbeddings(acme('m'))).body.truncation).toBe(false)
    expect((await encodedEmbeddings(acme('m'), { extra: { truncation: true } })).body.truncation).toBe(true)
    expect(acme.provider.embed?.maxInputs).toBe(3)
  })
})

describe('the answer', () => {
  it('has the vectors as the vendor wrote them, in the order of their inputs', async () => {
    const body =
      '{"data":[{"index":1,"embedding":[ 1,\n2.50 ]},{"embedding":[0.1234567890123456789,-3e-9],"index":0}],"model":"m-2","usage":{"prompt_tokens":7,"total_tokens":7}}'
    expect(await decodedEmbeddings(small, { body }, { inputs: ['a', 'b'] })).toEqual({
      vectors: [
        { kind: 'json', text: '[0.1234567890123456789,-3e-9]' },
        { kind: 'json', text: '[ 1,\n2.50 ]' },
      ],
      model: 'm-2',
      promptTokens: 7,
    })
  })

  it('may be in the other encoding than was asked for', async () => {
    const base64 = await decodedEmbeddings(small, { json: listOf(entry(0, 'AAAAPwAAgL4=')) })
    expect(base64.vectors).toEqual([{ kind: 'base64', text: 'AAAAPwAAgL4=' }])
    const floats = await decodedEmbeddings(small, { json: listOf(entry(0)) }, { encoding: 'base64' })
    expect(floats.vectors).toEqual([{ kind: 'json', text: '[0.5,-0.25]' }])
  })

  it.each<[unknown, number | undefined]>([
    [{ prompt_tokens: 3, total_tokens: 4 }, 3],
    [{ total_tokens: 4 }, 4],
    [{ total_tokens: 0 }, undefined],
    [{ prompt_tokens: '3' }, undefined],
    [null, undefined],
    [undefined, undefined],
  ])('with the usage %j has %s tokens', async (usage, promptTokens) => {
    const reply = await decodedEmbeddings(plain, { json: { data: [entry(0)], usage } })
    expect(reply.promptTokens).toBe(promptTokens)
    expect(reply).not.toHaveProperty('model')
  })

  const two: EmbedParts = { inputs: ['a', 'b'] }
  it.each<[string, unknown, EmbedParts?]>([
    ['fewer vectors', listOf(entry(0)), two],
    ['more vectors', listOf(entry(0), entry(1))],
    ['no vectors', listOf(), two],
    ['no list', { object: 'list' }],
    ['another body', ['no']],
    ['a repeated index', listOf(entry(1), entry(1)), two],
    ['an index beyond the inputs', listOf(entry(0), entry(2)), two],
    ['a missing index', listOf(entry(0), entry(undefined)), two],
    ['an index that is no number', listOf(entry('0'))],
    ['a null', listOf(null)],
    ['an empty vector', listOf(entry(0, []))],
    ['an empty text', listOf(entry(0, ''))],
    ['a null in a vector', listOf(entry(0, [1, null]))],
    ['texts in a vector', listOf(entry(0, ['1', '2']))],
    ['a vector of vectors', listOf(entry(0, [[1, 2]]))],
    ['no vector', listOf(entry(0, null))],
    ['base64 of half a number', listOf(entry(0, 'AAAAPwAA'))],
    ['base64 with other characters', listOf(entry(0, 'AAAAPw-_gL4='))],
    ['base64 without its padding', listOf(entry(0, 'AAAAPwAAgL4'))],
    ['another length than asked for', listOf(entry(0)), { dimensions: 3 }],
    ['another length in base64', listOf(entry(0, 'AAAAPwAAgL4=')), { dimensions: 3 }],
  ])('is garbled with %s', async (_, json, parts) => {
    const reply = decodedEmbeddings(small, { json }, parts)
    await expect(reply).rejects.toMatchObject({ name: 'UpstreamError', kind: 'garbled' })
  })

  it.each(['', '{"data":[', '<html>', '{"data":[{"index":0,"embedding":[NaN]}]}'])(
    'is garbled if it is %s',
    async body => {
      await expect(decodedEmbeddings(small, { body })).rejects.toMatchObject({ kind: 'garbled' })
    },
  )

  it('has the length that was asked for', async () => {
    const reply = await decodedEmbeddings(small, { json: listOf(entry(0)) }, { dimensions: 2 })
    expect(reply.vectors).toHaveLength(1)
  })

  it('may have any length if the vendor has no dimensions', async () => {
    const target = openai({ apiKey: 'k' })('text-embedding-ada-002')
    const parts = { dimensions: 3, unsupportedParameters: 'drop' } as const
    expect((await decodedEmbeddings(target, { json: listOf(entry(0)) }, parts)).vectors).toHaveLength(1)
  })

  it('is refused with the status and the words of an error', async () => {
    const error = {
      message: "'$.input' is invalid.",
      type: 'invalid_request_error',
      param: 'input',
      code: null,
    }
    const answer = { status: 400, body: JSON.stringify({ error }) }
    await expect(decodedEmbeddings(small, answer)).rejects.toMatchObject({
      kind: 'refused',
      status: 400,
      param: 'input',
      vendorMessage: "'$.input' is invalid.",
    })
    const within = { json: { error: { message: 'Slow down.', code: 'rate_limit_exceeded' } } }
    await expect(decodedEmbeddings(small, within)).rejects.toMatchObject({ kind: 'refused', status: 429 })
  })
})

describe('known models', () => {
  it('show that they embed by their names', () => {
    const embeds = { operations: ['embed'] }
    expect(small.capabilities).toEqual(embeds)
    expect(ollama()('nomic-embed-text').capabilities).toEqual(embeds)
    expect(mistral({ apiKey: 'k' })('mistral-embed').capabilities).toEqual(embeds)
    expect(vllm()('Qwen/Qwen3-Embedding-8B').capabilities).toEqual(embeds)
    expect(openai({ apiKey: 'k' })('gpt-4o').capabilities).toBeUndefined()
    expect(ollama()('embedded-assistant').capabilities).toBeUndefined()
    expect(plain.capabilities).toBeUndefined()
  })
})

describe('the option embeddings', () => {
  it('is false for vendors without embeddings', () => {
    expect(groq({ apiKey: 'k' }).provider).not.toHaveProperty('embed')
    for (const { embeddings } of Object.values(presets)) expect(typeof embeddings).toMatch(/object|boolean/)
  })

  it.each<[unknown, string]>([
    [true, 'embeddings'],
    [[], 'embeddings'],
    [{ maxInputs: 0 }, 'embeddings.maxInputs'],
    [{ encodings: ['bytes'] }, 'embeddings.encodings'],
    [{ dimensions: true }, 'embeddings.dimensions'],
    [{ fixedDimensions: 'a' }, 'embeddings.fixedDimensions'],
    [{ tokens: 1 }, 'embeddings.tokens'],
    [{ user: null }, 'embeddings.user'],
    [{ fields: [''] }, 'embeddings.fields'],
    [{ defaults: [] }, 'embeddings.defaults'],
    [{ other: 1 }, 'embeddings.other'],
  ])('%j is a configuration error', (embeddings, path) => {
    const options = { name: 'acme', baseURL: 'https://acme.example/v1', embeddings: embeddings as false }
    expect(() => openaiCompatible(options)).toThrow(path)
  })
})

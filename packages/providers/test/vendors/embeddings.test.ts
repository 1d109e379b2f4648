import { createGateway, models } from '@sluice/core'
import type { Target, Transport, UpstreamRequest } from '@sluice/core/provider'
import * as providers from '@sluice/providers'
import { describe, expect, it } from 'vitest'
import { scriptedResponse } from '../scripted-response.ts'

/** A vector that shows which text it is of. It is exact as float32. */
const vectorOf = (text: string): number[] => [text.length, text.charCodeAt(0) / 128, -0.5]

function base64Of(values: readonly number[]): string {
  const bytes = Buffer.alloc(values.length * 4)
  for (const [at, value] of values.entries()) bytes.writeFloatLE(value, at * 4)
  return bytes.toString('base64')
}

type Body = Record<string, never> & {
  input: string[]
  texts: string[]
  inputText: string
  encoding_format?: string
  instances: { content: string }[]
  requests: { content: { parts: { text: string }[] } }[]
  content: { parts: { text: string }[] }
  singleEmbeddingParams: { text: { value: string } }
}

/** Each vendor: a target, and its answer to a body. */
const vendors: Readonly<Record<string, readonly [Target, (body: Body) => object, perCall: number]>> = (() => {
  const key = { apiKey: 'k' }
  const openai = ({ input, encoding_format: encoding }: Body) => ({
    // In another order than the inputs.
    data: input
      .map((text, index) => {
        const vector = vectorOf(text)
        return { index, embedding: encoding === 'base64' ? base64Of(vector) : vector }
      })
      .reverse(),
    usage: { prompt_tokens: input.length },
  })
  const floats = (body: Body) => openai({ ...body, encoding_format: 'float' } as Body)
  const cohere = ({ texts }: Body) => ({
    embeddings: { float: texts.map(vectorOf) },
    meta: { billed_units: { input_tokens: texts.length } },
  })
  const titan = ({ inputText }: Body) => ({ embedding: vectorOf(inputText), inputTextTokenCount: 1 })
  const bedrock = providers.bedrock({ region: 'us-east-1', bearerToken: 't' })
  const vertex = providers.vertex({ project: 'p', location: 'global', token: 't' })
  return {
    openai: [providers.openai(key)('text-embedding-3-small'), openai, 2_048],
    azure: [providers.azure({ ...key, resource: 'r' })('text-embedding-3-small'), openai, 2_048],
    ollama: [providers.ollama()('nomic-embed-text'), floats, 2_048],
    vllm: [providers.vllm()('m'), openai, 2_048],
    // A server that ignores the encoding.
    llamacpp: [providers.llamacpp()('m'), floats, 2_048],
    mistral: [providers.mistral(key)('mistral-embed'), floats, 256],
    voyage: [providers.voyage(key)('voyage-3.5'), openai, 1_000],
    cohere: [providers.cohere(key)('embed-v4.0'), cohere, 96],
    gemini: [
      providers.gemini(key)('gemini-embedding-001'),
      ({ requests }) => ({
        embeddings: requests.map(({ content }) => ({ values: vectorOf(content.parts[0]!.text) })),
        usageMetadata: { promptTokenCount: requests.length },
      }),
      100,
    ],
    'vertex predict': [
      vertex('text-embedding-005'),
      ({ instances }) => ({
        predictions: instances.map(({ content }) => ({
          embeddings: { values: vectorOf(content), statistics: { token_count: 1 } },
        })),
      }),
      250,
    ],
    'vertex embedContent': [
      vertex('gemini-embedding-2'),
      ({ content }) => ({
        embedding: { values: vectorOf(content.parts[0]!.text) },
        usageMetadata: { promptTokenCount: 1 },
      }),
      1,
    ],
    'bedrock Titan 1': [bedrock('amazon.titan-embed-text-v1'), titan, 1],
    'bedrock Titan 2': [bedrock('amazon.titan-embed-text-v2:0'), titan, 1],
    'bedrock Nova': [
      bedrock('amazon.nova-2-multimodal-embeddings-v1:0'),
      body => ({ embeddings: [{ embedding: vectorOf(body.singleEmbeddingParams.text.value) }] }),
      1,
    ],
    'bedrock Cohere': [bedrock('cohere.embed-v4:0'), cohere, 96],
  }
})()

function withoutFirstVector(answer: object): object {
  let isFound = false
  return JSON.parse(JSON.stringify(answer), (name, value) => {
    const isVector = Array.isArray(value)
      ? typeof value[0] === 'number'
      : name === 'embedding' && typeof value === 'string'
    if (isFound || !isVector) return value
    isFound = true
    return null
  })
}

/** What a caller of a gateway in front of the vendor gets. */
async function embeddings(target: Target, answer: (body: Body) => object, fields: object) {
  const sent: UpstreamRequest[] = []
  const transport: Transport = async request => {
    sent.push(request)
    return scriptedResponse({
      headers: { 'x-amzn-bedrock-input-token-count': '1' },
      body: JSON.stringify(answer(JSON.parse(String(request.body)))),
    })
  }
  const gateway = createGateway({
    authenticate: () => ({ id: 'ann' }),
    route: models({ public: target }),
    transport,
    retry: false,
  })
  const response = await gateway.fetch('http://sluice.test/v1/embeddings', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'public', ...fields }),
  })
  const json = await response.json()
  await gateway.close()
  return { status: response.status, json, sent }
}

describe.each(Object.entries(vendors))('embeddings of %s', (_, [target, answer, perCall]) => {
  const input = Array.from({ length: 5 }, (_, at) => 'abcde'.slice(at))

  it('are those of the inputs, in order, as numbers', async () => {
    const { status, json, sent } = await embeddings(target, answer, { input })
    expect(status).toBe(200)
    expect(json).toEqual({
      object: 'list',
      data: input.map((text, index) => ({ object: 'embedding', index, embedding: vectorOf(text) })),
      model: 'public',
      usage: { prompt_tokens: 5, total_tokens: 5 },
    })
    expect(sent).toHaveLength(Math.ceil(5 / perCall))
  })

  it('are the same as base64', async () => {
    const { json } = await embeddings(target, answer, { input, encoding_format: 'base64' })
    expect(json.data).toEqual(
      input.map((text, index) => ({ object: 'embedding', index, embedding: base64Of(vectorOf(text)) })),
    )
  })

  it('of many inputs are put together in order', async () => {
    const many = Array.from({ length: Math.min(perCall * 2 + 1, 2_048) }, (_, at) => `${at % 97} text`)
    const { json, sent } = await embeddings(target, answer, { input: many })
    expect(json.data.map(({ embedding }: { embedding: number[] }) => embedding)).toEqual(many.map(vectorOf))
    expect(json.usage.prompt_tokens).toBe(many.length)
    expect(sent).toHaveLength(Math.ceil(many.length / perCall))
  })

  it('with a vector that is missing are a 502', async () => {
    const fewer = (body: Body) => withoutFirstVector(answer(body))
    expect((await embeddings(target, fewer, { input })).status).toBe(502)
  })
})

it('local() embeds through a gateway', async () => {
  const gateway = createGateway({
    authenticate: () => ({ id: 'ann' }),
    route: models({ demo: providers.local()('demo') }),
  })
  const post = async (fields: object) => {
    const response = await gateway.fetch('http://sluice.test/v1/embeddings', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo', ...fields }),
    })
    return { status: response.status, json: await response.json() }
  }
  const inputs = Array.from({ length: 150 }, (_, at) => `text ${at}`)
  const { json } = await post({ input: inputs, dimensions: 8 })
  expect(json.data).toHaveLength(150)
  expect(json.usage.prompt_tokens).toBe(300)
  const base64 = await post({ input: inputs[149], dimensions: 8, encoding_format: 'base64' })
  expect(base64.json.data[0].embedding).toBe(base64Of(json.data[149].embedding))
  expect((await post({ input: 'a', dimensions: 10_000 })).status).toBe(400)
  await gateway.close()
})

import { createOpenAI } from '@ai-sdk/openai'
import { createOpenAICompatible } from '@ai-sdk/openai-compatible'
import { OpenAIEmbeddings } from '@langchain/openai'
import { cosineSimilarity, embed, embedMany } from 'ai'
import OpenAI, { BadRequestError, NotFoundError } from 'openai'
import { expect, it } from 'vitest'
import { overServices, type Service } from './service.ts'

const question = 'How do I reset my password?'
const near = 'reset a forgotten password'
const far = 'Grilled fish with lemon'

const openai = ({ baseURL, fetch }: Service) =>
  new OpenAI({ baseURL, fetch, apiKey: 'good-key', maxRetries: 0 })

overServices(service => {
  const create = (more: Partial<OpenAI.EmbeddingCreateParams>) =>
    openai(service).embeddings.create({ model: 'local', input: question, ...more })

  it('are floats for the openai client, which asks for base64 by default', async () => {
    const { data, model, usage } = await create({ dimensions: 64 })
    expect([data.length, data[0]!.index, data[0]!.embedding.length, model]).toEqual([1, 0, 64, 'local'])
    expect(usage).toEqual({ prompt_tokens: 7, total_tokens: 7 })
    const floats = await create({ dimensions: 64, encoding_format: 'float' })
    expect(floats.data[0]!.embedding.map(Math.fround)).toEqual(Array.from(data[0]!.embedding))
    const base64 = await create({ dimensions: 64, encoding_format: 'base64' })
    expect(base64.data[0]!.embedding).toEqual(expect.stringMatching(/^[A-Za-z0-9+/]{342}==$/))
  })

  it('are in the order of the inputs, also of token ids and of more than a call takes', async () => {
    const input = Array.from({ length: 200 }, (_, index) => `text ${index}`)
    const { data } = await create({ input })
    expect(data.map(({ index }) => index)).toEqual(input.map((_, index) => index))
    const one = await create({ input: input[170]! })
    expect(data[170]!.embedding).toEqual(one.data[0]!.embedding)
    expect((await create({ input: [1, 2, 3] })).data).toHaveLength(1)
    expect((await create({ input: [[1, 2, 3], [4]] })).data).toHaveLength(2)
  })

  it('are refused with the errors of the openai client', async () => {
    await expect(create({ input: [] })).rejects.toMatchObject({ code: 'empty_array', param: 'input' })
    await expect(create({ input: '' })).rejects.toBeInstanceOf(BadRequestError)
    await expect(create({ dimensions: -1 })).rejects.toThrow(
      "400 -1 is less than the minimum of 1 - 'dimensions'",
    )
    await expect(create({ model: 'none' })).rejects.toBeInstanceOf(NotFoundError)
    const request_id = expect.stringMatching(/^req_/)
    await expect(create({ model: 'hanging-chat' })).rejects.toMatchObject({ requestID: request_id })
  })

  it('come to the AI SDK', async () => {
    const { baseURL } = service
    const options = { baseURL, apiKey: 'good-key', ...(service.fetch && { fetch: service.fetch }) }
    const models = [
      createOpenAI(options).embedding('local'),
      createOpenAICompatible({ name: 'sluice', ...options }).textEmbeddingModel('local'),
    ]
    for (const model of models) {
      const { embeddings, usage } = await embedMany({ model, values: [question, near, far] })
      const [asked, similar, other] = embeddings
      expect(cosineSimilarity(asked!, similar!)).toBeGreaterThan(cosineSimilarity(asked!, other!))
      expect(usage.tokens).toBe(15)
      expect((await embed({ model, value: near })).embedding).toEqual(similar)
    }
  })

  it('come to LangChain', async () => {
    const embeddings = new OpenAIEmbeddings({
      model: 'local',
      apiKey: 'good-key',
      dimensions: 32,
      batchSize: 2,
      configuration: { baseURL: service.baseURL, fetch: service.fetch },
    })
    const documents = await embeddings.embedDocuments([question, near, far])
    expect(documents.map(({ length }) => length)).toEqual([32, 32, 32])
    expect(await embeddings.embedQuery(near)).toEqual(documents[1])
  })
})

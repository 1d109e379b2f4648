import { createGateway, models } from '@sluice/core'
import type { Call, ChatRequest } from '@sluice/core/provider'
import { startUpstream, steps } from '@sluice/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { encodedEmbeddings } from '../test/embeddings.ts'
import { cohere } from './cohere.ts'

const vendor = cohere({ apiKey: 'the-key' })
const messages = [{ role: 'user' as const, content: 'Write a haiku.' }]

async function encoded(fields: Partial<ChatRequest>, mode: Call['unsupportedParameters'] = 'refuse') {
  const { provider, model } = vendor('command-a-03-2025')
  const input = { model: 'public', messages, ...fields }
  const {
    url,
    headers,
    body,
    adjustments = [],
  } = await provider.encode({
    input,
    model,
    unsupportedParameters: mode,
  })
  return { url, headers, body: JSON.parse(String(body)), adjustments }
}

describe('cohere', () => {
  it('gets what its compatible API is documented to take', async () => {
    const fields = {
      temperature: 0.3,
      top_p: 0.9,
      seed: 7,
      stop: ['end'],
      frequency_penalty: 0.1,
      presence_penalty: 0.1,
      reasoning_effort: 'high',
      response_format: { type: 'json_object' },
      stream: true,
    } as const
    const { url, headers, body } = await encoded({ ...fields, max_completion_tokens: 50 })
    expect(url).toBe('https://api.cohere.ai/compatibility/v1/chat/completions')
    expect(headers.authorization).toBe('Bearer the-key')
    expect(body).toEqual({ model: 'command-a-03-2025', messages, ...fields, max_tokens: 50 })
  })

  it.each([
    [{ n: 2 }, 'n'],
    [{ logprobs: true }, 'logprobs'],
    [{ logit_bias: { 1: 2 } }, 'logit_bias'],
    [{ parallel_tool_calls: false }, 'parallel_tool_calls'],
    [{ reasoning_effort: 'low' }, 'reasoning_effort'],
  ] as const)('is not sent what changes the answer and is not supported: %j', async (fields, param) => {
    await expect(encoded(fields as Partial<ChatRequest>)).rejects.toMatchObject({ status: 400, param })
    const { body, adjustments } = await encoded(fields as Partial<ChatRequest>, 'drop')
    expect(body).not.toHaveProperty(param)
    expect(adjustments).toMatchObject([{ parameter: param, action: 'dropped' }])
  })

  it('is not sent hints', async () => {
    const { body, adjustments } = await encoded({ user: 'eve', store: true, service_tier: 'flex' })
    expect(body).toEqual({ model: 'command-a-03-2025', messages })
    expect(adjustments.map(({ parameter }) => parameter).sort()).toEqual(['service_tier', 'store', 'user'])
  })

  it('embeds and ranks by its own API, and each model does one thing', async () => {
    expect((await encodedEmbeddings(vendor('embed-v4.0'))).url).toBe('https://api.cohere.com/v2/embed')
    const does = (model: string) => vendor(model).capabilities?.operations
    expect(does('embed-v4.0')).toEqual(['embed'])
    expect(does('rerank-v3.5')).toEqual(['rerank'])
    expect(does('command-a-03-2025')).toEqual(['generate'])
    expect(does('ours')).toBeUndefined()
  })

  it('has all of them beside each other at another URL', async () => {
    const shape = {
      id: 'x',
      object: 'chat.completion',
      created: 1,
      model: 'command-a-03-2025',
      choices: [
        { index: 0, finish_reason: 'stop', message: { role: 'assistant', content: 'Recursive loops' } },
      ],
      usage: { prompt_tokens: 8, completion_tokens: 3, total_tokens: 11 },
    }
    const piece = (delta: object, finish_reason: string | null) => ({
      ...shape,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, finish_reason, delta }],
      usage: undefined,
    })
    const upstream = await startUpstream(({ json, path }) => {
      if (path.endsWith('/rerank')) return steps.reply({ results: [{ index: 0, relevance_score: 0.5 }] })
      if ((json as { stream?: boolean }).stream !== true) return steps.reply(shape)
      const text = [
        piece({ content: 'Recursive' }, null),
        piece({ content: ' loops' }, null),
        piece({}, 'stop'),
      ]
      return [
        steps.head(),
        ...text.map(chunk => steps.body(`data: ${JSON.stringify(chunk)}\n\n`)),
        steps.body('data: [DONE]\n\n'),
        steps.end(),
      ]
    })
    onTestFinished(() => upstream.close())
    const there = cohere({ apiKey: 'k', baseURL: `${upstream.url}/proxy/v2/` })
    const gateway = createGateway({
      authenticate: () => ({ id: 'ann' }),
      route: models({ chat: there('command-a-03-2025'), rank: there('rerank-v3.5') }),
    })
    onTestFinished(() => gateway.close())
    const post = (path: string, body: object) =>
      gateway.fetch(`http://sluice.test/v1/${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const answer = await (await post('chat/completions', { model: 'chat', messages })).json()
    expect(answer).toMatchObject({
      choices: [{ message: { content: 'Recursive loops' } }],
      usage: shape.usage,
    })
    const stream = await (await post('chat/completions', { model: 'chat', messages, stream: true })).text()
    expect(stream).toMatch(/Recursive[\s\S]* loops[\s\S]*\[DONE\]/)
    expect((await post('rerank', { model: 'rank', query: 'q', documents: ['d'] })).status).toBe(200)
    expect((await post('rerank', { model: 'chat', query: 'q', documents: ['d'] })).status).toBe(400)
    expect(upstream.requests.map(({ path }) => path)).toEqual([
      '/proxy/compatibility/v1/chat/completions',
      '/proxy/compatibility/v1/chat/completions',
      '/proxy/v2/rerank',
    ])
  })

  it('rejects options that it does not know, and needs a key', () => {
    expect(() => cohere({ apiKey: 'k', region: 'eu' } as object)).toThrow('region')
    expect(() => cohere({ apiKey: '' })).toThrow('apiKey')
    expect(() => cohere({ apiKey: 'k', baseURL: 'ftp://host' })).toThrow('baseURL')
  })
})

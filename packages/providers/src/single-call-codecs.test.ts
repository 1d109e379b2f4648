import { GatewayError } from '@sluice/core'
import { type ModerateCall, type RerankCall, UpstreamError } from '@sluice/core/provider'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { scriptedResponse } from '../test/scripted-response.ts'
import { parseTextCompletion, readTextChunk } from './completions/text-completion.ts'
import { decodeModeration, moderationCodec } from './moderations/moderation-codec.ts'
import { openaiCompatible } from './openai-compatible.ts'
import { decodeRerank, rerankCodec } from './rerank/rerank-codec.ts'

const endpoint = () => ({ url: 'https://there.test/rerank', headers: { authorization: 'Bearer k' } })

const rerankCall = (extra?: RerankCall['request']['extra']): RerankCall => ({
  request: {
    dialect: 'rerank',
    model: 'public',
    body: {},
    query: 'q',
    documents: ['d'],
    inputs: ['q', 'd'],
    topN: 1,
    extra,
  },
  model: 'theirs',
})

describe('the codec of rankings', () => {
  it('sends the names of the vendor, its defaults and the fields that it knows', async () => {
    const codec = rerankCodec(endpoint, {
      topN: 'top_k',
      fields: ['truncation'],
      defaults: { truncation: false },
    })
    const { body, adjustments, headers } = await codec.encode(rerankCall({ truncation: true, other: 1 }))
    expect(JSON.parse(String(body))).toEqual({
      model: 'theirs',
      query: 'q',
      documents: ['d'],
      top_k: 1,
      truncation: true,
    })
    expect(adjustments).toMatchObject([{ parameter: 'other', action: 'dropped' }])
    expect(headers).toMatchObject({ authorization: 'Bearer k', 'content-type': 'application/json' })
    const plain = await codec.encode(rerankCall())
    expect(JSON.parse(String(plain.body))).toMatchObject({ truncation: false })
    expect(plain).not.toHaveProperty('adjustments')
  })

  it.each([
    [{ usage: { total_tokens: 9, prompt_tokens: 4 } }, { promptTokens: 9 }],
    [{ usage: { prompt_tokens: 4 } }, { promptTokens: 4 }],
    [{ usage: { total_tokens: 0 } }, {}],
    [
      { meta: { tokens: { input_tokens: 7 }, billed_units: { search_units: 2 } } },
      { promptTokens: 7, searchUnits: 2 },
    ],
    [{ meta: null, usage: [], model: 'm' }, { model: 'm' }],
  ])('reads what is billed: %j', async (more, expected) => {
    const json = { results: [{ index: 0, relevance_score: 0.5 }], ...more }
    const reply = await decodeRerank(scriptedResponse({ body: JSON.stringify(json) }))
    expect(reply).toEqual({ results: [{ index: 0, score: 0.5 }], ...expected })
  })

  it('reports an error, also with status 200', async () => {
    const refused = scriptedResponse({ status: 429, body: '{"message":"slow down"}' })
    await expect(decodeRerank(refused)).rejects.toMatchObject({ kind: 'refused', status: 429 })
    const hidden = scriptedResponse({ body: '{"error":{"message":"No.","type":"invalid_request_error"}}' })
    await expect(decodeRerank(hidden)).rejects.toMatchObject({ kind: 'refused' })
  })
})

describe('the codec of moderations', () => {
  it('passes the body on', async () => {
    const text = '{"input":"a" , "model":"public","x":1.0}'
    const call: ModerateCall = {
      request: { dialect: 'moderations', model: 'public', body: JSON.parse(text), text, inputs: ['a'] },
      model: 'theirs',
    }
    expect((await moderationCodec(endpoint).encode(call)).body).toBe(text.replace('public', 'theirs'))
    expect((await moderationCodec(endpoint).encode({ ...call, model: 'public' })).body).toBe(text)
  })
})

it('what a vendor answers is read, or an UpstreamError', async () => {
  const wrapped = fc.oneof(
    fc.jsonValue(),
    fc.record({ results: fc.jsonValue(), usage: fc.jsonValue(), meta: fc.jsonValue() }),
    fc.record({ choices: fc.oneof(fc.jsonValue(), fc.array(fc.jsonValue())), usage: fc.jsonValue() }),
  )
  const expectUpstreamError = (error: unknown) => {
    if (!UpstreamError.is(error)) throw error
  }
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        wrapped.map(value => JSON.stringify(value)),
        fc.string(),
      ),
      async text => {
        for (const read of [decodeRerank, decodeModeration])
          await read(scriptedResponse({ body: text })).then(() => undefined, expectUpstreamError)
        for (const read of [parseTextCompletion, readTextChunk]) {
          for (const form of ['text', 'message'] as const) {
            try {
              read(text, form)
            } catch (error) {
              expectUpstreamError(error)
            }
          }
        }
      },
    ),
    { numRuns: 300 },
  )
})

it.each([
  [{ rerank: true }, 'rerank'],
  [{ rerank: { topN: 'n' } }, 'topN'],
  [{ rerank: { path: 'rerank' } }, 'path'],
  [{ rerank: { path: '/../admin' } }, 'path'],
  [{ rerank: { maxDocuments: 0 } }, 'maxDocuments'],
  [{ rerank: { fields: 'x' } }, 'fields'],
  [{ rerank: { defaults: [] } }, 'defaults'],
  [{ rerank: { other: 1 } }, 'other'],
  [{ moderations: {} }, 'moderations'],
  [{ completions: true }, 'completions'],
  [{ completions: { path: '//evil.test/x' } }, 'path'],
  [{ completions: { streamOptions: 1 } }, 'streamOptions'],
  [{ completions: { choices: 'chat' } }, 'choices'],
  [{ completions: { other: 1 } }, 'other'],
  [{ reasoningEfforts: 'high' }, 'reasoningEfforts'],
])('openaiCompatible refuses %j', (options, name) => {
  const make = () => openaiCompatible({ name: 'acme', baseURL: 'https://acme.test/v1', ...options } as never)
  expect(make).toThrow(TypeError)
  expect(make).toThrow(name)
  expect(make).not.toThrow(GatewayError)
})

import type {
  Call,
  CountCodec,
  EncodedNativeRequest,
  JsonObject,
  NativeCall,
  Target,
  UpstreamResponse,
} from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { anthropic } from '../../src/anthropic.ts'
import { bedrock } from '../../src/bedrock.ts'
import { gemini } from '../../src/gemini.ts'
import { vertex } from '../../src/vertex.ts'
import { nativeCall } from '../native-call.ts'
import { scriptedResponse } from '../scripted-response.ts'

const claude = anthropic({ apiKey: 'sk-test' })('claude-sonnet-4-20250514')
const cloud = vertex({ project: 'p', location: 'us-east5', token: 't', beta: ['context-1m-2025-08-07'] })
const studio = gemini({ apiKey: 'key' })('gemini-2.5-flash')
const aws = bedrock({ region: 'us-east-1', bearerToken: 't' })

const input: Call['input'] = {
  model: 'public',
  max_tokens: 9,
  temperature: 0.5,
  stop: ['x'],
  messages: [
    { role: 'system', content: 'Be brief.' },
    { role: 'user', content: 'Hi' },
  ],
  tools: [{ type: 'function', function: { name: 'f', parameters: { type: 'object', properties: {} } } }],
}

const codecOf = ({ provider }: Target): CountCodec => provider.count!

async function encoded(target: Target, more: Partial<Call> = {}) {
  const request = await codecOf(target).encode!({ model: target.model, input, ...more })
  return sent(request)
}

function sent({ body, ...request }: EncodedNativeRequest) {
  return { ...request, body: JSON.parse(String(body)) as JsonObject }
}

const decoded = async (target: Target, answer: Parameters<typeof scriptedResponse>[0]) =>
  codecOf(target).decode(scriptedResponse(answer) as UpstreamResponse, { model: target.model, input })

describe('a request for the number of tokens', () => {
  it('of Anthropic has what a message is counted by, and nothing else', async () => {
    const { url, headers, body, adjustments } = await encoded(claude)
    expect(url).toBe('https://api.anthropic.com/v1/messages/count_tokens')
    expect(headers).toEqual({
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      'x-api-key': 'sk-test',
      'anthropic-version': '2023-06-01',
    })
    expect(body).toEqual({
      model: 'claude-sonnet-4-20250514',
      system: 'Be brief.',
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }] }],
      tools: [{ name: 'f', input_schema: { type: 'object', properties: {} } }],
    })
    expect(adjustments).toBeUndefined()
  })

  it('of a Claude model at Google goes to a resource of its own, and names the model', async () => {
    const target = cloud('claude-sonnet-4@20250514')
    const { url, headers, body } = await encoded(target)
    expect(url).toBe(
      'https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5/publishers/anthropic/models/count-tokens:rawPredict',
    )
    expect(headers).toMatchObject({ authorization: 'Bearer t', 'anthropic-beta': 'context-1m-2025-08-07' })
    expect(Object.keys(body).sort()).toEqual(['anthropic_version', 'messages', 'model', 'system', 'tools'])
    expect(body).toMatchObject({ anthropic_version: 'vertex-2023-10-16', model: 'claude-sonnet-4@20250514' })
  })

  it('of a Gemini model at Google has the prompt and its settings', async () => {
    const { url, body } = await encoded(cloud('gemini-2.5-pro'))
    expect(url).toBe(
      'https://us-east5-aiplatform.googleapis.com/v1/projects/p/locations/us-east5/publishers/google/models/gemini-2.5-pro:countTokens',
    )
    expect(Object.keys(body).sort()).toEqual(['contents', 'generationConfig', 'systemInstruction', 'tools'])
  })

  it('of the Gemini API has the request that is counted', async () => {
    const { url, headers, body } = await encoded(studio)
    expect(url).toBe('https://generativelanguage.googleapis.com/v1beta/models/gemini-2.5-flash:countTokens')
    expect(headers['x-goog-api-key']).toBe('key')
    expect(body).toMatchObject({
      generateContentRequest: {
        model: 'models/gemini-2.5-flash',
        contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
        systemInstruction: { parts: [{ text: 'Be brief.' }] },
      },
    })
  })

  it.each([
    ['anthropic.claude-sonnet-4-20250514-v1:0', 'anthropic.claude-sonnet-4-20250514-v1%3A0'],
    ['us.anthropic.claude-sonnet-4-20250514-v1:0', 'anthropic.claude-sonnet-4-20250514-v1%3A0'],
    ['amazon.nova-lite-v1:0', 'amazon.nova-lite-v1%3A0'],
  ])('of %s at Bedrock names the model, not its profile', async (model, path) => {
    const { url, headers, body } = await encoded(aws(model))
    expect(url).toBe(`https://bedrock-runtime.us-east-1.amazonaws.com/model/${path}/count-tokens`)
    expect(headers.accept).toBe('application/json')
    const { converse } = body.input as { readonly converse: JsonObject }
    expect(converse).toMatchObject({
      messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
      system: [{ text: 'Be brief.' }],
      toolConfig: { tools: [{ toolSpec: { name: 'f' } }] },
    })
    expect(converse).not.toHaveProperty('inferenceConfig')
  })
})

describe("a caller's own request for the number of tokens", () => {
  const native = async (target: Target, call: NativeCall) => codecOf(target).encodeNative!(call)

  it('is sent as it came where nothing has to change', async () => {
    const text = '{"model":"claude-x", "messages": [{"role":"user","content":"\\u0048i"}],"future":1.0}'
    const request = await native(claude, nativeCall(text, { model: 'claude-x' }))
    expect(request.url).toBe('https://api.anthropic.com/v1/messages/count_tokens')
    expect(request.body).toBe(text)
    expect(request.headers).toMatchObject({ accept: 'application/json', 'x-api-key': 'sk-test' })
  })

  it('loses what the API refuses in a count, also overrides of the target', async () => {
    const text =
      '{"model":"public","max_tokens":5,"stream":true,"messages":[],"metadata":{"user_id":"u"},"thinking":{"type":"adaptive"}}'
    const call = nativeCall(text, {
      model: 'claude-x',
      edits: [{ path: ['temperature'], value: 0 }],
      headers: { 'anthropic-beta': 'one', 'anthropic-version': '2026-10-21' },
    })
    const { body, headers } = sent(await native(claude, call))
    expect(body).toEqual({ model: 'claude-x', messages: [], thinking: { type: 'adaptive' } })
    expect(headers).toMatchObject({
      accept: 'application/json',
      'anthropic-beta': 'one',
      'anthropic-version': '2026-10-21',
    })
  })

  it('names the model and the version in the body at Google, which knows some betas', async () => {
    const target = cloud('claude-sonnet-4@20250514')
    const call = nativeCall('{"model":"public","messages":[]}', {
      model: target.model,
      headers: { 'anthropic-beta': 'computer-use-2025-01-24,unheard-of' },
    })
    const { url, headers, body } = sent(await native(target, call))
    expect(url).toMatch(/\/models\/count-tokens:rawPredict$/)
    expect(headers).not.toHaveProperty('anthropic-beta')
    expect(body).toEqual({
      model: 'claude-sonnet-4@20250514',
      messages: [],
      anthropic_version: 'vertex-2023-10-16',
      anthropic_beta: ['context-1m-2025-08-07', 'computer-use-2025-01-24'],
    })
  })
})

describe('the number of tokens', () => {
  const vendors: readonly (readonly [string, Target, string])[] = [
    ['Anthropic', claude, 'input_tokens'],
    ['Claude at Google', cloud('claude-sonnet-4@20250514'), 'input_tokens'],
    ['Gemini at Google', cloud('gemini-2.5-pro'), 'totalTokens'],
    ['the Gemini API', studio, 'totalTokens'],
    ['Bedrock', aws('amazon.nova-lite-v1:0'), 'inputTokens'],
  ]

  it.each(vendors)('is read from the answer of %s', async (_, target, name) => {
    expect(await decoded(target, { body: `{"${name}":2095,"other":1}` })).toEqual({ promptTokens: 2095 })
    expect(await decoded(target, { body: `{"${name}":0}` })).toEqual({ promptTokens: 0 })
  })

  it.each(vendors)('is a failure where %s gives none', async (_, target, name) => {
    const bodies = ['', '[]', '{}', 'null', `{"${name}":"5"}`, `{"${name}":-1}`, `{"${name}":1.5}`, '[[[']
    for (const body of bodies) {
      await expect(decoded(target, { body }), body).rejects.toMatchObject({ kind: 'garbled' })
    }
    await expect(
      decoded(target, { status: 404, body: '{"error":{"message":"no such model"}}' }),
    ).rejects.toMatchObject({ kind: 'refused', status: 404 })
  })
})

import { GatewayError } from '@sluice/core'
import type { EncodedRequest, Provider } from '@sluice/core/provider'
import {
  anthropic,
  bedrock,
  deepseek,
  moonshot,
  ollama,
  openaiCompatible,
  openrouter,
  presets,
  vertex,
  zai,
} from '@sluice/providers'
import { describe, expect, it } from 'vitest'
import { type NativeGiven, nativeCall } from '../native-call.ts'

const plain =
  '{ "model": "public", "max_tokens": 1e2, "messages": [{"role":"user","content":"h\\u00e9 \\ud83d\\ude00"}], "new": null }'

type Native = Required<Pick<Provider, 'encodeNative' | 'decodeNative'>>

const native = (provider: Provider) => provider as Provider & Native
const encoded = (provider: Provider, text: string, given?: NativeGiven) =>
  native(provider).encodeNative(nativeCall(text, given)) as EncodedRequest | Promise<EncodedRequest>
const spoken = ({ speaks }: Provider, model: string) =>
  typeof speaks === 'function' ? speaks(model) : (speaks ?? [])

const claude = anthropic({ apiKey: 'sk-test' }).provider
const google = vertex({ project: 'ours', location: 'us-east5', token: 'ya-token' }).provider
const aws = bedrock({ region: 'us-east-1', bearerToken: 'aws-token' }).provider
const acme = openaiCompatible({
  name: 'acme',
  baseURL: 'https://llm.acme.example/v1',
  apiKey: 'sk-acme',
  speaks: ['messages'],
}).provider

describe('the dialects that a provider speaks', () => {
  it.each<[string, Provider, string, readonly string[]]>([
    ['anthropic', claude, 'claude-opus-4-1', ['messages']],
    ['anthropic without', anthropic({ apiKey: 'k', speaks: [] }).provider, 'claude-opus-4-1', []],
    ['vertex with Claude', google, 'claude-opus-4-1@20250805', ['messages']],
    ['vertex with Gemini', google, 'gemini-2.5-pro', []],
    ['vertex with no name of a model', google, '..', []],
    [
      'vertex for all models',
      vertex({ project: 'p', location: 'l', token: 't', speaks: ['messages'] }).provider,
      'endpoints/1',
      ['messages'],
    ],
    ['bedrock with Claude', aws, 'us.anthropic.claude-sonnet-4-20250514-v1:0', ['messages']],
    ['bedrock with Nova', aws, 'us.amazon.nova-lite-v1:0', []],
    ['a compatible server', openaiCompatible({ name: 'a', baseURL: 'http://a.test' }).provider, 'a', []],
    ['one that speaks it', acme, 'a', ['messages']],
    ['openrouter', openrouter({ apiKey: 'k' }).provider, 'a', ['messages', 'responses']],
    ['openrouter elsewhere', openrouter({ apiKey: 'k', baseURL: 'http://a.test' }).provider, 'a', []],
    ['a local server', ollama().provider, 'a', []],
    ['a local server that is new', ollama({ speaks: ['messages'] }).provider, 'a', ['messages']],
  ])('are: %s', (_, provider, model, expected) => {
    expect(spoken(provider, model)).toEqual(expected)
    const { length } = [provider.encodeNative, provider.decodeNative].filter(given => given !== undefined)
    expect(length).toBe(provider.speaks === undefined ? 0 : 2)
  })

  it.each<[string, () => unknown]>([
    ['an unknown dialect', () => anthropic({ apiKey: 'k', speaks: ['mesages'] as never })],
    ['no list', () => bedrock({ region: 'r', bearerToken: 't', speaks: 'messages' as never })],
    [
      'a path that leads elsewhere',
      () => openaiCompatible({ name: 'a', baseURL: 'http://a.test', messagesPath: '//b.test/v1' }),
    ],
    [
      'a path with a query',
      () => openaiCompatible({ name: 'a', baseURL: 'http://a.test', messagesPath: '/v1?a' }),
    ],
    [
      'a path with steps back',
      () => openaiCompatible({ name: 'a', baseURL: 'http://a.test', messagesPath: '/v1/../a' }),
    ],
    [
      'betas that are no names',
      () => vertex({ project: 'p', location: 'l', token: 't', allowBetas: ['a,b'] }),
    ],
  ])('reject %s', (_, make) => {
    expect(make).toThrow(TypeError)
  })
})

describe('a request to Anthropic that is passed on', () => {
  it('has the body as it came, but for the name of the model', async () => {
    const { method, url, headers, body, adjustments } = await encoded(claude, plain)
    expect({ method, url, headers }).toEqual({
      method: 'POST',
      url: 'https://api.anthropic.com/v1/messages',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'accept-encoding': 'identity',
        'x-api-key': 'sk-test',
        'anthropic-version': '2023-06-01',
      },
    })
    expect(body).toBe(plain.replace('"public"', '"upstream-model"'))
    expect(adjustments).toEqual([])
  })

  it('is the text itself if the caller names the model as the vendor does', async () => {
    expect((await encoded(claude, plain, { model: 'public' })).body).toBe(plain)
  })

  it('has the edits of the gateway, and the key of the call', async () => {
    const { provider } = anthropic({ apiKey: ['sk-one', 'sk-two'] })
    const edits = [
      { path: ['max_tokens'], value: 50 },
      { path: ['new'], value: undefined },
    ]
    const { body, headers } = await encoded(provider, plain, { edits, key: 'key 2' })
    expect(body).toBe(
      '{ "model": "upstream-model", "max_tokens": 50, "messages": [{"role":"user","content":"h\\u00e9 \\ud83d\\ude00"}] }',
    )
    expect(headers['x-api-key']).toBe('sk-two')
  })

  it('asks for a stream if the caller does', async () => {
    const text = '{"model":"a","stream":true,"messages":[]}'
    expect((await encoded(claude, text)).headers.accept).toBe('text/event-stream')
  })

  it('has the version and the betas of the caller as they came, and no other header', async () => {
    const given = {
      'anthropic-version': '2026-10-21',
      'anthropic-beta': ' b-2, a_1 ,b-2',
      authorization: 'x',
      cookie: 'y',
    }
    const { headers } = await encoded(claude, plain, { headers: given })
    expect(headers).toMatchObject({ 'anthropic-version': '2026-10-21', 'anthropic-beta': ' b-2, a_1 ,b-2' })
    expect(Object.keys(headers)).not.toContain('cookie')
    expect(JSON.stringify(headers)).not.toContain('"x"')
  })

  it('has the betas of the owner after those of the caller, each once', async () => {
    const { provider } = anthropic({ apiKey: 'k', beta: ['own', 'both'], version: '2024-01-01' })
    const own = (await encoded(provider, plain)).headers
    expect([own['anthropic-beta'], own['anthropic-version']]).toEqual(['own,both', '2024-01-01'])
    const both = (await encoded(provider, plain, { headers: { 'anthropic-beta': 'theirs, both' } })).headers
    expect(both['anthropic-beta']).toBe('theirs, both,own')
  })

  it.each(['anthropic-version', 'anthropic-beta'])('is refused if no header can carry its %s', name => {
    expect(() => encoded(claude, plain, { headers: { [name]: 'a\nb' } })).toThrow(GatewayError)
    expect(() => encoded(claude, plain, { headers: { [name]: 'é' } })).toThrow(/ASCII/)
  })
})

const billing = { type: 'text', text: 'x-anthropic-billing-header: cc_version=2.1; cch=abc' }
const asked = (system: unknown) => JSON.stringify({ model: 'upstream-model', system, messages: [] })

describe('the billing line of Claude Code', () => {
  const told = [expect.objectContaining({ parameter: 'system[0]', action: 'dropped' })]

  it('stays on the way to Anthropic itself', async () => {
    const text = asked([billing, { type: 'text', text: 'Be brief.' }])
    expect(await encoded(claude, text)).toMatchObject({ body: text, adjustments: [] })
  })

  it.each<[string, Provider]>([
    ['a proxy', anthropic({ apiKey: 'k', baseURL: 'https://proxy.example' }).provider],
    ['a compatible server', acme],
    ['vertex', google],
    ['bedrock', aws],
  ])('is left out on the way to %s', async (_, provider) => {
    const { body, adjustments } = await encoded(
      provider,
      asked([billing, { type: 'text', text: 'Be brief.' }]),
    )
    expect(JSON.parse(String(body)).system).toEqual([{ type: 'text', text: 'Be brief.' }])
    expect(adjustments).toEqual(told)
    const alone = await encoded(provider, asked([billing]))
    expect(JSON.parse(String(alone.body))).not.toHaveProperty('system')
  })

  it.each<[string, unknown]>([
    ['a text', 'x-anthropic-billing-header: a'],
    ['a later block', [{ type: 'text', text: 'a' }, billing]],
    ['other types', [null, 1]],
    ['no block', []],
    ['a block without text', [{ type: 'text', text: 1 }]],
  ])('is looked for in the first block only: %s', async (_, system) => {
    const text = asked(system)
    expect(await encoded(acme, text)).toMatchObject({ body: text, adjustments: [] })
  })

  it('is left out of what the gateway has not replaced', async () => {
    const edits = [{ path: ['system'], value: 'Ours.' }]
    const { body } = await encoded(acme, asked([billing]), { edits })
    expect(JSON.parse(String(body)).system).toBe('Ours.')
  })
})

describe('a request to Claude on Vertex AI that is passed on', () => {
  it('names the model in the path, and the version in the body', async () => {
    const given = { model: 'claude-opus-4-1@20250805', headers: { 'anthropic-version': '2026-10-21' } }
    const { url, headers, body, adjustments } = await encoded(google, plain, given)
    expect(url).toBe(
      'https://us-east5-aiplatform.googleapis.com/v1/projects/ours/locations/us-east5/publishers/anthropic/models/claude-opus-4-1@20250805:rawPredict',
    )
    expect(headers).toEqual({
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      authorization: 'Bearer ya-token',
    })
    expect(body).toBe(
      '{ "max_tokens": 1e2, "messages": [{"role":"user","content":"h\\u00e9 \\ud83d\\ude00"}], "new": null,"anthropic_version":"vertex-2023-10-16" }',
    )
    expect(adjustments).toEqual([])
  })

  it('has the known betas in the body, with those of the owner, and reports the others', async () => {
    const { provider } = vertex({
      project: 'p',
      location: 'l',
      token: 't',
      beta: ['own'],
      allowBetas: ['ours'],
    })
    const headers = {
      'anthropic-beta': 'context-1m-2025-08-07,ours,fast-mode-2026-02-01,advanced-tool-use-2025-11-20,<b>',
    }
    const request = await encoded(provider, plain, { model: 'claude-x', headers })
    expect(JSON.parse(String(request.body)).anthropic_beta).toEqual([
      'own',
      'context-1m-2025-08-07',
      'ours',
      'tool-search-tool-2025-10-19',
    ])
    expect(request.headers).not.toHaveProperty('anthropic-beta')
    expect(request.adjustments).toEqual([
      { parameter: 'anthropic-beta', action: 'dropped', detail: 'fast-mode-2026-02-01, 1 more' },
      {
        parameter: 'anthropic-beta',
        action: 'mapped',
        detail: 'advanced-tool-use-2025-11-20 as tool-search-tool-2025-10-19',
      },
    ])
  })

  it('streams if the caller does', async () => {
    const { url, body } = await encoded(google, '{"model":"a","stream":true,"messages":[]}', {
      model: 'claude-x',
    })
    expect(url).toMatch(/:streamRawPredict$/)
    expect(JSON.parse(String(body)).stream).toBe(true)
  })
})

describe('a request to Claude on Bedrock that is passed on', () => {
  const model = 'us.anthropic.claude-sonnet-4-20250514-v1:0'

  it('is one of InvokeModel', async () => {
    const { url, headers, body } = await encoded(aws, plain, { model })
    expect(url).toBe(
      `https://bedrock-runtime.us-east-1.amazonaws.com/model/${encodeURIComponent(model)}/invoke`,
    )
    expect(headers).toEqual({
      'content-type': 'application/json',
      accept: 'application/json',
      authorization: 'Bearer aws-token',
    })
    expect(body).toBe(
      '{ "max_tokens": 1e2, "messages": [{"role":"user","content":"h\\u00e9 \\ud83d\\ude00"}], "new": null,"anthropic_version":"bedrock-2023-05-31" }',
    )
  })

  it('says in its path that it streams', async () => {
    const { url, headers, body } = await encoded(aws, '{"stream":true,"model":"a","messages":[]}', { model })
    expect(url).toMatch(/\/invoke-with-response-stream$/)
    expect(headers.accept).toBe('application/vnd.amazon.eventstream')
    expect(body).toBe('{"messages":[],"anthropic_version":"bedrock-2023-05-31"}')
  })

  it('has the known betas of header and body in the body', async () => {
    const text = JSON.stringify({
      model: 'a',
      messages: [],
      anthropic_beta: ['effort-2025-11-24', 'unknown-1', 5],
    })
    const headers = { 'anthropic-beta': 'claude-code-20250219,context-management-2025-06-27' }
    const { body, adjustments } = await encoded(aws, text, { model, headers })
    expect(JSON.parse(String(body)).anthropic_beta).toEqual([
      'context-management-2025-06-27',
      'effort-2025-11-24',
    ])
    expect(adjustments).toEqual([
      { parameter: 'anthropic-beta', action: 'dropped', detail: 'claude-code-20250219, unknown-1' },
    ])
    const none = await encoded(aws, plain, { model, headers: { 'anthropic-beta': 'a' } })
    expect(JSON.parse(String(none.body))).not.toHaveProperty('anthropic_beta')
  })

  it('is signed with its body', async () => {
    const credentials = { accessKeyId: 'AKIDEXAMPLE', secretAccessKey: 'secret' }
    const { provider } = bedrock({ region: 'us-east-1', credentials })
    const { headers } = await encoded(provider, plain, { model })
    expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\//)
  })

  it('is refused if its model is no name', async () => {
    await expect(encoded(aws, plain, { model: '..' })).rejects.toThrow(GatewayError)
  })
})

describe('a request to a compatible server that is passed on', () => {
  it('has the key as bearer token, and a version', async () => {
    const { url, headers } = await encoded(acme, plain, { headers: { 'anthropic-beta': 'a' } })
    expect(url).toBe('https://llm.acme.example/v1/messages')
    expect(headers).toEqual({
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      authorization: 'Bearer sk-acme',
      'anthropic-version': '2023-06-01',
      'anthropic-beta': 'a',
    })
  })

  it.each<[string, Provider, string]>([
    ['deepseek', deepseek({ apiKey: 'k' }).provider, 'https://api.deepseek.com/anthropic/v1/messages'],
    ['openrouter', openrouter({ apiKey: 'k' }).provider, 'https://openrouter.ai/api/v1/messages'],
    ['moonshot', moonshot({ apiKey: 'k' }).provider, 'https://api.moonshot.ai/anthropic/v1/messages'],
    ['zai', zai({ apiKey: 'k' }).provider, 'https://api.z.ai/api/anthropic/v1/messages'],
    ['ollama', ollama({ speaks: ['messages'] }).provider, 'http://127.0.0.1:11434/v1/messages'],
    [
      'a preset elsewhere',
      deepseek({ apiKey: 'k', baseURL: 'https://proxy.example/v1', speaks: ['messages'] }).provider,
      'https://proxy.example/v1/messages',
    ],
    [
      'a corrected preset elsewhere',
      openaiCompatible({ ...presets.deepseek, baseURL: 'https://proxy.example/v1' }).provider,
      'https://proxy.example/anthropic/v1/messages',
    ],
  ])('goes to the path of %s', async (_, provider, url) => {
    expect((await encoded(provider, plain)).url).toBe(url)
  })
})

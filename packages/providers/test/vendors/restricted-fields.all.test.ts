import {
  apiKeys,
  budget,
  concurrent,
  createGateway,
  type EndEvent,
  fallback,
  type GatewayOptions,
  limits,
  mirror,
  models,
  priceTable,
  requests,
  tokens,
} from '@sluice/core'
import type { RestrictedFieldKind, Target } from '@sluice/core/provider'
import {
  anthropic,
  azure,
  bedrock,
  gemini,
  llamacpp,
  local,
  openai,
  openaiCompatible,
  openrouter,
  presets,
  vertex,
  vllm,
} from '@sluice/providers'
import { completion, type Reaction, steps, type Upstream, usage } from '@sluice/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Site } from '../../../../test/e2e/conformance/site.ts'
import { mounts } from '../../../../test/e2e/mounts/mounts.ts'
import { upstreamDuring } from '../../../../test/resilience/faults/harness/upstream.ts'
import {
  framedAnswer,
  threeWords,
  wholeAnswer,
} from '../../../../test/resilience/faults/harness/vendor-answers.ts'
import type { Wire } from './properties/wire.ts'

const apiKey = 'sk-upstream'

/** What Claude's vendors take of a chat request. Tools of other types are refused for all there. */
const claudeFields = ['container', 'mcp_servers', 'speed', 'inference_geo', 'context_management']

interface VendorCase {
  readonly at: (upstream: Upstream, allowFields?: readonly string[]) => Target
  readonly wire: Wire
  /** Which of the declared fields its `encode` writes for this model. Default: all. */
  readonly writes?: readonly string[]
}

/** Every provider, and every preset as the data that it is, at an upstream of the test. */
const vendors: Readonly<Record<string, VendorCase>> = {
  ...Object.fromEntries(
    Object.entries(presets).map(([name, preset]) => [
      name,
      {
        at: ({ baseURL }: Upstream, allowFields?: readonly string[]) =>
          openaiCompatible({ ...preset, baseURL, apiKey, allowFields })('small'),
        wire: 'chat' as const,
      },
    ]),
  ),
  openai: {
    at: ({ baseURL }, allowFields) => openai({ baseURL, apiKey, allowFields })('small'),
    wire: 'chat',
  },
  azure: {
    at: ({ url }, allowFields) => azure({ baseURL: url, apiKey, allowFields })('small'),
    wire: 'chat',
  },
  'openai-compatible': {
    at: ({ baseURL }, allowFields) =>
      openaiCompatible({ name: 'any', baseURL, apiKey, allowFields })('small'),
    wire: 'chat',
  },
  anthropic: {
    at: ({ baseURL }, allowFields) => anthropic({ baseURL, apiKey, allowFields })('claude-opus-4-6'),
    wire: 'messages',
    writes: claudeFields,
  },
  gemini: {
    at: ({ url }, allowFields) => gemini({ baseURL: url, apiKey, allowFields })('gemini-2.5-flash'),
    wire: 'generate',
  },
  vertex: {
    at: ({ url }, allowFields) =>
      vertex({ baseURL: url, project: 'p', location: 'global', token: 't', allowFields })('gemini-2.5-flash'),
    wire: 'generate',
    writes: ['cachedContent'],
  },
  'vertex with Claude': {
    at: ({ url }, allowFields) =>
      vertex({ baseURL: url, project: 'p', location: 'global', token: 't', allowFields })('claude-opus-4-6'),
    wire: 'messages',
    writes: claudeFields,
  },
  bedrock: {
    at: ({ url }, allowFields) =>
      bedrock({ region: 'us-east-1', bearerToken: 't', baseURL: url, allowFields })(
        'us.amazon.nova-lite-v1:0',
      ),
    wire: 'converse',
    writes: [
      'additionalModelRequestFields',
      'guardrailConfig',
      'performanceConfig',
      'serviceTier',
      'promptVariables',
    ],
  },
}

const objects = [
  'context_management',
  'additionalModelRequestFields',
  'guardrailConfig',
  'performanceConfig',
  'serviceTier',
  'promptVariables',
]

/** A field as a caller sends it, by the name under which it is declared. */
function fieldOf(name: string): { readonly path: string; readonly fields: Record<string, unknown> } {
  const known = ['model', 'messages', 'tools', 'functions', 'prediction', 'max_tokens', 'n', 'stream']
  const isProtocol =
    known.includes(name) ||
    ['max_completion_tokens', 'stream_options', 'service_tier', 'web_search_options'].includes(name)
  if (isProtocol) return { path: name.toUpperCase(), fields: { [name.toUpperCase()]: 'large' } }
  const [outer = '', inner] = name.split('.')
  if (inner !== undefined) return { path: name, fields: { [outer]: { enable_thinking: true, [inner]: 'x' } } }
  return { path: name, fields: { [name]: objects.includes(name) ? { type: 'x' } : 'x' } }
}

/** An upstream that answers as the vendor does, whole or streamed. */
const answering: Readonly<Record<Wire, Reaction>> = {
  chat: steps.answer(),
  messages: ({ json }) => inWire('messages', json?.stream === true),
  generate: ({ path }) => inWire('generate', path.includes('streamGenerateContent')),
  converse: ({ path }) => inWire('converse', path.endsWith('converse-stream')),
  responses: ({ json }) => inWire('responses', json?.stream === true),
}

function inWire(wire: Wire, streamed: boolean) {
  if (!streamed) return steps.reply(wholeAnswer(wire, threeWords))
  const { type, frames } = framedAnswer(wire, threeWords)
  return [steps.head({ headers: { 'content-type': type } }), steps.body(Buffer.concat(frames)), steps.end()]
}

const keys = apiKeys([
  { id: 'free', key: 'free' },
  { id: 'scoped', key: 'scoped', models: ['small'] },
  { id: 'limited', key: 'limited', limits: [requests(10_000).per('minute')] },
  { id: 'spending', key: 'spending', limits: [budget(1_000, 'usd').per('day')] },
])

async function service(options: Partial<GatewayOptions> & Pick<GatewayOptions, 'route'>) {
  const ends: EndEvent[] = []
  const gateway = createGateway({
    authenticate: keys,
    limits: limits([]),
    prices: priceTable({ small: { input: 1, output: 1 }, large: { input: 500, output: 500 } }),
    ...options,
    observe: event => void (event.type === 'end' && ends.push(event)),
  })
  const running = await mounts['node http']!(gateway)
  const site = new Site()
  site.settle(running)
  onTestFinished(async () => {
    await gateway.close({ drainMs: 1_000 })
    await running.close()
  })
  const chat = (key: string, fields: object) => site.chat({ model: 'small', ...fields }, { key })
  return { chat, ends, gateway }
}

function refusalOf(path: string) {
  return { type: 'invalid_request_error', code: 'unsupported_parameter', param: path }
}

describe('restricted fields', () => {
  it('are declared by every provider and preset, if only to have none', async () => {
    const upstream = await upstreamDuring()
    for (const [name, { at }] of Object.entries(vendors)) {
      expect(at(upstream).provider.restrictedFields, name).toBeTypeOf('object')
    }
    for (const [name, preset] of Object.entries(presets)) {
      expect(preset.restrictedFields, name).toBeTypeOf('object')
    }
    expect(local()().provider.restrictedFields).toEqual({})
  })

  it('of a server that is not known are those of all presets', async () => {
    const upstream = await upstreamDuring()
    const all = Object.keys(vendors['openai-compatible']!.at(upstream).provider.restrictedFields ?? {})
    for (const { restrictedFields } of Object.values(presets)) {
      expect(all).toEqual(expect.arrayContaining(Object.keys(restrictedFields)))
    }
    const elsewhere = openrouter({ apiKey, baseURL: upstream.baseURL })('x').provider.restrictedFields ?? {}
    expect(Object.keys(elsewhere)).toEqual(expect.arrayContaining(['n_predict', 'models', 'data_sources']))
    expect(openrouter({ apiKey })('x').provider.restrictedFields).not.toHaveProperty('n_predict')
  })

  describe.each(Object.entries(vendors))('%s', (_, { at, wire, writes }) => {
    it('are rejected from bounded keys and passed on for others, whole and streamed', async () => {
      const upstream = await upstreamDuring(answering[wire])
      const target = at(upstream)
      const { chat } = await service({ route: models({ small: target }) })
      const declared = Object.keys(target.provider.restrictedFields ?? {})
      expect(declared.length).toBeGreaterThan(0)
      for (const [index, field] of declared.entries()) {
        const { path, fields } = fieldOf(field)
        const stream = index % 2 === 0
        for (const key of ['scoped', 'limited', 'spending']) {
          const refused = await chat(key, { ...fields, stream })
          expect([field, key, refused.status]).toEqual([field, key, 400])
          expect(refused.json?.error).toMatchObject({
            ...refusalOf(path),
            message: expect.stringContaining(`'${path}'`),
          })
        }
        expect(upstream.requests, field).toHaveLength(index)
        const passed = await chat('free', { ...fields, stream })
        expect([field, passed.status, passed.body]).toEqual([field, 200, expect.anything()])
        const sent = Object.keys(upstream.requests[index]?.json ?? {})
        expect([field, sent.includes(Object.keys(fields)[0]!)]).toEqual([
          field,
          writes?.includes(field) ?? true,
        ])
      }
    })

    it('are passed on for everybody where the provider or the target allows them', async () => {
      const upstream = await upstreamDuring(answering[wire])
      const declared = Object.keys(at(upstream).provider.restrictedFields ?? {})
      const field = declared.find(name => fieldOf(name).path === name)
      // Some vendors restrict nothing but other spellings, which nobody can allow.
      if (field === undefined) return
      const { fields } = fieldOf(field)
      const route = models({ small: at(upstream, [field]), large: { ...at(upstream), allowFields: [field] } })
      const { chat } = await service({ route })
      expect((await chat('limited', fields)).status).toBe(200)
      expect((await chat('limited', { model: 'large', ...fields, stream: true })).status).toBe(200)
      expect(upstream.requests).toHaveLength(2)
    })
  })

  it('leave other unknown fields and exact protocol fields alone', async () => {
    const upstream = await upstreamDuring()
    const target = openaiCompatible({ name: 'any', baseURL: upstream.baseURL })('small')
    const { chat } = await service({ route: models({ small: target }) })
    const fields = {
      top_k: 5,
      repetition_penalty: 1.1,
      chat_template_kwargs: { enable_thinking: false },
      structured_outputs: { regex: 'x' },
      max_tokens: 5,
      n: 1,
      ['x'.repeat(5_000)]: 1,
    }
    for (const key of ['free', 'scoped', 'limited']) expect((await chat(key, fields)).status).toBe(200)
    expect(upstream.requests.at(-1)?.json).toMatchObject({
      top_k: 5,
      chat_template_kwargs: { enable_thinking: false },
    })
    // What is null is not sent.
    expect((await chat('limited', { models: null, n_predict: null })).status).toBe(200)
  })

  it.each([
    'Models',
    'MODELS',
    'model_s',
    'modelſ',
    'Model',
    'maxTokens',
    'max-tokens',
    'maxTo\u212aens',
    'NPredict',
    'Stream',
  ])('match the spelling %s', async field => {
    const upstream = await upstreamDuring()
    const target = openaiCompatible({ name: 'any', baseURL: upstream.baseURL })('small')
    const { chat } = await service({ route: models({ small: target }) })
    const refused = await chat('scoped', { [field]: 'large' })
    expect([refused.status, refused.json?.error]).toEqual([400, expect.objectContaining(refusalOf(field))])
    expect((await chat('free', { [field]: 'large' })).status).toBe(200)
  })

  it('are rejected from everybody where the gateway has limits or an authorizer of its own', async () => {
    const upstream = await upstreamDuring()
    const route = models({ small: vllm({ baseURL: upstream.baseURL })('small') })
    const bounded = [
      { limits: concurrent(5) },
      { limits: limits([concurrent(5)]) },
      { authorize: () => true },
    ]
    for (const options of bounded) {
      const { chat } = await service({ route, ...options })
      expect((await chat('free', { priority: -1 })).status).toBe(400)
      expect((await chat('free', { top_k: 1 })).status).toBe(200)
    }
  })

  it('send a request to a target that does not obey them, and the trace says why', async () => {
    const router = await upstreamDuring()
    const plain = await upstreamDuring()
    const obeying = openrouter({ apiKey, baseURL: router.baseURL })('small')
    const other = openaiCompatible({ name: 'plain', baseURL: plain.baseURL, restrictedFields: {} })('small')
    const { chat, ends } = await service({ route: models({ small: fallback(obeying, other) }) })
    expect((await chat('limited', { provider: { order: ['x'] } })).status).toBe(200)
    expect([router.requests.length, plain.requests.length]).toEqual([0, 1])
    expect(ends[0]?.trace.candidates).toMatchObject([
      { provider: 'openrouter', skipped: { why: 'restricted_field', detail: 'provider' } },
      { provider: 'plain' },
    ])
    expect((await chat('free', { provider: { order: ['x'] } })).status).toBe(200)
    expect(router.requests).toHaveLength(1)
  })

  it('reach no shadow that obeys them', async () => {
    const upstream = await upstreamDuring()
    const shadow = await upstreamDuring()
    const plain = openaiCompatible({ name: 'plain', baseURL: upstream.baseURL, restrictedFields: {} })(
      'small',
    )
    const obeying = openrouter({ apiKey, baseURL: shadow.baseURL })('small')
    const { chat, ends, gateway } = await service({ route: models({ small: mirror(plain, obeying) }) })
    expect((await chat('limited', { models: ['large'] })).status).toBe(200)
    expect(ends[0]?.trace.candidates).toMatchObject([
      { provider: 'plain' },
      { provider: 'openrouter', skipped: { why: 'restricted_field', detail: 'models' } },
    ])
    expect((await chat('free', { models: ['large'] })).status).toBe(200)
    await shadow.waitForRequest(1)
    await gateway.close({ drainMs: 1_000 })
    expect(shadow.requests).toHaveLength(1)
  })

  it('cannot turn a cheap model into one that costs 500 times as much', async () => {
    // It obeys, as OpenRouter does.
    const upstream = await upstreamDuring(({ json }) => {
      const [first] = Array.isArray(json?.models) ? json.models : [json?.model]
      return steps.reply({ ...completion({ usage: usage(1_000, 1_000) }), model: first })
    })
    const { chat, ends } = await service({
      route: models({
        small: openrouter({ apiKey, baseURL: upstream.baseURL })('vendor/small'),
        large: openrouter({ apiKey, baseURL: upstream.baseURL })('vendor/large'),
      }),
    })
    expect((await chat('scoped', { model: 'large' })).status).toBe(403)
    const attack = await chat('scoped', { models: ['vendor/large'] })
    expect([attack.status, attack.json?.error]).toEqual([400, expect.objectContaining({ param: 'models' })])
    expect(upstream.requests).toHaveLength(0)
    expect(ends.at(-1)?.cost).toBeNull()
  })

  it('cannot get a million tokens out of a limit of 5000', async () => {
    // As llama.cpp: its own field wins over `max_tokens`.
    const upstream = await upstreamDuring(({ json }) => {
      const generated = Number(json?.n_predict ?? json?.max_tokens)
      return steps.reply(completion({ usage: usage(10, generated) }))
    })
    const authenticate = apiKeys([{ id: 'ann', key: 'ann', limits: [tokens(5_000).per('hour')] }])
    const route = models({ small: llamacpp({ baseURL: upstream.baseURL })('small') })
    const { chat, ends } = await service({ route, authenticate })
    const attack = await chat('ann', { max_tokens: 10, n_predict: 1_000_000 })
    expect([attack.status, attack.json?.error]).toEqual([
      400,
      expect.objectContaining({ param: 'n_predict' }),
    ])
    expect(upstream.requests).toHaveLength(0)
    expect((await chat('ann', { max_tokens: 10 })).status).toBe(200)
    expect(ends.at(-1)?.usage?.total_tokens).toBe(20)
  })

  it('are told of by explain', async () => {
    const upstream = await upstreamDuring()
    const { gateway } = await service({
      route: models({ small: vllm({ baseURL: upstream.baseURL })('small') }),
    })
    const asked = new Request('http://x/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: 'Bearer scoped', 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'small', messages: [{ role: 'user', content: 'x' }], best_of: 9 }),
    })
    const { refusal, candidates } = await gateway.explain(asked)
    expect(refusal).toMatchObject({ status: 400, param: 'best_of' })
    expect(candidates).toMatchObject([{ skipped: { why: 'restricted_field', detail: 'best_of' } }])
  })

  it('that a configuration allows or declares wrongly stop the start', async () => {
    expect(() => openrouter({ apiKey, allowFields: ['model'] })).toThrow(
      /allowFields\[0\]: got 'model', expected /,
    )
    expect(() => openrouter({ apiKey, allowFields: ['modles'] })).toThrow(TypeError)
    expect(() => openrouter({ apiKey, allowFields: 'models' as never })).toThrow(/an array of field names/)
    expect(() => openai({ apiKey, allowFields: ['x'] })).toThrow(/server_tools/)
    const any = { name: 'any', baseURL: 'http://x/v1' }
    const wrong = { x: 'nothing' as RestrictedFieldKind }
    expect(() => openaiCompatible({ ...any, restrictedFields: wrong })).toThrow(/names to kinds/)
    const target = { ...openaiCompatible(any)('small'), allowFields: ['modles'] }
    expect(() => models({ small: target })).toThrow(/allowFields\[0\]: got 'modles', expected /)
    expect(() => models({ small: { ...target, allowFields: ['model'] } })).toThrow(TypeError)
    expect(() => models({ small: { ...target, allowFields: 'models' as never } })).toThrow(
      /expected an array/,
    )
  })
})

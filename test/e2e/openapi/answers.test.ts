import {
  apiKeys,
  createGateway,
  GatewayError,
  type GatewayOptions,
  idempotency,
  limits,
  models,
  requests,
  responseCache,
  tokens,
} from '@sluice/core'
import { local, openaiCompatible } from '@sluice/providers'
import { type Script, sse, startUpstream, steps } from '@sluice/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { askDescribed } from './description.ts'

const chat = 'POST /v1/chat/completions'
const hello = { model: 'demo', messages: [{ role: 'user', content: 'Say something about water.' }] }
const key = { authorization: 'Bearer sk-test' }

type Options = Partial<GatewayOptions>

function gatewayWith(options: Options = {}) {
  const gateway = createGateway({
    authenticate: apiKeys([{ id: 'me', key: 'sk-test', models: ['demo'] }]),
    route: models({ demo: local()('demo'), other: local()('demo') }),
    ...options,
  })
  onTestFinished(() => gateway.close())
  return gateway
}

function post(fields: object = {}, headers: Record<string, string> = {}) {
  return new Request('http://sluice.test/v1/chat/completions', {
    method: 'POST',
    headers: { ...key, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ ...hello, ...fields }),
  })
}

const ask = (fields: object = {}, options: Options = {}, headers = {}) =>
  askDescribed(gatewayWith(options), chat, post(fields, headers))

/** A gateway whose only place is a server that does what a script says. */
async function upstreamWith(...scripts: Script[]): Promise<Options> {
  const upstream = await startUpstream(...scripts)
  onTestFinished(() => upstream.close())
  const vendor = openaiCompatible({ name: 'there', baseURL: upstream.baseURL, apiKey: 'k' })
  return { route: models({ demo: vendor('m') }), maxAttempts: 1 }
}

const weather = {
  type: 'function',
  function: {
    name: 'weather',
    parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
  },
}
const fails = (error: unknown) => () => {
  throw error
}

describe('an answer is what the document says', () => {
  it.each([
    ['whole', {}],
    ['of several choices', { n: 3 }],
    ['with logprobs', { logprobs: true, top_logprobs: 3 }],
    ['cut short', { max_tokens: 2 }],
    ['that calls a tool', { tools: [weather], tool_choice: 'required' }],
    [
      'that calls a tool of text',
      { tools: [{ type: 'custom', custom: { name: 'sql' } }], tool_choice: 'required' },
    ],
    ['that calls a function', { functions: [weather.function], function_call: { name: 'weather' } }],
    ['of data', { response_format: { type: 'json_object' } }],
  ])('%s, streamed or not', async (_, fields) => {
    expect(await ask(fields)).toMatchObject({ status: 200 })
    const streamed = await ask({ ...fields, stream: true })
    expect(streamed.text).toMatch(/data: \[DONE\]\n\n$/)
    const counted = await ask({ ...fields, stream: true, stream_options: { include_usage: true } })
    expect(counted.text).toContain('"total_tokens"')
  })

  it('with what vendors add to it', async () => {
    const message = {
      role: 'assistant',
      content: 'Hi',
      reasoning_content: 'Well.',
      annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.test' } }],
      tool_calls: [
        {
          id: 'a',
          type: 'function',
          function: { name: 'f', arguments: '{}' },
          extra_content: { google: {} },
        },
      ],
      more: 'that nobody knows',
    }
    const whole = {
      id: 'x',
      choices: [{ index: 0, message, finish_reason: 'stop', of: 'its own' }],
      extra: 1,
    }
    const { text } = await ask({}, await upstreamWith(steps.reply(whole)))
    expect(text).toContain('extra_content')
    expect(text).not.toContain('nobody knows')
    const { role, ...delta } = message
    const calls = delta.tool_calls.map((call, index) => ({ ...call, index }))
    const chunk = {
      id: 'x',
      choices: [{ index: 0, delta: { ...delta, tool_calls: calls }, finish_reason: 'stop' }],
    }
    const streamed = await ask({ stream: true }, await upstreamWith(steps.stream([...sse([chunk])])))
    expect(streamed.text).toMatch(/extra_content.*\[DONE\]\n\n$/s)
  })

  it('that breaks off', async () => {
    const broken = await upstreamWith(
      steps.stream(sse([{ choices: [{ index: 0, delta: { content: 'Hi' } }] }], { done: false })),
      steps.cut(),
    )
    const { text } = await ask({ stream: true }, broken)
    expect(text).toContain('"bad_gateway"')
    expect(text).not.toContain('[DONE]')
  })

  it('with limits, a cache, a trace and a repeat', async () => {
    const gateway = gatewayWith({
      limits: limits([requests(9).per('minute'), tokens(90_000).per('minute')]),
      cache: responseCache({ ttlMs: 60_000 }),
      idempotency: idempotency(),
      traceHeader: true,
    })
    const told = async (fields: object, headers = {}) =>
      (await askDescribed(gateway, chat, post(fields, headers))).headers
    expect((await told({ temperature: 0 })).get('x-sluice-cache')).toBe('miss')
    const hit = await told({ temperature: 0 })
    expect([hit.get('x-sluice-cache'), hit.has('x-sluice-trace')]).toEqual(['hit', true])
    expect([hit.has('x-ratelimit-limit-requests'), hit.has('x-ratelimit-reset-tokens')]).toEqual([true, true])
    await told({}, { 'idempotency-key': 'one' })
    expect((await told({}, { 'idempotency-key': 'one' })).get('idempotency-replayed')).toBe('true')
    const reused = await askDescribed(gateway, chat, post({ n: 2 }, { 'idempotency-key': 'one' }))
    expect(reused.status).toBe(422)
  })
})

describe('a refusal is what the document says', () => {
  it.each<[number, object, Options?, Record<string, string>?]>([
    [400, { messages: [] }],
    [400, { temperature: 3 }],
    [400, {}, {}, { 'content-type': 'text/plain' }],
    [401, {}, {}, { authorization: 'Bearer sk-wrong' }],
    [403, { model: 'other' }],
    [404, { model: 'none' }],
    [413, {}, { requestLimits: { maxBytes: 10 } }],
    [429, {}, { limits: limits([tokens(1).per('minute')]) }],
    [429, {}, { authenticate: fails(new GatewayError('insufficient_quota')) }],
    [500, {}, { authenticate: fails(new Error('The table is gone.')) }],
    [503, {}, { authenticate: fails(new GatewayError('authentication_unavailable')) }],
    [503, {}, { loadShedder: () => 'full' }],
  ])('%i for %j', async (status, fields, options, headers) => {
    expect(await ask(fields, options, headers)).toMatchObject({ status })
  })

  it('401 without a key', async () => {
    const { headers, ...rest } = await askDescribed(
      gatewayWith(),
      chat,
      new Request('http://sluice.test/v1/chat/completions', { method: 'POST' }),
    )
    expect([rest.status, headers.get('www-authenticate')]).toEqual([401, expect.stringMatching(/^Bearer/)])
  })

  it('429 when the requests of a minute are used up', async () => {
    const gateway = gatewayWith({ limits: limits([requests(1).per('minute')]) })
    await askDescribed(gateway, chat, post())
    const { status, headers } = await askDescribed(gateway, chat, post())
    expect([status, headers.has('retry-after'), headers.get('x-ratelimit-remaining-requests')]).toEqual([
      429,
      true,
      '0',
    ])
  })

  it.each([
    [502, steps.reply('<html>', { status: 200 })],
    [502, steps.reply({ error: { message: 'no' } }, { status: 401 })],
    [502, steps.cut()],
    [503, steps.reply({ error: { message: 'busy' } }, { status: 503 })],
    [429, steps.reply({ error: { message: 'slow' } }, { status: 429 })],
    [404, steps.reply({ error: { message: 'who' } }, { status: 404 })],
    [504, steps.reply({ error: { message: 'late' } }, { status: 504 })],
  ])('%i of an upstream', async (status, script) => {
    expect(await ask({}, await upstreamWith(script))).toMatchObject({ status })
  })

  it('503 of a gateway that stops', async () => {
    const gateway = gatewayWith()
    await gateway.close()
    const { status, headers } = await askDescribed(gateway, chat, post())
    expect([status, headers.get('retry-after')]).toEqual([503, '1'])
  })
})

describe('the models are what the document says', () => {
  const get = (path: string, headers: Record<string, string> = key) =>
    new Request(`http://sluice.test/v1${path}`, { headers })

  it.each([
    [200, '/models', 'GET /v1/models', key],
    [401, '/models', 'GET /v1/models', {}],
    [200, '/models/demo', 'GET /v1/models/{model}', key],
    [401, '/models/demo', 'GET /v1/models/{model}', { authorization: 'Bearer sk-wrong' }],
    [403, '/models/other', 'GET /v1/models/{model}', key],
    [404, '/models/none', 'GET /v1/models/{model}', key],
  ])('%i for %s', async (status, path, operation, headers) => {
    expect(await askDescribed(gatewayWith(), operation, get(path, headers))).toMatchObject({ status })
  })

  it('500 and 503 for both', async () => {
    const broken = gatewayWith({ authenticate: fails(new Error('gone')) })
    const closed = gatewayWith()
    await closed.close()
    for (const [path, operation] of [
      ['/models', 'GET /v1/models'],
      ['/models/demo', 'GET /v1/models/{model}'],
    ] as const) {
      expect((await askDescribed(broken, operation, get(path))).status).toBe(500)
      expect((await askDescribed(closed, operation, get(path))).status).toBe(503)
    }
  })
})

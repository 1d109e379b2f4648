import { existsSync, readFileSync } from 'node:fs'
import { createGateway, models } from '@sluice/core'
import {
  type Call,
  type ChatRequest,
  type PartialChunk,
  type Reply,
  UpstreamError,
  type UpstreamRequest,
} from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { decodedEmbeddings, encodedEmbeddings } from '../test/embeddings.ts'
import { type ScriptedAnswer, scriptedResponse } from '../test/scripted-response.ts'
import { type AzureOptions, azure } from './azure.ts'

const messages: ChatRequest['messages'] = [{ role: 'user', content: 'Hello' }]
const ours = { resource: 'ours', apiKey: 'the-key' } satisfies AzureOptions

async function encoded(options: AzureOptions, input: Partial<ChatRequest> = {}, deployment = 'my-gpt-4o') {
  const { provider, ...target } = azure(options)(deployment)
  const request = await provider.encode({ input: { model: 'public', messages, ...input }, ...target })
  return { ...request, body: JSON.parse(String(request.body)) as Record<string, unknown> }
}

function decoded(answer: ScriptedAnswer, stream = false, more: Partial<AzureOptions> = {}): Promise<Reply> {
  const call: Call = { input: { model: 'public', messages, stream }, model: 'my-gpt-4o' }
  return Promise.resolve(azure({ ...ours, ...more }).provider.decode(scriptedResponse(answer), call))
}

async function failureOf(status: number, error: object, headers: Record<string, string> = {}) {
  const failure = await decoded({ status, headers, body: JSON.stringify({ error }) }).catch(error => error)
  if (!UpstreamError.is(failure)) throw new Error(`no upstream error: ${failure}`)
  return failure
}

/** What a caller of a gateway in front of Azure sees. */
async function told(status: number, error: object, headers: Record<string, string> = {}) {
  const gateway = createGateway({
    authenticate: () => ({ id: 'ann' }),
    route: models({ public: azure(ours)('my-gpt-4o') }),
    transport: async () => scriptedResponse({ status, headers, body: JSON.stringify({ error }) }),
    retry: false,
  })
  const response = await gateway.fetch('http://sluice.test/v1/chat/completions', {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'public', messages }),
  })
  const { error: refusal } = (await response.json()) as { error: Record<string, unknown> }
  return { status: response.status, headers: response.headers, ...refusal }
}

describe('a reasoning model', () => {
  const responses: AzureOptions = { ...ours, reasoningApi: 'responses' }

  it('is called by the Responses API where that is chosen', async () => {
    const urlOf = async (options: AzureOptions, input?: Partial<ChatRequest>, deployment = 'gpt-5') =>
      (await encoded(options, input, deployment)).url
    const v1 = 'https://ours.openai.azure.com/openai/v1'
    expect(await urlOf(responses)).toBe(`${v1}/responses`)
    expect(await urlOf({ ...responses, apiVersion: 'preview' })).toBe(`${v1}/responses?api-version=preview`)
    expect(await urlOf(responses, { stop: ['x'] })).toBe(`${v1}/chat/completions`)
    expect(await urlOf(responses, {}, 'my-gpt-4o')).toBe(`${v1}/chat/completions`)
    expect(await urlOf(ours)).toBe(`${v1}/chat/completions`)
    const { headers, body } = await encoded(responses, {}, 'gpt-5')
    expect(headers).toMatchObject({ 'api-key': 'the-key' })
    expect(body).toMatchObject({ model: 'gpt-5', store: false, include: ['reasoning.encrypted_content'] })
  })

  it('is not called so by the classic API, which has none', () => {
    expect(() => azure({ ...responses, apiVersion: '2024-10-21' })).toThrow(
      /reasoningApi.*'chat' with a classic apiVersion/s,
    )
  })
})

describe('a request in the Responses API', () => {
  it('is passed on as it came where that is chosen, and stored nowhere', async () => {
    const seen: UpstreamRequest[] = []
    const answer = { id: 'resp_1', object: 'response', status: 'completed', model: 'x', output: [] }
    const gateway = createGateway({
      authenticate: () => ({ id: 'ann' }),
      route: models({ public: azure({ ...ours, speaks: ['responses'] })('gpt-5') }),
      transport: async request => {
        seen.push(request)
        return scriptedResponse({ status: 200, body: JSON.stringify(answer) })
      },
    })
    const response = await gateway.fetch('http://sluice.test/v1/responses', {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"model":"public","input":"Hi","acme":1.0}',
    })
    expect([response.status, seen[0]?.url]).toEqual([
      200,
      'https://ours.openai.azure.com/openai/v1/responses',
    ])
    expect(seen[0]?.headers).toMatchObject({ 'api-key': 'the-key' })
    const sent = String(seen[0]?.body)
    expect(sent).toContain('"acme":1.0')
    expect(JSON.parse(sent)).toMatchObject({ model: 'gpt-5', store: false })
  })

  it('is not passed on by the classic API, which has none', () => {
    expect(() => azure({ ...ours, apiVersion: '2024-10-21', speaks: ['responses'] })).toThrow(
      /speaks.*classic/s,
    )
  })
})

describe('the request', () => {
  it('goes to the v1 API, where the deployment is the model', async () => {
    expect(await encoded(ours, { temperature: 0.5 })).toEqual({
      method: 'POST',
      url: 'https://ours.openai.azure.com/openai/v1/chat/completions',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json',
        'accept-encoding': 'identity',
        'api-key': 'the-key',
      },
      body: { model: 'my-gpt-4o', messages, temperature: 0.5 },
    })
  })

  it.each<[string | undefined, string]>([
    [undefined, '/openai/v1/chat/completions'],
    ['v1', '/openai/v1/chat/completions?api-version=v1'],
    ['preview', '/openai/v1/chat/completions?api-version=preview'],
    ['2024-10-21', '/openai/deployments/my-gpt-4o/chat/completions?api-version=2024-10-21'],
    ['2025-04-01-preview', '/openai/deployments/my-gpt-4o/chat/completions?api-version=2025-04-01-preview'],
  ])('with the API version %s goes to %s', async (apiVersion, path) => {
    expect((await encoded({ ...ours, apiVersion })).url).toBe(`https://ours.openai.azure.com${path}`)
  })

  it('keeps a deployment within its step of the path', async () => {
    const classic = { ...ours, apiVersion: '2024-10-21' }
    expect((await encoded(classic, {}, '../a?b#c')).url).toBe(
      'https://ours.openai.azure.com/openai/deployments/..%2Fa%3Fb%23c/chat/completions?api-version=2024-10-21',
    )
    for (const name of ['.', '..', ' ']) expect(() => azure(classic)(name)).toThrow(TypeError)
  })

  it('goes to another place by its URL', async () => {
    const { url } = await encoded({ apiKey: 'k', baseURL: 'http://127.0.0.1:8080/azure/' })
    expect(url).toBe('http://127.0.0.1:8080/azure/openai/v1/chat/completions')
  })

  it('carries an Entra token, asked for anew before each call', async () => {
    expect((await encoded({ resource: 'ours', token: 'entra' })).headers).toMatchObject({
      authorization: 'Bearer entra',
    })
    let count = 0
    const tokenProvider = async () => `token-${++count}`
    const vendor = azure({ resource: 'ours', tokenProvider, headers: { 'x-team': 'a' } })('d')
    for (const expected of ['Bearer token-1', 'Bearer token-2']) {
      const { headers } = await vendor.provider.encode({ input: { model: 'public', messages }, model: 'd' })
      expect(headers).toMatchObject({ authorization: expected, 'x-team': 'a' })
      expect(headers).not.toHaveProperty('api-key')
    }
  })

  it('asks for no token where the request is refused', async () => {
    let asked = 0
    const { provider, model } = azure({ resource: 'ours', tokenProvider: () => `${++asked}` })('d')
    const input = { model: 'public', messages, max_tokens: 1, max_completion_tokens: 2 }
    expect(() => provider.encode({ input, model })).toThrow(/at the same time/)
    expect(asked).toBe(0)
  })

  it('is a failure of the vendor where there is no token', async () => {
    const { provider, model } = azure({
      resource: 'ours',
      tokenProvider: () => Promise.reject(new Error('secret')),
    })('d')
    const failure = await Promise.resolve(
      provider.encode({ input: { model: 'public', messages }, model }),
    ).catch(error => error)
    expect(failure).toMatchObject({ kind: 'refused', status: 401 })
    expect(failure.message).not.toContain('secret')
  })

  it.each([
    ['2023-05-15', undefined],
    ['2024-06-01', undefined],
    ['2024-08-01-preview', undefined],
    ['2024-09-01-preview', { include_usage: true }],
    ['2024-10-21', { include_usage: true }],
    [undefined, { include_usage: true }],
  ])('asks a stream of version %s for its counts: %j', async (apiVersion, expected) => {
    expect((await encoded({ ...ours, apiVersion }, { stream: true })).body.stream_options).toEqual(expected)
  })

  it('bounds the answer under the name that the model knows, by the hint of its name or as it is said', async () => {
    const bound = async (deployment: string, capabilities?: { reasoning: boolean }) => {
      const { provider, ...target } = azure(ours)(deployment, capabilities)
      const { body } = await provider.encode({
        input: { model: 'public', messages, max_tokens: 5 },
        ...target,
      })
      return Object.keys(JSON.parse(String(body))).filter(name => name.startsWith('max'))
    }
    expect(await bound('my-gpt-4o')).toEqual(['max_tokens'])
    expect(await bound('o3-mini')).toEqual(['max_completion_tokens'])
    expect(await bound('ours', { reasoning: true })).toEqual(['max_completion_tokens'])
    expect(await bound('o3-mini', { reasoning: false })).toEqual(['max_tokens'])
  })

  it('says system for developer, and keeps back what an earlier answer carried', async () => {
    const { body, adjustments } = await encoded(ours, {
      messages: [
        { role: 'developer', content: 'Be brief.' },
        { role: 'assistant', content: 'a', annotations: [], reasoning_content: 'hm' } as never,
        { role: 'user', content: 'b' },
      ],
    })
    expect(body.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'assistant', content: 'a' },
      { role: 'user', content: 'b' },
    ])
    expect(adjustments).toEqual([
      { parameter: 'messages[1].reasoning_content', action: 'dropped', detail: 'not known to this vendor' },
    ])
  })
})

describe('the configuration', () => {
  it.each<[string, object, RegExp]>([
    ['nothing', {}, /resource or baseURL is missing/],
    ['an unknown option', { ...ours, endpoint: 'x' }, /endpoint: got a string, expected no such option/],
    ['two places', { ...ours, baseURL: 'https://a.example' }, /resource or baseURL, not both/],
    ['a resource that is a URL', { ...ours, resource: 'https://ours.openai.azure.com' }, /letters, digits/],
    ['a resource that leads elsewhere', { ...ours, resource: 'a.example/' }, /letters, digits/],
    [
      'a base URL with the path',
      { apiKey: 'k', baseURL: 'https://a.example/openai/' },
      /path of the operation/,
    ],
    [
      'a base URL of the v1 API',
      { apiKey: 'k', baseURL: 'https://a.example/openai/v1' },
      /end before \/openai/,
    ],
    [
      'no credential',
      { resource: 'ours' },
      /apiKey: got undefined, expected a key, a token or a tokenProvider.* AZURE_OPENAI_API_KEY/,
    ],
    ['two credentials', { ...ours, token: 'secret' }, /one of apiKey, token and tokenProvider/],
    ['two tokens', { resource: 'ours', token: 'secret', tokenProvider: () => '' }, /not both/],
    ['an empty key', { ...ours, apiKey: '' }, /apiKey: got an empty string/],
    [
      'the key as a header too',
      { ...ours, headers: { 'Api-Key': 'secret' } },
      /headers\.Api-Key: got a string, expected each header once/,
    ],
    ['a version that is none', { ...ours, apiVersion: '2024-10-21&x=y' }, /apiVersion has to be a date/],
    ['no concurrency', { ...ours, maxConcurrent: 0 }, /maxConcurrent/],
  ])('is refused: %s', (_name, options, message) => {
    let failure: unknown
    try {
      azure(options as AzureOptions)
    } catch (error) {
      failure = error
    }
    expect(failure).toBeInstanceOf(TypeError)
    expect(String(failure)).toMatch(message)
    expect(String(failure)).not.toContain('secret')
  })
})

describe('what Azure refuses', () => {
  // Of the shape in its documents: there is no recording.
  const filtered = {
    message:
      "The response was filtered due to the prompt triggering Azure OpenAI's content management policy. Please modify your prompt and retry.",
    type: null,
    param: 'prompt',
    code: 'content_filter',
    status: 400,
    innererror: {
      code: 'ResponsibleAIPolicyViolation',
      content_filter_result: { hate: { filtered: true, severity: 'high' } },
    },
  }

  it('a prompt, by its filter', async () => {
    expect(await told(400, filtered)).toMatchObject({
      status: 400,
      type: 'invalid_request_error',
      code: 'content_filter',
      param: 'prompt',
      message: expect.stringContaining('content management policy'),
    })
  })

  it('a key: the gateway says that its own credentials failed', async () => {
    expect(await failureOf(401, { code: '401', message: 'Access denied due to invalid key.' })).toMatchObject(
      {
        status: 401,
        code: null,
      },
    )
    expect(await told(401, { code: '401', message: 'Access denied' })).toMatchObject({
      status: 502,
      code: 'upstream_auth',
    })
  })

  it('a deployment that is not there', async () => {
    expect(
      await told(404, { code: 'DeploymentNotFound', message: 'The API deployment does not exist.' }),
    ).toMatchObject({
      status: 404,
      code: 'model_not_found',
    })
  })

  it('more than its rate: both forms of the wait are read', async () => {
    const error = { code: 'RateLimitReached', message: 'Rate limit of 6 per 60s exceeded.' }
    const headers = { 'retry-after': '27', 'retry-after-ms': '26512' }
    expect(await failureOf(429, error, headers)).toMatchObject({ status: 429, retryAfterMs: 26_512 })
    const { headers: seen, ...refusal } = await told(429, { ...error, code: '429' }, headers)
    expect(refusal).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
    expect(seen.get('retry-after-ms')).toBe('26512')
    expect((await told(429, error, { 'retry-after': '9' })).headers.get('retry-after')).toBe('9')
  })

  it('too long a prompt', async () => {
    const message =
      "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."
    expect(
      await told(400, { message, type: 'invalid_request_error', code: 'context_length_exceeded' }),
    ).toMatchObject({
      status: 400,
      code: 'context_length_exceeded',
    })
  })

  it('what its gateway refuses, in a body of another shape', async () => {
    const body = JSON.stringify({ statusCode: 401, message: 'Unauthorized. Access token is missing.' })
    expect(await decoded({ status: 401, body }).catch(error => error)).toMatchObject({
      kind: 'refused',
      status: 401,
    })
  })
})

const folder = new URL('../../../../shared/fixtures/azure/', import.meta.url)
const present = existsSync(folder)

describe.skipIf(!present)('recorded answers (skipped where ../shared/fixtures is absent)', () => {
  const body = (name: string) => readFileSync(new URL(name, folder), 'utf8')
  const streamed = async (name: string): Promise<readonly PartialChunk[]> => {
    const reply = await decoded({ body: body(name) }, true)
    const chunks: PartialChunk[] = []
    if (reply.kind === 'stream') for await (const batch of reply.chunks) chunks.push(...batch)
    return chunks
  }

  it.each(['content-filter-finish.json', 'content-filter-finish-2.json'])(
    '%s: a choice that the filter left without a message',
    async name => {
      expect(await decoded({ body: body(name) }, false, { providerFields: false })).toEqual({
        kind: 'completion',
        completion: {
          choices: [{ index: 0, message: {}, finish_reason: 'content_filter' }],
          usage: { prompt_tokens: 15, completion_tokens: 19 },
          model: 'gpt-35-turbo',
        },
      })
    },
  )

  it('text.json', async () => {
    expect(await decoded({ body: body('text.json') })).toMatchObject({
      completion: {
        choices: [
          {
            message: { content: expect.stringMatching(/^Why did the Opentelemetry/) },
            finish_reason: 'stop',
          },
        ],
        usage: { prompt_tokens: 15, completion_tokens: 24 },
      },
    })
  })

  it('text-stream.sse: begins without choices, id and model', async () => {
    const chunks = await streamed('text-stream.sse')
    expect(chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('')).toMatch(/^Why did the Open/)
    expect(chunks.at(-1)?.choices[0]).toMatchObject({ finish_reason: 'stop' })
  })

  it('reasoning-stream.sse: counts come last', async () => {
    const chunks = await streamed('reasoning-stream.sse')
    expect(chunks.at(-1)).toMatchObject({ choices: [], usage: { reasoning_tokens: expect.any(Number) } })
    expect(chunks.filter(({ choices }) => choices[0]?.finish_reason)).toHaveLength(1)
  })

  it('tool-call-stream.sse', async () => {
    const calls = (await streamed('tool-call-stream.sse')).flatMap(
      ({ choices }) => choices[0]?.delta.tool_calls ?? [],
    )
    expect(calls[0]?.function?.name).toBe('best_language_to_learn')
  })

  it.each<[string, string | undefined]>([
    ['text', undefined],
    ['text-stream', '2024-02-01'],
    ['reasoning-stream', undefined],
    ['tool-call-stream', undefined],
  ])('%s.request.json: is what it makes of such a request', async (name, apiVersion) => {
    const { model, stream_options, ...input } = JSON.parse(body(`${name}.request.json`))
    const made = await encoded({ ...ours, apiVersion }, input, model)
    expect(made.body).toEqual({ model, ...input, ...(stream_options && { stream_options }) })
    expect(made.adjustments).toBeUndefined()
  })

  it.each([
    ['error-401.401.json', 401, 'upstream_auth', 502],
    ['error-deployment-not-found.404.json', 404, 'model_not_found', 404],
  ])('%s', async (name, status, code, seen) => {
    const { error } = JSON.parse(body(name))
    expect(await told(status, error)).toMatchObject({ status: seen, code })
  })
})

describe('embeddings', () => {
  const deployment = 'text-embedding-3-small'

  it.each<[string | undefined, string]>([
    [undefined, '/openai/v1/embeddings'],
    ['preview', '/openai/v1/embeddings?api-version=preview'],
    ['2024-10-21', '/openai/deployments/text-embedding-3-small/embeddings?api-version=2024-10-21'],
  ])('with the API version %s go to %s', async (apiVersion, path) => {
    const request = await encodedEmbeddings(azure({ ...ours, apiVersion })(deployment), {
      encoding: 'base64',
    })
    expect(request.url).toBe(`https://ours.openai.azure.com${path}`)
    expect(request.headers['api-key']).toBe('the-key')
    expect(request.body).toEqual({ model: deployment, input: ['Hello'], encoding_format: 'base64' })
  })

  it('have the token of the call, and ask for none if they are refused', async () => {
    let asked = 0
    const tokenProvider = async () => `token-${++asked}`
    const target = azure({ resource: 'ours', tokenProvider })('text-embedding-ada-002')
    expect((await encodedEmbeddings(target)).headers.authorization).toBe('Bearer token-1')
    await expect(encodedEmbeddings(target, { dimensions: 3 })).rejects.toMatchObject({ param: 'dimensions' })
    expect(asked).toBe(1)
  })

  it("pass input_type on to Cohere's models only", async () => {
    const extra = { input_type: 'query' }
    const cohere = await encodedEmbeddings(azure(ours)('Cohere-embed-v3-english'), { extra })
    expect([cohere.body.input_type, cohere.adjustments]).toEqual(['query', []])
    const other = await encodedEmbeddings(azure(ours)(deployment), { extra })
    expect(other.adjustments).toMatchObject([{ parameter: 'input_type', action: 'dropped' }])
  })

  it('are decoded as those of the protocol', async () => {
    const json = { data: [{ index: 0, embedding: [0.5] }], model: 'embed-english-v3.0' }
    const reply = await decodedEmbeddings(azure(ours)(deployment), { json })
    expect(reply).toEqual({ vectors: [{ kind: 'json', text: '[0.5]' }], model: 'embed-english-v3.0' })
    expect(azure(ours)(deployment).capabilities).toEqual({ operations: ['embed'] })
  })
})

import { GatewayError } from '@sluice/core'
import { type Call, type ChatRequest, type EncodedRequest, UpstreamError } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { scriptedResponse } from '../test/scripted-response.ts'
import { type VertexOptions, vertex } from './vertex.ts'

type Asked = Partial<ChatRequest> & { readonly [extra: string]: unknown }

interface Sent extends Omit<EncodedRequest, 'body'> {
  readonly body: ReturnType<typeof JSON.parse>
}

const messages = [{ role: 'user', content: 'Hi' }] as const
const setting = { project: 'my-project', location: 'us-central1', token: 'ya29.t' }
const at = 'https://us-central1-aiplatform.googleapis.com/v1/projects/my-project/locations/us-central1'

async function sent(
  input: Asked = {},
  more: Partial<Call> & { readonly options?: Partial<VertexOptions> } = {},
): Promise<Sent> {
  const { options, ...call } = more
  const { provider } = vertex({ ...setting, ...options } as VertexOptions)
  const request = await provider.encode({
    model: 'gemini-2.5-flash',
    input: { model: 'public', messages, ...input },
    ...call,
  })
  return { ...request, body: JSON.parse(String(request.body)) }
}

describe('where a request goes', () => {
  it.each([
    ['gemini-2.5-flash', 'publishers/google/models/gemini-2.5-flash'],
    ['models/gemini-2.5-flash', 'publishers/google/models/gemini-2.5-flash'],
    ['google/gemini-2.5-flash', 'publishers/google/models/gemini-2.5-flash'],
    ['publishers/google/models/gemini-2.5-flash', 'publishers/google/models/gemini-2.5-flash'],
    ['endpoints/123', 'endpoints/123'],
    ['a/../../b', 'publishers/a/models/..%2F..%2Fb'],
    ['gemini:x?y#z', 'publishers/google/models/gemini%3Ax%3Fy%23z'],
  ])('is, for %s, %s', async (model, path) => {
    const { url, headers } = await sent({}, { model })
    expect(url).toBe(`${at}/${path}:generateContent`)
    expect(headers).toEqual({
      'content-type': 'application/json',
      accept: 'application/json',
      'accept-encoding': 'identity',
      authorization: 'Bearer ya29.t',
    })
  })

  it('is a whole resource name as it is, at the host of its location', async () => {
    const model = 'projects/p2/locations/europe-west4/publishers/google/models/gemini-3-pro'
    const { url, body } = await sent({ reasoning_effort: 'low', stream: true }, { model })
    expect(url).toBe(
      `https://europe-west4-aiplatform.googleapis.com/v1/${model}:streamGenerateContent?alt=sse`,
    )
    const options = { baseURL: 'http://127.0.0.1:9/v1' }
    expect((await sent({}, { model, options })).url).toBe(`http://127.0.0.1:9/v1/${model}:generateContent`)
    expect(body.generationConfig.thinkingConfig).toEqual({ thinkingLevel: 'low', includeThoughts: true })
  })

  it.each([
    ['global', 'https://aiplatform.googleapis.com/v1'],
    ['europe-west1', 'https://europe-west1-aiplatform.googleapis.com/v1'],
    ['eu', 'https://aiplatform.eu.rep.googleapis.com/v1'],
  ])('is at %s', async (location, base) => {
    const { url } = await sent({}, { options: { location } })
    expect(url).toBe(
      `${base}/projects/my-project/locations/${location}/publishers/google/models/gemini-2.5-flash:generateContent`,
    )
  })

  it('is another base where one is given', async () => {
    const { url } = await sent({}, { options: { baseURL: 'http://127.0.0.1:9/v1/' } })
    expect(url).toMatch(/^http:\/\/127\.0\.0\.1:9\/v1\/projects\/my-project\//)
  })

  it('is Gemini’s or Claude’s by the publisher, whatever the project is called', async () => {
    const place = 'projects/anthropic/locations/global/publishers'
    const gemini = await sent({}, { model: `${place}/google/models/gemini-2.5-flash` })
    expect(gemini.url).toBe(
      `https://aiplatform.googleapis.com/v1/${place}/google/models/gemini-2.5-flash:generateContent`,
    )
    const claude = await sent({}, { model: `${place}/anthropic/models/claude-haiku-4-5` })
    expect(claude.url).toMatch(/claude-haiku-4-5:rawPredict$/)
  })

  it.each([
    '..',
    'projects/p/../x',
    'projects/p/locations/evil.example#/publishers/google/models/m',
    'projects/p/models/m',
    'publishers/google/models/',
  ])('is nowhere for %s', async model => {
    const error: unknown = await sent({}, { model }).catch(failure => failure)
    expect(GatewayError.is(error) && error).toMatchObject({ status: 400, param: 'model' })
  })
})

describe('a configuration', () => {
  it.each<[string, Record<string, unknown>]>([
    ['project', { project: '' }],
    ['project', { project: 'a/b' }],
    ['location', { location: 'us/../x' }],
    ['location', { location: undefined }],
    ['project', { project: undefined, baseURL: 'http://127.0.0.1:9/v1' }],
    ['token or tokenProvider is missing', { token: undefined }],
    ['not both', { tokenProvider: () => 't' }],
    ['baseURL', { baseURL: 'https://x.example/v1?a=b' }],
    [
      'headers.Authorization: got a string, expected each header once',
      { headers: { Authorization: 'Bearer x' } },
    ],
    ['defaultMaxTokens', { defaultMaxTokens: 0 }],
    ['beta', { beta: 'one' }],
    ['got fetchImage of type object, expected a function', { fetchImage: {} }],
    ['safetySettings', { safetySettings: {} }],
    ['region: got a string, expected no such option', { region: 'us' }],
  ])('that cannot work is refused: %s', (words, options) => {
    const configure = () => vertex({ ...setting, ...options } as VertexOptions)
    expect(configure).toThrow(TypeError)
    expect(configure).toThrow(words)
  })
})

describe('a token', () => {
  it('is asked for before each call', async () => {
    let count = 0
    const { provider } = vertex({
      project: 'p',
      location: 'global',
      tokenProvider: async () => `t${++count}`,
    })
    const call = { model: 'gemini-2.5-flash', input: { model: 'public', messages } }
    expect((await provider.encode(call)).headers.authorization).toBe('Bearer t1')
    expect((await provider.encode(call)).headers.authorization).toBe('Bearer t2')
  })

  it('that is not given is the service’s own failure', async () => {
    const options = { token: undefined, tokenProvider: () => Promise.reject(new Error('no')) }
    const error: unknown = await sent({}, { options }).catch(failure => failure)
    expect(UpstreamError.is(error) && error).toMatchObject({ kind: 'refused', status: 401 })
  })
})

describe('a request to Gemini', () => {
  it('has labels for metadata', async () => {
    const { body, adjustments } = await sent({
      metadata: { team: 'a-b_1', größe: '', Team: 'x', b: 'Großes' },
    })
    expect(body.labels).toEqual({ team: 'a-b_1', größe: '' })
    expect(adjustments).toEqual([
      { parameter: 'metadata', action: 'dropped', detail: '2 of 4 make no label' },
    ])
    const own = await sent({ metadata: { a: 'b' }, labels: { c: 'd' } })
    expect(own.body.labels).toEqual({ a: 'b', c: 'd' })
    expect((await sent({ metadata: {} })).body).not.toHaveProperty('labels')
  })

  it.each([
    ['flex', 'global', 'flex', 0],
    ['priority', 'global', 'priority', 0],
    ['default', 'global', undefined, 0],
    ['auto', 'us-central1', undefined, 0],
    ['flex', 'us-central1', undefined, 1],
    ['scale', 'global', undefined, 1],
  ] as const)('asks for the tier %s at %s by a header', async (service_tier, location, header, told) => {
    const { headers, body, adjustments } = await sent({ service_tier }, { options: { location } })
    expect(headers['x-vertex-ai-llm-shared-request-type']).toBe(header)
    expect(body).not.toHaveProperty('serviceTier')
    expect(adjustments).toHaveLength(told)
  })

  it('has penalties and log probabilities that the other service lacks', async () => {
    const input = { presence_penalty: 0.5, logprobs: true, top_logprobs: 2 }
    expect((await sent(input)).body.generationConfig).toEqual({
      presencePenalty: 0.5,
      responseLogprobs: true,
      logprobs: 2,
    })
  })

  describe('with tools', () => {
    const tool = (name: string, strict?: boolean) =>
      ({ type: 'function', function: { name, ...(strict === undefined ? {} : { strict }) } }) as const
    const tools = [tool('a'), tool('b', true)]

    it('drops what holds arguments to a schema, which version 1 lacks, and tells of it', async () => {
      const free = await sent({ tools })
      expect(free.body).not.toHaveProperty('toolConfig')
      expect(free.adjustments).toMatchObject([{ parameter: 'tools[1].function.strict', action: 'dropped' }])
      const forced = await sent({ tools, tool_choice: 'required' })
      expect(forced.body.toolConfig).toEqual({ functionCallingConfig: { mode: 'ANY' } })
      expect(forced.adjustments).toEqual([])
    })

    it('leaves out those that may not be chosen, and tells of it', async () => {
      const allowed_tools = { mode: 'auto', tools: [tool('a')] } as const
      const { body, adjustments } = await sent({
        tools,
        tool_choice: { type: 'allowed_tools', allowed_tools },
      })
      expect(body.tools).toEqual([{ functionDeclarations: [{ name: 'a' }] }])
      expect(body).not.toHaveProperty('toolConfig')
      expect(adjustments).toMatchObject([{ parameter: 'tool_choice', action: 'mapped' }])
    })
  })

  it('never lets Google fetch a URL', async () => {
    for (const url of ['https://youtu.be/x', 'https://storage.googleapis.com/b/a.png']) {
      const content = [{ type: 'image_url', image_url: { url } }] as const
      const error: unknown = await sent({ messages: [{ role: 'user', content }] }).catch(failure => failure)
      expect(GatewayError.is(error) && error).toMatchObject({ param: 'messages[0].content[0].image_url.url' })
    }
  })
})

describe('a request to Claude', () => {
  const model = 'claude-sonnet-4-5@20250929'

  it.each([
    [false, 'rawPredict'],
    [true, 'streamRawPredict'],
  ])('is one of the Messages API, streamed: %s', async (stream, method) => {
    const options = { beta: ['context-1m-2025-08-07', 'b'], defaultMaxTokens: 77 }
    const { url, body, headers } = await sent({ stream }, { model, options })
    expect(url).toBe(`${at}/publishers/anthropic/models/${model}:${method}`)
    expect(headers['anthropic-beta']).toBe('context-1m-2025-08-07,b')
    expect(headers.authorization).toBe('Bearer ya29.t')
    expect(body).toMatchObject({ anthropic_version: 'vertex-2023-10-16', max_tokens: 77 })
    expect(body.messages).toHaveLength(1)
    expect(body).not.toHaveProperty('model')
    expect(body.stream === true).toBe(stream)
  })

  it('may name the publisher', async () => {
    const { url } = await sent({}, { model: `publishers/anthropic/models/${model}` })
    expect(url).toBe(`${at}/publishers/anthropic/models/${model}:rawPredict`)
  })
})

describe('an answer', () => {
  const { provider } = vertex(setting)
  const input = { model: 'public', messages }

  it('of Gemini is read as such', async () => {
    const body = JSON.stringify({
      candidates: [{ content: { role: 'model', parts: [{ text: 'a' }] }, finishReason: 'STOP' }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, trafficType: 'ON_DEMAND_PRIORITY' },
    })
    const reply = await provider.decode(scriptedResponse({ body }), { model: 'gemini-2.5-flash', input })
    expect(reply).toMatchObject({
      kind: 'completion',
      completion: { choices: [{ message: { content: 'a' } }], service_tier: 'priority' },
    })
  })

  it('of Claude is read as such', async () => {
    const body = JSON.stringify({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: 'b' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 2, output_tokens: 1 },
    })
    const reply = await provider.decode(scriptedResponse({ body }), { model: 'claude-haiku-4-5', input })
    expect(reply).toMatchObject({
      kind: 'completion',
      completion: { choices: [{ message: { content: 'b' }, finish_reason: 'stop' }] },
    })
  })

  it.each([
    [
      JSON.stringify([{ error: { code: 429, message: 'Quota.', details: [{ retryDelay: '3s' }] } }]),
      429,
      3_000,
    ],
    [
      JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: 'Busy.' } }),
      529,
      undefined,
    ],
  ])('of Claude that is an error is read, whoever wrote it: %#', async (body, status, retryAfterMs) => {
    const task = Promise.resolve(
      provider.decode(scriptedResponse({ status, body }), { model: 'claude-haiku-4-5', input }),
    )
    const error: unknown = await task.catch(failure => failure)
    expect(UpstreamError.is(error) && error).toMatchObject({ kind: 'refused', status, retryAfterMs })
  })
})

import { describe, expect, it } from 'vitest'
import { responseCache } from '../../src/caching/response-cache.ts'
import { UpstreamError } from '../../src/errors/upstream-error.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import { createGateway } from '../../src/gateway/gateway.ts'
import type { ChatRequest } from '../../src/protocol/chat.ts'
import { limits } from '../../src/rate-limiting/limits.ts'
import { requests } from '../../src/rate-limiting/rule.ts'
import { models } from '../../src/routing/models.ts'
import { readMessageStream } from '../support/read-message-stream.ts'
import { type Scripted, scripted, stop, stream, text, whole } from '../support/scripted-gateway.ts'

function messagesGateway({ target }: Pick<Scripted, 'target'>, options: Partial<GatewayOptions> = {}) {
  const gateway = createGateway({
    authenticate: request => {
      const id = request.headers.get('x-api-key')
      return id === null ? undefined : { id }
    },
    route: models({ m: target }),
    retry: false,
    ...options,
  })
  const post = (body: object, headers: Record<string, string> = {}, path = '/messages?beta=true') =>
    gateway.fetch(
      new Request(`http://sluice.test/v1${path}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-api-key': 'ann', ...headers },
        body: JSON.stringify({
          model: 'm',
          max_tokens: 100,
          messages: [{ role: 'user', content: 'Hi' }],
          ...body,
        }),
      }),
    )
  return { gateway, post }
}

const errorOf = async (response: Response) => {
  const { type, error } = (await response.json()) as {
    type: string
    error: { type: string; message: string }
  }
  expect(type).toBe('error')
  return [response.status, error.type, error.message]
}

describe('the Messages API of a gateway', () => {
  it('answers whole', async () => {
    const upstream = scripted(() => whole('Hello'))
    const response = await messagesGateway(upstream).post({ system: 'Be brief.' })
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(await response.json()).toMatchObject({
      id: expect.stringMatching(/^msg_\w+$/),
      model: 'm',
      content: [{ type: 'text', text: 'Hello' }],
      stop_reason: 'end_turn',
      usage: { input_tokens: 3, output_tokens: 2 },
    })
    expect(upstream.inputs).toMatchObject([
      {
        model: 'm',
        max_completion_tokens: 100,
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: 'Hi' },
        ],
      },
    ])
  })

  it('answers as a stream, with an estimate of the prompt at its start and the counts of the vendor at its end', async () => {
    const usage = { choices: [], usage: { prompt_tokens: 9, completion_tokens: 4 } }
    const upstream = scripted(() => stream([text('Hel'), text('lo')], [stop, usage]))
    const response = await messagesGateway(upstream).post({
      stream: true,
      messages: [{ role: 'user', content: 'a'.repeat(4_000) }],
    })
    expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
    const message = readMessageStream(await response.text())
    expect(message).toMatchObject({
      model: 'm',
      content: [{ type: 'text', text: 'Hello' }],
      stop_reason: 'end_turn',
    })
    expect(message.startUsage.input_tokens).toBeGreaterThan(900)
    expect(message.usage).toMatchObject({ input_tokens: 9, output_tokens: 4 })
  })

  it('has errors of its own, before and after a request is read', async () => {
    const { gateway, post } = messagesGateway(scripted(() => whole('Hello')))
    expect(await errorOf(await post({ max_tokens: null }))).toEqual([
      400,
      'invalid_request_error',
      'max_tokens: Field required',
    ])
    expect(await errorOf(await post({ model: 'none' }))).toEqual([404, 'not_found_error', 'model: none'])
    expect(await errorOf(await post({}, {}, '/messages/batches'))).toEqual([
      404,
      'not_found_error',
      expect.any(String),
    ])
    const anonymous = await gateway.fetch(new Request('http://sluice.test/v1/messages', { method: 'POST' }))
    expect(anonymous.headers.get('x-should-retry')).toBe('false')
    expect(await errorOf(anonymous)).toEqual([401, 'authentication_error', expect.any(String)])
    await gateway.close()
    expect(await errorOf(await post({}))).toEqual([529, 'overloaded_error', expect.any(String)])
  })

  it('ends a stream that breaks with an error, and not with an end', async () => {
    const broken = new UpstreamError('It broke.', { kind: 'truncated' })
    const { post } = messagesGateway(scripted(() => stream([text('Hel')], broken)))
    const response = await post({ stream: true })
    const body = await response.text()
    expect(readMessageStream(body)).toMatchObject({ stop_reason: null, error: { type: 'api_error' } })
    expect(body).toContain(`"request_id":"${response.headers.get('x-request-id')}"`)
  })

  it('fails before its stream begins for arguments that are no object', async () => {
    const call = {
      choices: [
        { index: 0, message: { tool_calls: [{ id: 'c', function: { name: 'f', arguments: '7' } }] } },
      ],
    }
    const { post } = messagesGateway(scripted(() => ({ kind: 'completion', completion: call })))
    expect(await errorOf(await post({}))).toEqual([502, 'api_error', expect.any(String)])
  })

  it('lowers a bound that a model does not support, and reports it', async () => {
    const upstream = scripted(() => whole('Hello'))
    const small = { ...upstream.target, capabilities: { maxOutputTokens: 50 } }
    const response = await messagesGateway({ target: small }).post({})
    expect(response.status).toBe(200)
    expect(upstream.inputs).toMatchObject([{ max_completion_tokens: 50 }])
    expect(response.headers.get('x-sluice-adjustments')).toBe('"max_tokens";action=mapped;detail="50"')
  })

  it('calls tools by names that other vendors take, and answers with those of the caller', async () => {
    const [long, other] = ['a', 'b'].map(end => `mcp__files__${'read_'.repeat(12)}${end}`)
    const tool = (name: string | undefined) => ({ name, input_schema: { type: 'object' } })
    const use = (id: string, name: string | undefined) => ({ type: 'tool_use', id, name, input: {} })
    const request = {
      tools: [tool('read'), tool(long), tool(other)],
      tool_choice: { type: 'tool', name: other },
      messages: [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: [use('c0', 'read'), use('c1', long)] },
        {
          role: 'user',
          content: ['c0', 'c1'].map(id => ({ type: 'tool_result', tool_use_id: id, content: 'ok' })),
        },
      ],
    }
    const upstream: Scripted = scripted(() => {
      const { tools, stream: isStreamed } = upstream.inputs.at(-1)!
      const tool_calls = tools!.map((each, index) => ({
        index,
        id: `call_${index}`,
        function: { name: each.type === 'function' ? each.function.name : '', arguments: '{}' },
      }))
      if (isStreamed) return stream([{ choices: [{ index: 0, delta: { tool_calls } }] }], [stop])
      const choice = { index: 0, message: { tool_calls }, finish_reason: 'stop' as const }
      return { kind: 'completion', completion: { choices: [choice] } }
    })
    const { post } = messagesGateway(upstream)
    const streamed = readMessageStream(await (await post({ ...request, stream: true })).text())
    const content = ['read', long, other].map(name => ({ type: 'tool_use', name }))
    expect(streamed).toMatchObject({ content })
    expect(await (await post(request)).json()).toMatchObject({ content })
    const short = [
      expect.stringMatching(/^mcp__files__[\w-]{52}$/),
      expect.stringMatching(/^mcp__files__[\w-]{52}$/),
    ]
    const [{ tools, tool_choice: choice, messages }] = upstream.inputs as [ChatRequest]
    const names = tools!.map(each => each.type === 'function' && each.function.name)
    expect(names).toEqual(['read', ...short])
    expect(new Set(names).size).toBe(3)
    expect(choice).toEqual({ type: 'function', function: { name: names[2] } })
    expect(messages[1]).toMatchObject({
      tool_calls: [{ function: { name: 'read' } }, { function: { name: names[1] } }],
    })
  })

  it('is limited', async () => {
    const { post } = messagesGateway(
      scripted(() => whole('Hello')),
      { limits: limits([requests(1).per('hour')]) },
    )
    expect((await post({})).status).toBe(200)
    expect(await errorOf(await post({}))).toEqual([429, 'rate_limit_error', expect.any(String)])
  })

  it('replays a cached stream', async () => {
    const upstream = scripted(() => stream([text('Hello')], [stop]))
    const { post } = messagesGateway(upstream, {
      cache: responseCache({ ttlMs: 60_000, cacheable: () => true }),
    })
    const first = await (await post({ stream: true })).text()
    expect(await (await post({ stream: true })).text()).toBe(first)
    expect(upstream.inputs).toHaveLength(1)
  })

  it('refuses fields that a provider restricts', async () => {
    const restrictedFields = { speed: 'paid', server_tools: 'paid' } as const
    const { target } = scripted(() => whole('Hello'), { restrictedFields })
    const { post } = messagesGateway({ target }, { limits: limits([requests(9).per('hour')]) })
    expect(await errorOf(await post({ speed: 'fast' }))).toEqual([
      400,
      'invalid_request_error',
      expect.any(String),
    ])
    const tools = [{ type: 'web_search_20250305', name: 'web_search' }]
    expect(await errorOf(await post({ tools }))).toEqual([400, 'invalid_request_error', expect.any(String)])
    expect((await post({})).status).toBe(200)
  })
})

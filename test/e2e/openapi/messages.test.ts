import { apiKeys, createGateway, type GatewayOptions, limits, models, requests, tokens } from '@sluice/core'
import { openApiDocument } from '@sluice/core/openapi'
import { local } from '@sluice/providers'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { askDescribed, validator } from './description.ts'

const messages = 'POST /v1/messages'
const counts = 'POST /v1/messages/count_tokens'

function gatewayWith(options: Partial<GatewayOptions> = {}) {
  const gateway = createGateway({
    authenticate: apiKeys([{ id: 'me', key: 'sk-test', models: ['demo'] }]),
    route: models({ demo: local()('demo'), other: local()('demo') }),
    ...options,
  })
  onTestFinished(() => gateway.close())
  return gateway
}

const hello = [{ role: 'user', content: 'Say hello.' }]

function post(operation: string, body: object, key = 'sk-test') {
  return new Request(`http://sluice.test${operation.slice('POST '.length)}`, {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo', messages: hello, ...body }),
  })
}

const ask = (body: object, options?: Partial<GatewayOptions>, key?: string) =>
  askDescribed(gatewayWith(options), messages, post(messages, { max_tokens: 50, ...body }, key))

const weather = {
  name: 'weather',
  input_schema: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

describe('messages', () => {
  it.each([
    ['a text', {}],
    ['cut short', { max_tokens: 1 }],
    ['a call of a tool', { tools: [weather], tool_choice: { type: 'any' } }],
  ])('%s, streamed or not, is what the document says', async (_, body) => {
    const options = { limits: limits([requests(60).per('minute'), tokens(9_000).per('minute')]) }
    const { status, headers } = await ask(body, options)
    expect([status, headers.get('anthropic-ratelimit-requests-limit')]).toEqual([200, '60'])
    const streamed = await ask({ ...body, stream: true }, options)
    expect(streamed.text).toMatch(/event: message_stop\ndata: \{"type":"message_stop"\}\n\n$/)
  })

  it.each<[number, object, Partial<GatewayOptions>?, string?]>([
    [400, { max_tokens: 0 }],
    [400, { messages: [] }],
    [401, {}, {}, 'sk-wrong'],
    [403, { model: 'other' }],
    [404, { model: 'none' }],
    [429, {}, { limits: limits([tokens(1).per('minute')]) }],
    [529, {}, { loadShedder: () => 'full' }],
  ])('%i for %j are what the document says', async (status, body, options, key) => {
    expect(await ask(body, options, key)).toMatchObject({ status })
  })

  it('counts of tokens are what the document says', async () => {
    const counted = (body: object, key?: string) =>
      askDescribed(gatewayWith(), counts, post(counts, body, key))
    expect((await counted({})).text).toMatch(/^\{"input_tokens":\d+\}$/)
    expect(await counted({ messages: 1 })).toMatchObject({ status: 400 })
    expect(await counted({ model: 'none' })).toMatchObject({ status: 404 })
    expect(await counted({}, 'sk-wrong')).toMatchObject({ status: 401 })
  })

  it.each(['models', 'models/demo', 'models/none'])('%s in the shape of the protocol', async path => {
    const operation = path === 'models' ? 'GET /v1/models' : 'GET /v1/models/{model}'
    const headers = { 'x-api-key': 'sk-test', 'anthropic-version': '2023-06-01' }
    const request = new Request(`http://sluice.test/v1/${path}`, { headers })
    const { fetch } = gatewayWith()
    const response = await fetch(request.clone())
    expect(await response.json()).toHaveProperty(path === 'models' ? 'has_more' : 'type')
    if (response.status === 200) await askDescribed(gatewayWith(), operation, request)
  })

  it('are valid for the document and the gateway, or for neither', async () => {
    const gateway = gatewayWith()
    const accepts = validator(openApiDocument(), { $ref: '#/components/schemas/MessagesRequest' })
    const content = fc.constantFrom('a', [{ type: 'text', text: 'a' }], [{}], ['a'], 7, null)
    const message = fc.record({ role: fc.constantFrom('user', 'assistant', 'tool', null), content })
    const good = fc.constant({ role: 'user', content: 'Say hello.' })
    const frequent = <T>(usual: T, ...others: unknown[]) =>
      fc.oneof({ weight: 5, arbitrary: fc.constant<unknown>(usual) }, fc.constantFrom(...others))
    const request = fc.record({
      max_tokens: frequent(9, 1, 0, -1, 1.5, '9', null),
      messages: fc.array(fc.oneof({ weight: 5, arbitrary: good }, message), { maxLength: 2 }),
      system: frequent(null, 'Be brief.', [{ type: 'text', text: 'a' }], [7], 7),
      temperature: frequent(null, 0, 1, 2, -1, 'a'),
      stop_sequences: frequent(null, ['a'], [1], 'a'),
      stream: frequent(null, false, 'a'),
      thinking: frequent(null, { type: 'disabled' }, {}, 7),
      metadata: frequent(null, {}, { user_id: 'a' }, { user_id: 7 }, 'a'),
      service_tier: frequent(null, 'auto', 'fast'),
      betas: frequent(null, ['a']),
    })
    const sums = { valid: 0, invalid: 0 }
    await fc.assert(
      fc.asyncProperty(request, async body => {
        const { status } = await gateway.fetch(post(messages, body))
        const described = accepts({ model: 'demo', ...body })
        expect(described, JSON.stringify([body, status, accepts.errors])).toBe(status === 200)
        sums[described ? 'valid' : 'invalid']++
      }),
      { numRuns: 600 },
    )
    expect(Math.min(sums.valid, sums.invalid)).toBeGreaterThan(5)
  })
})

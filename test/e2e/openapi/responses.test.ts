import { apiKeys, createGateway, type GatewayOptions, limits, models, requests, tokens } from '@sluice/core'
import { openApiDocument } from '@sluice/core/openapi'
import { local } from '@sluice/providers'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { askDescribed, validator } from './description.ts'

const responses = 'POST /v1/responses'
const counts = 'POST /v1/responses/input_tokens'

function gatewayWith(options: Partial<GatewayOptions> = {}) {
  const gateway = createGateway({
    authenticate: apiKeys([{ id: 'me', key: 'sk-test', models: ['demo'] }]),
    route: models({ demo: local()('demo'), other: local()('demo') }),
    ...options,
  })
  onTestFinished(() => gateway.close())
  return gateway
}

function post(operation: string, body: object, key = 'sk-test') {
  return new Request(`http://sluice.test${operation.slice('POST '.length)}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo', input: 'Say hello.', ...body }),
  })
}

const ask = (body: object, options?: Partial<GatewayOptions>, key?: string) =>
  askDescribed(gatewayWith(options), responses, post(responses, body, key))

const weather = {
  type: 'function',
  name: 'weather',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
}

describe('responses', () => {
  it.each([
    ['a text', {}],
    ['cut short', { max_output_tokens: 1 }],
    ['a call of a tool', { tools: [weather], tool_choice: 'required' }],
  ])('%s, streamed or not, is what the document says', async (_, body) => {
    const options = { limits: limits([requests(60).per('minute'), tokens(9_000).per('minute')]) }
    const { status, headers } = await ask(body, options)
    expect([status, headers.get('x-ratelimit-limit-requests')]).toEqual([200, '60'])
    const streamed = await ask({ ...body, stream: true }, options)
    expect(streamed.text).toMatch(
      /event: response\.(?:completed|incomplete)\ndata: .+\n\ndata: \[DONE\]\n\n$/,
    )
  })

  it.each<[number, object, Partial<GatewayOptions>?, string?]>([
    [400, { max_output_tokens: -1 }],
    [400, { input: null }],
    [401, {}, {}, 'sk-wrong'],
    [403, { model: 'other' }],
    [400, { model: 'none' }],
    [429, {}, { limits: limits([tokens(1).per('minute')]) }],
    [503, {}, { loadShedder: () => 'full' }],
  ])('%i for %j are what the document says', async (status, body, options, key) => {
    expect(await ask(body, options, key)).toMatchObject({ status })
  })

  it('counts of tokens are what the document says', async () => {
    const counted = (body: object, key?: string) =>
      askDescribed(gatewayWith(), counts, post(counts, body, key))
    expect((await counted({})).text).toMatch(/^\{"object":"response.input_tokens","input_tokens":\d+\}$/)
    expect(await counted({ input: 1 })).toMatchObject({ status: 400 })
    expect(await counted({ model: 'none' })).toMatchObject({ status: 400 })
    expect(await counted({}, 'sk-wrong')).toMatchObject({ status: 401 })
  })

  it('stored ones are what the document says, for their owner and for others', async () => {
    const gateway = gatewayWith({
      authenticate: apiKeys([
        { id: 'me', key: 'sk-test' },
        { id: 'you', key: 'sk-other' },
      ]),
    })
    const created = await askDescribed(gateway, responses, post(responses, {}))
    const { id } = JSON.parse(created.text)
    const of = (method: string, part: string, key = 'sk-test') =>
      askDescribed(
        gateway,
        `${method} /v1/responses/{response}${part}`,
        new Request(`http://sluice.test/v1/responses/${id}${part}`, {
          method,
          headers: { authorization: `Bearer ${key}` },
        }),
      )
    const paths = [
      ['GET', '', 200],
      ['GET', '/input_items', 200],
      ['POST', '/cancel', 400],
      ['DELETE', '', 200],
    ] as const
    for (const [method, part, status] of paths) {
      expect(await of(method, part, 'sk-wrong')).toMatchObject({ status: 401 })
      expect(await of(method, part, 'sk-other')).toMatchObject({ status: 404 })
      expect(await of(method, part)).toMatchObject({ status })
    }
    expect(await of('GET', '')).toMatchObject({ status: 404 })
    const next = await askDescribed(gateway, responses, post(responses, { previous_response_id: id }))
    expect(next.status).toBe(400)
  })

  it('are valid for the document and the gateway, or for neither', async () => {
    const gateway = gatewayWith()
    const accepts = validator(openApiDocument(), { $ref: '#/components/schemas/ResponsesRequest' })
    const content = fc.constantFrom('a', [{ type: 'input_text', text: 'a' }], [{}], ['a'], 7)
    const message = fc.record({ role: fc.constantFrom('user', 'assistant', 'tool'), content })
    const good = fc.constant({ role: 'user', content: 'Say hello.' })
    const frequent = <T>(usual: T, ...others: unknown[]) =>
      fc.oneof({ weight: 5, arbitrary: fc.constant<unknown>(usual) }, fc.constantFrom(...others))
    const request = fc.record({
      input: fc.array(fc.oneof({ weight: 9, arbitrary: good }, message), { minLength: 1, maxLength: 2 }),
      max_output_tokens: frequent(9, 1, 0, -1, 1.5, '9', null),
      instructions: frequent(null, 'Be brief.', 7),
      temperature: frequent(null, 0, 1, 3, -1, 'a'),
      stream: frequent(null, false, 'a'),
      reasoning: frequent(null, {}, { effort: 'much' }, 7),
      text: frequent(null, {}, { format: { type: 'text' } }, { format: { type: 'json_schema' } }),
      metadata: frequent(null, {}, { a: 'b' }, { a: 7 }, 'a'),
      service_tier: frequent(null, 'auto', 'fastest'),
      client_metadata: frequent(null, { a: 1 }),
    })
    const sums = { valid: 0, invalid: 0 }
    await fc.assert(
      fc.asyncProperty(request, async body => {
        const { status } = await gateway.fetch(post(responses, body))
        const described = accepts({ model: 'demo', ...body })
        // What the document cannot say: which members an item of a kind has.
        if (described && status === 400) return
        expect(described, JSON.stringify([body, status, accepts.errors])).toBe(status === 200)
        sums[described ? 'valid' : 'invalid']++
      }),
      { numRuns: 300 },
    )
    expect(Math.min(sums.valid, sums.invalid)).toBeGreaterThan(5)
  })
})

import { apiKeys, createGateway, type GatewayOptions, limits, models, tokens } from '@sluice/core'
import { openApiDocument } from '@sluice/core/openapi'
import { local } from '@sluice/providers'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { askDescribed, validator } from './description.ts'

const embeddings = 'POST /v1/embeddings'

function gatewayWith(options: Partial<GatewayOptions> = {}) {
  const gateway = createGateway({
    authenticate: apiKeys([{ id: 'me', key: 'sk-test', models: ['demo'] }]),
    route: models({ demo: local()('demo'), other: local()('demo') }),
    ...options,
  })
  onTestFinished(() => gateway.close())
  return gateway
}

const post = (body: object, key = 'sk-test') =>
  new Request('http://sluice.test/v1/embeddings', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: 'demo', input: 'Hello', ...body }),
  })

describe('embeddings', () => {
  it.each<[number, object, Partial<GatewayOptions>?, string?]>([
    [200, {}],
    [200, { input: [[1], [2, 3]], encoding_format: 'base64', dimensions: 4 }],
    [400, { input: '' }],
    [400, { dimensions: 0 }],
    [401, {}, {}, 'sk-wrong'],
    [403, { model: 'other' }],
    [404, { model: 'none' }],
    [429, {}, { limits: limits([tokens(1).per('minute')]) }],
  ])('%i for %j are what the document says', async (status, body, options, key) => {
    expect(await askDescribed(gatewayWith(options), embeddings, post(body, key))).toMatchObject({ status })
  })

  it('are sound to the document and to the gateway, or to neither', async () => {
    const gateway = gatewayWith()
    const accepts = validator(openApiDocument(), { $ref: '#/components/schemas/EmbeddingsRequest' })
    const item = fc.oneof(
      { weight: 4, arbitrary: fc.constantFrom('a', 'b c', '', 0, 1, 2.5, -1, null, true) },
      fc.array(fc.constantFrom(0, 7, -1, 1.5, 'a'), { maxLength: 3 }),
    )
    const request = fc.record({
      input: fc.oneof(item, fc.array(fc.constant('a'), { maxLength: 3 }), fc.array(item, { maxLength: 3 })),
      encoding_format: fc.constantFrom(null, 'float', 'base64', 'int8', 7),
      dimensions: fc.constantFrom(null, 1, 8, 0, -1, 2.5, '8'),
      user: fc.constantFrom(null, 'eve', '', 7),
      input_type: fc.constantFrom(null, 'query'),
    })
    const counts = { sound: 0, faulty: 0 }
    await fc.assert(
      fc.asyncProperty(request, async body => {
        const { status } = await gateway.fetch(post(body))
        const described = accepts({ model: 'demo', ...body })
        expect(described, JSON.stringify([body, status, accepts.errors])).toBe(status === 200)
        counts[described ? 'sound' : 'faulty']++
      }),
      { numRuns: 600 },
    )
    expect(Math.min(counts.sound, counts.faulty)).toBeGreaterThan(5)
  })
})

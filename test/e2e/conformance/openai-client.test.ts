import { GatewayError, type ModelEntry } from '@sluice/core'
import { local } from '@sluice/providers/local'
import OpenAI, {
  AuthenticationError,
  InternalServerError,
  NotFoundError,
  PermissionDeniedError,
  RateLimitError,
} from 'openai'
import { expect, it } from 'vitest'
import { overMounts } from './over-mounts.ts'
import { testGateway } from './test-gateway.ts'

const throwing: ModelEntry = () => {
  throw new Error('a fault')
}
const limited: ModelEntry = () => {
  throw new GatewayError('rate_limit_exceeded')
}

/** Refuses the first of two requests. */
function everySecond(): ModelEntry {
  const target = local()('every-second')
  let asked = 0
  return () => {
    if (++asked % 2 === 0) return [target]
    throw new GatewayError('rate_limit_exceeded', { headers: { 'retry-after': '1', 'retry-after-ms': '30' } })
  }
}

const makeGateway = () =>
  testGateway({ other: local()('other'), throwing, limited, 'every-second': everySecond() })

overMounts(makeGateway, site => {
  const ask = (model: string, apiKey = 'good-key', maxRetries = 0) =>
    new OpenAI({ baseURL: site.place.baseURL, apiKey, maxRetries }).chat.completions
      .create({ model, messages: [{ role: 'user', content: 'Hello!' }] })
      .withResponse()

  it.each([
    [401, 'local', 'nobody', AuthenticationError],
    [403, 'other', 'local-only-key', PermissionDeniedError],
    [404, 'nope', 'good-key', NotFoundError],
    [429, 'limited', 'good-key', RateLimitError],
    [500, 'throwing', 'good-key', InternalServerError],
  ])('C108 a %i is what the client takes it for', async (status, model, key, error) => {
    const thrown = await ask(model, key).catch(thrown => thrown)
    expect(thrown).toBeInstanceOf(error)
    expect(thrown).toMatchObject({ status, requestID: expect.stringMatching(/^req_/) })
  })

  it('C109 a 429 is asked again after its time, and then answered', async () => {
    const started = performance.now()
    const { data, response } = await ask('every-second', 'good-key', 2)
    expect(performance.now() - started).toBeLessThan(900)
    expect(data.choices[0]?.message.content).toMatch(/\S/)
    expect(response.status).toBe(200)
  })
})

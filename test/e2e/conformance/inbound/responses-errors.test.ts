import { apiKeys, budget, requests, tokens, withCors } from '@sluice/core'
import { local } from '@sluice/providers/local'
import { type RawExchange, sse, steps } from '@sluice/testing'
import { expect, it, onTestFinished } from 'vitest'
import { readResponseStream } from '../../../../packages/core/test/support/read-response-stream.ts'
import { overPlaces, startRawVendor, testGateway } from './over-places.ts'

// biome-ignore lint/suspicious/noExplicitAny: a test reads what was written
type Loose = any

const errorOf = ({ status, json }: RawExchange) => ({ status, ...(json as Loose).error })

overPlaces((open, mount) => {
  it('G3 G18 T20 has the codes that clients of the Responses API act on', async () => {
    const { table } = await startRawVendor(
      steps.reply({ error: { message: 'slow' } }, { status: 429, headers: { 'retry-after': '7' } }),
      steps.reply({ error: { message: 'busy' } }, { status: 503 }),
      steps.reply({ error: { message: 'no' } }, { status: 401 }),
      steps.reply({ error: { message: 'broken' } }, { status: 500 }),
      steps.reply({ error: { message: 'too long', code: 'context_length_exceeded' } }, { status: 400 }),
    )
    const site = await open({ ...table, other: local()('o') })
    const final = await site.respond({ model: 'none' })
    expect(errorOf(final)).toEqual({
      status: 400,
      message: expect.stringMatching(/^The requested model 'none' does not exist\./),
      type: 'invalid_request_error',
      param: 'model',
      code: 'model_not_found',
    })
    const limited = await site.respond()
    expect(errorOf(limited)).toMatchObject({ status: 429, code: 'rate_limit_exceeded' })
    expect(limited.headers['retry-after']).toBe('7')
    expect(limited.headers['x-should-retry']).not.toBe('false')
    const overloaded = await site.respond()
    expect(errorOf(overloaded)).toMatchObject({ status: 503, code: 'server_is_overloaded' })
    expect(Number(overloaded.headers['retry-after'])).toBeGreaterThan(0)
    expect(errorOf(await site.respond())).toMatchObject({ status: 502, code: 'upstream_auth' })
    expect(errorOf(await site.respond())).toMatchObject({ status: 502 })
    expect(errorOf(await site.respond())).toEqual({
      status: 400,
      message: 'Your input exceeds the context window of this model. Please adjust your input and try again.',
      type: 'invalid_request_error',
      param: 'input',
      code: 'context_length_exceeded',
    })
    for (const [key, status, code] of [
      [null, 401, null],
      ['nobody', 401, 'invalid_api_key'],
      ['narrow-key', 403, null],
    ] as const) {
      const refused = await site.respond({}, { key })
      expect([refused.status, refused.headers['x-should-retry']]).toEqual([status, 'false'])
      if (code !== null) expect(errorOf(refused).code).toBe(code)
    }
    for (const path of ['/responses/resp_none', '/responses/resp_none/input_items']) {
      const missing = await site.send(path, { method: 'GET' })
      expect([missing.status, missing.headers['x-should-retry']]).toEqual([404, 'false'])
    }
  })

  it('G18 tells that a budget is spent, and that waiting does not help', async () => {
    const site = await open(
      { chat: local()('m') },
      { limits: [budget(0.000001, 'usd').per('day')], prices: () => 1 },
    )
    for (const stream of [false, true]) {
      const spent = await site.respond({ stream })
      expect(errorOf(spent)).toMatchObject({
        status: 429,
        type: 'insufficient_quota',
        code: 'insufficient_quota',
      })
      expect(spent.headers['x-should-retry']).toBe('false')
    }
  })

  it('G16 G17 tells of a limit with the time to wait, and counts in the headers', async () => {
    const site = await open({ chat: local()('m') }, { limits: [requests(1).per('minute')] })
    const first = await site.respond()
    expect(first.headers).toMatchObject({
      'x-ratelimit-limit-requests': '1',
      'x-ratelimit-remaining-requests': '0',
    })
    const second = await site.respond({ stream: true })
    expect(errorOf(second)).toMatchObject({
      status: 429,
      code: 'rate_limit_exceeded',
      message: expect.stringMatching(/try again in \d/),
    })
    expect(Number(second.headers['retry-after'])).toBeGreaterThan(0)
  })

  it('has a 503 for a client to try again where load is shed', async () => {
    const site = await open({ chat: local()('m') }, { loadShedder: () => 'too much' })
    const shed = await site.respond()
    expect(errorOf(shed)).toMatchObject({ status: 503, code: 'server_is_overloaded' })
    expect(shed.headers).toHaveProperty('retry-after')
    expect(shed.headers['x-should-retry']).not.toBe('false')
  })

  it('R39 K9 a response that fails after its beginning tells how long to wait', async () => {
    const events = [
      { error: { message: 'Rate limit reached.', type: 'rate_limit_error', code: 'rate_limit_exceeded' } },
    ]
    const chunk = {
      id: 'c',
      object: 'chat.completion.chunk',
      created: 1,
      model: 'm',
      choices: [{ index: 0, delta: { content: 'one' }, finish_reason: null }],
    }
    const { table } = await startRawVendor(steps.stream(sse([chunk, ...events])))
    const site = await open(table)
    const { response, error } = readResponseStream((await site.respond({ stream: true })).body)
    expect(response).toMatchObject({ status: 'failed', error: { code: 'rate_limit_exceeded' } })
    expect(response.error.message).toMatch(/try again in \d+s/)
    expect(error.message).toBe(response.error.message)
  })

  it('G16 counts what is restored towards a limit, and a budget', async () => {
    const { table, upstream } = await startRawVendor(steps.answer())
    const site = await open(table, {
      limits: [tokens(4_000).per('hour')],
      authenticate: apiKeys([{ id: 'ann', key: 'good-key' }]),
    })
    const first = await site.respond({ input: 'word '.repeat(1_500), max_output_tokens: 1 })
    expect(first.status, first.body).toBe(200)
    const before = upstream.requests.length
    const id = (first.json as Loose).id
    const small = await site.respond({ input: 'Hi', max_output_tokens: 1 })
    expect(small.status).toBe(200)
    const large = await site.respond({
      input: 'word '.repeat(1_500),
      previous_response_id: id,
      max_output_tokens: 1_000,
    })
    expect([large.status, upstream.requests.length]).toEqual([429, before + 1])
  })

  it('G27 lets pages use the paths of stored responses', async () => {
    const gateway = testGateway({ chat: local()('m') })
    onTestFinished(() => gateway.close({ drainMs: 1 }))
    const site = await mount(withCors(gateway, { origins: ['https://app.example'] }))
    const origin = 'https://app.example'
    for (const [path, method] of [
      ['/responses', 'POST'],
      ['/responses/input_tokens', 'POST'],
      ['/responses/resp_1', 'GET'],
      ['/responses/resp_1', 'DELETE'],
      ['/responses/resp_1/input_items', 'GET'],
      ['/responses/resp_1/cancel', 'POST'],
    ] as const) {
      const { status, headers } = await site.send(path, {
        method: 'OPTIONS',
        key: null,
        headers: {
          origin,
          'access-control-request-method': method,
          'access-control-request-headers': 'authorization',
        },
      })
      expect([status, headers['access-control-allow-origin']]).toEqual([204, origin])
      expect(headers['access-control-allow-methods']?.split(/ *, */)).toContain(method)
    }
    const { headers } = await site.send('/responses/resp_1', { method: 'GET', headers: { origin } })
    expect(headers['access-control-allow-origin']).toBe(origin)
    expect(headers['access-control-expose-headers']).toContain('x-request-id')
  })
})

import { describe, expect, it } from 'vitest'
import { apiKeys } from '../../src/auth/api-keys.ts'
import type { GenerateDialect } from '../../src/contracts/dialect.ts'
import type { Target } from '../../src/contracts/provider.ts'
import { TurnsGenerateRequest } from '../../src/conversation/turns-generate-request.ts'
import { messagesLimitHeaders } from '../../src/dialects/messages/limit-headers.ts'
import { messagesModels } from '../../src/dialects/messages/models.ts'
import { GatewayError } from '../../src/errors/errors.ts'
import type { GatewayOptions } from '../../src/gateway/config.ts'
import { limits } from '../../src/rate-limiting/limits.ts'
import { budget, requests, tokens } from '../../src/rate-limiting/rule.ts'
import { models } from '../../src/routing/models.ts'
import { type Scripted, scripted, serving, stop, stream, text, whole } from '../support/scripted-gateway.ts'

// What a response has of its dialect beside its body: headers with the id and the limits, and the list of models.

const dialect: GenerateDialect = {
  name: 'lines',
  operation: 'generate',
  path: '/lines',
  outline: body => ({ stream: body.stream === true }),
  read: ({ model, body }) => ({
    request: new TurnsGenerateRequest({
      dialect: 'lines',
      body,
      settings: { model, stream: body.stream === true, max_completion_tokens: 10 },
      turns: [{ role: 'user', path: 'line', parts: [{ kind: 'text', text: 'Hi', path: 'line' }] }],
    }),
  }),
  answerId: id => id,
  write: () => '"written"',
  stream: () => ({ open: () => '', push: () => 'data: a\n\n', end: () => 'data: end\n\n', fail: () => '' }),
  streamError: () => '',
  error: ({ status, message, headers }, requestId) => ({
    status,
    body: { kind: 'error', message, request_id: requestId },
    headers,
  }),
  requestIdHeader: 'request-id',
  limitHeaders: messagesLimitHeaders,
  models: { ...messagesModels, accepts: headers => headers.get('x-lines') !== null },
}

const answering = () => scripted((_, index) => (index === 0 ? stream([text('a')], [stop]) : whole('a')))

function served(
  { target }: Pick<Scripted, 'target'> = scripted(() => whole('a')),
  options: Partial<GatewayOptions> = {},
) {
  const { gateway, ends } = serving(target, {
    authenticate: apiKeys([{ id: 'ann', key: 'sk-ann' }]),
    dialects: [dialect],
    ...options,
  })
  const ask = (path: string, headers: Record<string, string> = {}, method = 'POST', body: object = {}) =>
    gateway.fetch(
      new Request(`http://sluice.test/v1${path}`, {
        method,
        headers: { 'content-type': 'application/json', 'x-api-key': 'sk-ann', ...headers },
        ...(method === 'POST' ? { body: JSON.stringify({ model: 'm', ...body }) } : {}),
      }),
    )
  return { gateway, ask, ends }
}

describe('an error', () => {
  it.each([
    ['a path below the dialect', '/lines/batches/x?beta=true', {}, 'POST', 404],
    ['another method', '/lines', {}, 'GET', 405],
    ['a wrong key', '/lines?beta=true', { 'x-api-key': 'sk-bob' }, 'POST', 401],
    ['an unknown model', '/lines', { 'x-lines': '1' }, 'GET', 405],
    ['the list of models', '/models', { 'x-lines': '1', 'x-api-key': '' }, 'GET', 401],
    ['one model', '/models/none/x', { 'x-lines': '1' }, 'GET', 404],
    ['an invalid page', '/models?limit=0', { 'x-lines': '1' }, 'GET', 400],
    ['another method for models', '/models', { 'x-lines': '1' }, 'DELETE', 405],
  ])('of %s has the shape and the id of its dialect', async (_, path, headers, method, status) => {
    const { ask } = served()
    const response = await ask(path, headers as Record<string, string>, method)
    expect(response.status).toBe(status)
    const id = response.headers.get('x-request-id')
    expect(response.headers.get('request-id')).toBe(id)
    expect(await response.json()).toEqual({ kind: 'error', message: expect.any(String), request_id: id })
  })

  it.each([
    ['/unknown', { 'x-lines': '1' }, 'POST', 404],
    ['/linesx', {}, 'POST', 404],
    ['/models/none', {}, 'GET', 404],
    ['/chat/completions', { 'x-lines': '1', 'x-api-key': 'no' }, 'POST', 401],
  ])('elsewhere has that of chat completions: %s', async (path, headers, method, status) => {
    const response = await served().ask(path, headers as Record<string, string>, method)
    expect(response.status).toBe(status)
    expect(response.headers.get('request-id')).toBeNull()
    expect(Object.keys(await response.json())).toEqual(['error'])
  })

  it('after the gateway was closed has the shape of its path too', async () => {
    const { gateway, ask } = served()
    await gateway.close()
    expect(await (await ask('/lines')).json()).toMatchObject({ kind: 'error' })
  })

  it.each([
    ['/lines', { 'x-api-key': 'no' }, 'POST', 401],
    ['/chat/completions', { 'x-api-key': '' }, 'POST', 401],
    ['/chat/completions', {}, 'GET', 405],
    ['/models/none', {}, 'GET', 404],
  ])('says whether trying again helps: %s %j', async (path, headers, method, status) => {
    const response = await served().ask(path, headers as Record<string, string>, method)
    expect([response.status, response.headers.get('x-should-retry')]).toEqual([
      status,
      status === 405 ? null : 'false',
    ])
  })

  it('of an allow-list and of a used up budget says so too', async () => {
    const denied = await served(undefined, { authorize: () => false }).ask('/lines')
    expect([denied.status, denied.headers.get('x-should-retry')]).toEqual([403, 'false'])
    const spent = await served(undefined, {
      limits: limits([budget(0.000001, 'usd').per('day')]),
      prices: () => 1,
    }).ask('/lines')
    expect([spent.status, spent.headers.get('x-should-retry')]).toEqual([429, 'false'])
  })
})

describe('the id of a request', () => {
  it('is in the header of the dialect on answers and streams', async () => {
    const { ask } = served(answering())
    for (const body of [{ stream: true }, {}]) {
      const response = await ask('/lines', {}, 'POST', body)
      await response.text()
      expect(response.status).toBe(200)
      expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'))
    }
  })
})

describe('limits', () => {
  const limited = (more: Partial<GatewayOptions> = {}) =>
    served(undefined, { limits: limits([requests(1).per('hour'), tokens(10_000).per('hour')]), ...more })
  const names = (response: Response) =>
    [...response.headers.keys()].filter(name => name.includes('ratelimit')).sort()
  const own = ['requests', 'tokens'].flatMap(kind =>
    ['limit', 'remaining', 'reset'].map(name => `anthropic-ratelimit-${kind}-${name}`),
  )

  it('are spelled as the dialect does, on responses and on rejections', async () => {
    const { ask } = limited()
    for (const [status, left] of [
      [200, '0'],
      [429, '0'],
    ] as const) {
      const response = await ask('/lines')
      expect(response.status).toBe(status)
      expect(names(response)).toEqual(own)
      expect(response.headers.get('anthropic-ratelimit-requests-remaining')).toBe(left)
      const reset = Date.parse(response.headers.get('anthropic-ratelimit-requests-reset')!)
      expect(reset).toBeGreaterThan(Date.now() + 3_500_000)
      expect(reset).toBeLessThan(Date.now() + 3_601_000)
    }
    const chat = await ask('/chat/completions', {}, 'POST', { messages: [{ role: 'user', content: 'Hi' }] })
    expect(chat.status).toBe(429)
    expect(chat.headers.get('x-ratelimit-remaining-requests')).toBe('0')
    expect(names(chat).some(name => name.startsWith('anthropic'))).toBe(false)
  })

  it('have the seconds to wait in retry-after', async () => {
    const { ask } = served(undefined, { limits: limits([requests(1).per('minute')]) })
    await ask('/lines')
    const rejected = await ask('/lines')
    expect(Number(rejected.headers.get('retry-after'))).toBeGreaterThan(50)
    expect(Number(rejected.headers.get('retry-after'))).toBeLessThanOrEqual(60)
  })

  it('of your own limiter are sent as it returns them', async () => {
    const { ask } = limited({
      limits: {
        admit: () => {
          throw new GatewayError('rate_limit_exceeded', { headers: { 'retry-after': '7', 'x-own': 'a' } })
        },
      },
    })
    const response = await ask('/lines')
    expect([response.status, response.headers.get('retry-after'), response.headers.get('x-own')]).toEqual([
      429,
      '7',
      'a',
    ])
    expect(names(response)).toEqual([])
    const lease = {
      limits: [{ kind: 'requests', limit: 5, windowMs: 1_000, remaining: 4, resetMs: 200 }],
    } as const
    const admitting = limited({ limits: { admit: () => ({ ...lease, settle() {} }) } })
    expect((await admitting.ask('/lines')).headers.get('anthropic-ratelimit-requests-limit')).toBe('5')
  })

  it('are left out of a 500 where the dialect fails to spell them', async () => {
    const broken: GenerateDialect = {
      ...dialect,
      limitHeaders: () => {
        throw new Error('a bug')
      },
    }
    const { ask, ends } = limited({ dialects: [broken] })
    expect((await ask('/lines')).status).toBe(500)
    expect((await ask('/lines')).status).toBe(500)
    expect(ends().map(({ outcome }) => outcome)).toEqual(['internal_error', 'internal_error'])
  })
})

describe('GET /models', () => {
  const sized = (contextTokens: number, maxOutputTokens?: number): Target => ({
    ...scripted(() => whole('a')).target,
    capabilities: { contextTokens, ...(maxOutputTokens === undefined ? {} : { maxOutputTokens }) },
  })
  const route = models({
    a: [sized(100, 10), sized(200)],
    b: [sized(100), { ...sized(1), capabilities: {} }],
  })
  const version = { 'x-lines': '1' }

  it('has the list of the dialect for its clients, in pages', async () => {
    const { ask } = served(undefined, { route })
    const response = await ask('/models?limit=1', version, 'GET')
    expect(response.headers.get('request-id')).toBe(response.headers.get('x-request-id'))
    const row = { type: 'model', created_at: expect.stringMatching(/^2\d{3}-.*Z$/) }
    expect(await response.json()).toEqual({
      data: [{ ...row, id: 'a', display_name: 'a', max_input_tokens: 200 }],
      has_more: true,
      first_id: 'a',
      last_id: 'a',
    })
    expect(await (await ask('/models?after_id=a', version, 'GET')).json()).toEqual({
      data: [{ ...row, id: 'b', display_name: 'b' }],
      has_more: false,
      first_id: 'b',
      last_id: 'b',
    })
    expect(await (await ask('/models/b', version, 'GET')).json()).toEqual({
      ...row,
      id: 'b',
      display_name: 'b',
    })
  })

  it('has that of chat completions for all others, whole', async () => {
    const { ask } = served(undefined, { route })
    const response = await ask('/models?limit=1&client_version=1', {}, 'GET')
    expect(response.headers.get('request-id')).toBeNull()
    expect(await response.json()).toMatchObject({ object: 'list', data: [{ id: 'a' }, { id: 'b' }] })
    expect(await (await ask('/models/b', {}, 'GET')).json()).toMatchObject({ id: 'b', object: 'model' })
    const without = served(undefined, { route, dialects: [] })
    expect(await (await without.ask('/models', version, 'GET')).json()).toMatchObject({ object: 'list' })
  })

  it('lists only what the key may use, in every dialect', async () => {
    const { ask } = served(undefined, { route, authorize: (_, model) => model === 'b' })
    expect(await (await ask('/models', version, 'GET')).json()).toMatchObject({
      data: [{ id: 'b' }],
      has_more: false,
    })
    expect((await ask('/models?after_id=a', version, 'GET')).status).toBe(400)
  })
})

describe('a probe', () => {
  const head = (gateway: { fetch: typeof fetch }, url: string, mount?: string) =>
    Reflect.apply(gateway.fetch, undefined, [
      new Request(`http://sluice.test${url}`, { method: 'HEAD' }),
      mount === undefined ? {} : { mount },
    ]) as Promise<Response>

  it.each([
    ['/', undefined],
    ['/?x=1', undefined],
    ['/api/hello', undefined],
    ['/ai', '/ai'],
    ['/ai/', '/ai'],
    ['/ai/api/hello', '/ai'],
  ])('of %s is answered without a key', async (url, mount) => {
    const { gateway, ends } = served()
    const response = await head(gateway, url, mount)
    expect([response.status, await response.text()]).toEqual([200, ''])
    expect(response.headers.get('x-request-id')).toMatch(/^req_/)
    expect(ends()).toEqual([])
  })

  it.each([
    ['/other', undefined],
    ['/', '/ai'],
    ['/aix', '/ai'],
    ['/api/hello', '/ai'],
  ])('of %s is a 404', async (url, mount) => {
    expect((await head(served().gateway, url, mount)).status).toBe(404)
  })

  it('is refused once the gateway is closed, and is none with another method', async () => {
    const { gateway, ask } = served()
    expect((await gateway.fetch(new Request('http://sluice.test/'))).status).toBe(404)
    expect((await ask('/api/hello', {}, 'HEAD')).status).toBe(404)
    await gateway.close()
    expect((await head(gateway, '/')).status).toBe(503)
  })

  it('claims no path of the host', () => {
    const { gateway } = served()
    for (const path of ['/', '/api/hello']) expect(gateway.matches(path)).toBe(false)
    expect(gateway.matches('/ai', '/ai')).toBe(false)
  })
})

describe('the Messages API', () => {
  const version = { 'anthropic-version': '2023-06-01' }

  it.each([
    ['/messages?beta=true', { 'x-api-key': 'no' }, 'POST', 401, 'authentication_error'],
    ['/messages/batches', {}, 'POST', 404, 'not_found_error'],
    ['/messages/count_tokens', {}, 'GET', 405, 'invalid_request_error'],
    ['/models', { ...version, 'x-api-key': 'no' }, 'GET', 401, 'authentication_error'],
    ['/models/none', version, 'GET', 404, 'not_found_error'],
    ['/models?limit=0', version, 'GET', 400, 'invalid_request_error'],
  ])('has its own errors: %s %j', async (path, headers, method, status, type) => {
    const response = await served().ask(path, headers as Record<string, string>, method)
    expect(response.status).toBe(status)
    const id = response.headers.get('request-id')
    expect(await response.json()).toEqual({
      type: 'error',
      error: { type, message: expect.any(String) },
      request_id: id,
    })
    expect(response.headers.get('x-should-retry')).toBe([401, 403, 404].includes(status) ? 'false' : null)
  })

  it('has its own list of models', async () => {
    const listed = await served().ask('/models', version, 'GET')
    expect(await listed.json()).toMatchObject({ data: [{ type: 'model', id: 'm' }], has_more: false })
  })

  it('has its own limits, and tells that a budget is spent', async () => {
    const body = { max_tokens: 5, messages: [{ role: 'user', content: 'Hi' }] }
    const { ask } = served(undefined, { limits: limits([requests(1).per('minute')]) })
    expect(
      (await ask('/messages', {}, 'POST', body)).headers.get('anthropic-ratelimit-requests-remaining'),
    ).toBe('0')
    const limited = await ask('/messages', {}, 'POST', body)
    expect([limited.status, limited.headers.has('x-ratelimit-limit-requests')]).toEqual([429, false])
    expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(0)
    const spent = await served(undefined, {
      limits: limits([budget(0.000001, 'usd').per('day')]),
      prices: () => 1,
    }).ask('/messages', {}, 'POST', body)
    expect([spent.status, spent.headers.get('x-should-retry')]).toEqual([402, 'false'])
  })

  it('counts tokens of text, tools and system, without an effect on limits', async () => {
    const { ask, ends } = served(undefined, { limits: limits([requests(1).per('hour')]) })
    const count = async (body: object) => {
      const response = await ask('/messages/count_tokens?beta=true', version, 'POST', {
        messages: [{ role: 'user', content: 'Hi' }],
        ...body,
      })
      expect(response.status).toBe(200)
      expect(response.headers.get('x-sluice-adjustments')).toContain('"input_tokens";action=mapped')
      const answer = (await response.json()) as { readonly input_tokens: number }
      expect(Object.keys(answer)).toEqual(['input_tokens'])
      return answer.input_tokens
    }
    const bare = await count({})
    const description = 'Reads a file of the project. '.repeat(50)
    const tools = [{ name: 'read', description, input_schema: { type: 'object' } }]
    expect(await count({ tools })).toBeGreaterThan(bare + 300)
    expect(await count({ system: [{ type: 'text', text: description }] })).toBeGreaterThan(bare + 300)
    expect(ends().map(({ operation, cost }) => [operation, cost])).toEqual(
      Array.from({ length: 3 }, () => ['countTokens', null]),
    )
    const refused = await ask('/messages/count_tokens', version, 'POST', { messages: 7 })
    expect([refused.status, await refused.json()]).toMatchObject([400, { type: 'error' }])
  })
})

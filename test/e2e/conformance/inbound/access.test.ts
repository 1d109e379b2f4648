import { budget, requests, tokens, withCors } from '@sluice/core'
import { local } from '@sluice/providers/local'
import { steps } from '@sluice/testing'
import { expect, it, onTestFinished } from 'vitest'
import { expectError } from '../expect-error.ts'
import { expectMessagesError, messageOf } from './inbound-site.ts'
import { overPlaces, startRawVendor, startVendors, testGateway } from './over-places.ts'

const answers = local()('m')
const version = { 'anthropic-version': '2023-06-01' }

overPlaces((open, mount, place) => {
  it('G1 reads a path without its query', async () => {
    const site = await open({ chat: answers })
    for (const query of ['?beta=true', '?beta=true&nothing=%20', '?']) {
      const answer = await site.send(`/messages${query}`, {
        body: { model: 'chat', max_tokens: 9, messages: [{ role: 'user', content: 'Hello!' }] },
      })
      expect(messageOf(answer).type).toBe('message')
    }
    const counted = await site.send('/messages/count_tokens?beta=true', {
      body: { model: 'chat', messages: [{ role: 'user', content: 'Hello!' }] },
    })
    expect(counted.status, counted.body).toBe(200)
    const embedded = await site.send('/embeddings?x=1', { body: { model: 'chat', input: 'Hello!' } })
    expect(embedded.status, embedded.body).toBe(200)
  })

  it.each(['/messages', '/embeddings', '/models', '/messages/count_tokens'])(
    'G2 takes a key in either header: %s',
    async path => {
      const site = await open({ chat: answers })
      const body = { model: 'chat', max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }], input: 'Hi' }
      const asking = path === '/models' ? { method: 'GET', key: null } : { body, key: null }
      const status = async (headers: Record<string, string>) =>
        (await site.send(path, { ...asking, headers })).status
      expect(await status({ 'x-api-key': 'good-key' })).toBe(200)
      expect(await status({ authorization: 'Bearer good-key' })).toBe(200)
      expect(await status({ authorization: 'Bearer good-key', 'x-api-key': 'good-key' })).toBe(200)
      expect(await status({ authorization: 'Bearer good-key', 'x-api-key': 'other' })).toBe(200)
      expect(await status({ authorization: 'Bearer other', 'x-api-key': 'good-key' })).toBe(401)
      expect(await status({ 'x-api-key': 'other' })).toBe(401)
      expect(await status({})).toBe(401)
    },
  )

  it.each(['chat', 'native'] as const)('G2 sends no key of a caller to a vendor: %s', async model => {
    const { upstream, table } = await startRawVendor(steps.reply({}, { status: 400 }))
    const site = await open(table)
    await site.message({ model }, { key: null, headers: { 'x-api-key': 'good-key', ...version } })
    await site.message({ model })
    expect(upstream.requests).toHaveLength(2)
    for (const { rawHeaders, body } of upstream.requests) {
      expect(JSON.stringify(rawHeaders) + body).not.toContain('good-key')
    }
  })

  it('G3 T20 tells every error in the shape of its path', async () => {
    const site = await open({ chat: answers }, { requestLimits: { maxBytes: 2_000 } })
    const huge = { content: 'x'.repeat(4_000) }
    expectMessagesError(await site.message({}, { key: null }), 401, 'authentication_error')
    expectMessagesError(
      await site.message({}, { key: 'nobody' }),
      401,
      'authentication_error',
      'invalid x-api-key',
    )
    expectMessagesError(await site.message({ model: 'none' }), 404, 'not_found_error', 'model: none')
    expectMessagesError(await site.message({}, { key: 'narrow-key' }), 403, 'permission_error')
    expectMessagesError(
      await site.message({ max_tokens: undefined }),
      400,
      'invalid_request_error',
      'max_tokens: Field required',
    )
    expectMessagesError(
      await site.message({ model: undefined }),
      400,
      'invalid_request_error',
      'model: Field required',
    )
    expectMessagesError(await site.message({}, { body: '{' }), 400, 'invalid_request_error')
    expectMessagesError(await site.message({}, { body: '[]' }), 400, 'invalid_request_error')
    expectMessagesError(
      await site.message({ messages: [{ role: 'user', ...huge }] }),
      413,
      'request_too_large',
    )
    expectMessagesError(
      await site.message({ messages: [{ role: 'user', content: 7 }] }),
      400,
      'invalid_request_error',
      /^messages\.0\.content: /,
    )
    expectMessagesError(await site.count({ messages: 7 }), 400, 'invalid_request_error', /^messages: /)
    expectMessagesError(await site.count({}, { key: 'nobody' }), 401, 'authentication_error')
    const put = await site.message({}, { method: 'PUT' })
    expectMessagesError(put, 405, 'invalid_request_error')
    expect(put.headers.allow).toBe('POST')
    expectMessagesError(await site.get('/messages/batches'), 404, 'not_found_error')
    expectMessagesError(await site.get('/models/none', { headers: version }), 404, 'not_found_error')
    expectMessagesError(
      await site.get('/models', { headers: version, key: null }),
      401,
      'authentication_error',
    )
    expectError(await site.get('/models/none'), 404, { code: 'model_not_found' })
    expectError(await site.embed({ model: 'none' }), 404, { code: 'model_not_found' })
    expectError(await site.embed({}, { key: null, headers: version }), 401)
    expectError(await site.embed({ model: 'chat', input: 7 }), 400, { param: 'input' })
    expectError(await site.send('/embeddings/more', { body: {} }), 404)
  })

  it('G3 T20 tells of limits in the shape of the path', async () => {
    const site = await open({ chat: answers }, { limits: [requests(1).per('hour')] })
    expect((await site.message()).status).toBe(200)
    const refused = await site.message()
    expectMessagesError(refused, 429, 'rate_limit_error')
    expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
    expectError(await site.embed({ model: 'chat' }), 429, { type: 'requests', code: 'rate_limit_exceeded' })
  })

  it('G4 names the request in its headers', async () => {
    const site = await open({ chat: answers })
    const answers4 = [
      await site.message(),
      await site.message({ stream: true }),
      await site.count(),
      await site.get('/models', { headers: version }),
      await site.message({ max_tokens: 0 }),
    ]
    for (const { headers } of answers4) {
      expect(headers['x-request-id']).toMatch(/^req_[0-9a-f]{32}$/)
      expect(headers['request-id']).toBe(headers['x-request-id'])
    }
    const ids = answers4.map(({ headers }) => headers['request-id'])
    expect(new Set(ids).size).toBe(answers4.length)
    for (const answer of [await site.embed({ model: 'chat' }), await site.get('/models')]) {
      expect(answer.headers['x-request-id']).toMatch(/^req_/)
      expect(answer.headers).not.toHaveProperty('request-id')
    }
  })

  it('G9 T35 lists models in the shape that the caller reads', async () => {
    const known = { ...answers, capabilities: { contextTokens: 4_000, maxOutputTokens: 500 } }
    const site = await open({ a: known, b: answers, c: answers })
    const plain = (await site.get('/models')).json as {
      object?: string
      data: { id: string; object: string }[]
    }
    expect(plain.object).toBe('list')
    expect(plain.data.map(({ id, object }) => [id, object])).toEqual(['a', 'b', 'c'].map(id => [id, 'model']))
    const list = async (query: string) =>
      (await site.get(`/models${query}`, { headers: version })).json as unknown as {
        data: {
          id: string
          type: string
          created_at: string
          display_name: string
        }[]
        has_more: boolean
        first_id: string | null
        last_id: string | null
      }
    const whole = await list('?limit=1000')
    expect(whole).toMatchObject({ has_more: false, first_id: 'a', last_id: 'c' })
    expect(whole).not.toHaveProperty('object')
    expect(whole.data.map(({ id }) => id)).toEqual(['a', 'b', 'c'])
    for (const { type, display_name, created_at } of whole.data) {
      expect([type, typeof display_name]).toEqual(['model', 'string'])
      expect(created_at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
    }
    expect(whole.data[0]).toMatchObject({ max_input_tokens: 4_000, max_tokens: 500 })
    expect(whole.data[1]).not.toHaveProperty('max_input_tokens')
    expect(await list('?limit=2')).toMatchObject({ has_more: true, first_id: 'a', last_id: 'b' })
    expect(await list('?limit=2&after_id=b')).toMatchObject({ has_more: false, first_id: 'c', last_id: 'c' })
    expect(await list('?limit=1&before_id=c')).toMatchObject({ has_more: true, first_id: 'b', last_id: 'b' })
    for (const limit of ['0', '1001', 'x']) {
      expectMessagesError(
        await site.get(`/models?limit=${limit}`, { headers: version }),
        400,
        'invalid_request_error',
        /^limit: /,
      )
    }
    const one = await site.get('/models/b', { headers: version })
    expect(one.json).toMatchObject({ type: 'model', id: 'b' })
  })

  it('G17 reports limits in the headers of the path, and none of a vendor', async () => {
    const foreign = { 'anthropic-ratelimit-unified-status': 'allowed', 'x-ratelimit-limit-requests': '77777' }
    const { table } = await startRawVendor(({ path }) =>
      path.includes('chat')
        ? steps.answer()
        : steps.reply(
            {
              id: 'msg_1',
              type: 'message',
              role: 'assistant',
              model: 'vendor-model',
              content: [],
              stop_reason: 'end_turn',
              stop_sequence: null,
              usage: { input_tokens: 1, output_tokens: 1 },
            },
            { headers: foreign },
          ),
    )
    const site = await open(
      { ...table, e: answers },
      { limits: [requests(100).per('minute'), tokens(50_000).per('minute')] },
    )
    for (const model of ['chat', 'native']) {
      const { status, headers, body } = await site.message({ model })
      expect(status, body).toBe(200)
      expect(headers['anthropic-ratelimit-requests-limit']).toBe('100')
      expect(headers['anthropic-ratelimit-tokens-limit']).toBe('50000')
      expect(Number(headers['anthropic-ratelimit-requests-remaining'])).toBeLessThan(100)
      for (const kind of ['requests', 'tokens']) {
        const reset = headers[`anthropic-ratelimit-${kind}-reset`]!
        expect(reset).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/)
        expect(Math.abs(Date.parse(reset) - Date.now())).toBeLessThan(120_000)
      }
      expect(Object.keys(headers).filter(name => /unified|^x-ratelimit/.test(name))).toEqual([])
    }
    const { headers } = await site.embed()
    expect(headers['x-ratelimit-limit-requests']).toBe('100')
    expect(Object.keys(headers).filter(name => name.startsWith('anthropic-'))).toEqual([])
  })

  it('G18 K27 says which errors waiting does not mend', async () => {
    const { table } = await startRawVendor(
      steps.reply({ error: { message: 'busy' } }, { status: 429, headers: { 'retry-after': '7' } }),
      steps.reply({ error: { message: 'busy' } }, { status: 503 }),
    )
    const site = await open({ ...table, other: answers })
    const final = [
      await site.message({}, { key: null }),
      await site.message({}, { key: 'nobody' }),
      await site.message({}, { key: 'narrow-key' }),
      await site.message({ model: 'none' }),
      await site.get('/messages/batches'),
    ]
    for (const { headers } of final) expect(headers['x-should-retry']).toBe('false')
    const limited = await site.message()
    expectMessagesError(limited, 429, 'rate_limit_error')
    expect(limited.headers['retry-after']).toBe('7')
    expect(limited.headers['x-should-retry']).not.toBe('false')
    const overloaded = await site.message()
    expectMessagesError(overloaded, 529, 'overloaded_error')
    expect(Number(overloaded.headers['retry-after'])).toBeGreaterThan(0)
  })

  it('G18 K27 tells of a budget that is spent', async () => {
    const site = await open(
      { chat: answers },
      { limits: [budget(0.000001, 'usd').per('day')], prices: () => 1 },
    )
    const spent = await site.message()
    expectMessagesError(spent, 402, 'billing_error')
    expect(spent.headers['x-should-retry']).toBe('false')
    expectError(await site.embed({ model: 'chat' }), 429, {
      type: 'insufficient_quota',
      code: 'insufficient_quota',
    })
  })

  it('G27 lets pages send and read what these endpoints have', async () => {
    const gateway = testGateway({ chat: answers }, { limits: [requests(100).per('minute')] })
    onTestFinished(() => gateway.close({ drainMs: 1 }))
    const site = await mount(withCors(gateway, { origins: ['https://app.example'] }))
    const origin = 'https://app.example'
    const names = (value = '') => value.toLowerCase().split(/ *, */)
    for (const path of ['/messages', '/messages/count_tokens', '/embeddings']) {
      const { status, headers } = await site.send(path, {
        method: 'OPTIONS',
        key: null,
        headers: {
          origin,
          'access-control-request-method': 'POST',
          'access-control-request-headers': 'x-api-key',
        },
      })
      expect(status).toBe(204)
      expect(names(headers['access-control-allow-headers'])).toEqual(
        expect.arrayContaining([
          ...[
            'x-api-key',
            'anthropic-version',
            'anthropic-beta',
            'anthropic-dangerous-direct-browser-access',
          ],
          ...['x-app', 'x-claude-code-session-id', 'x-stainless-helper-method'],
        ]),
      )
    }
    const { headers } = await site.message({}, { headers: { origin } })
    const exposed = names(headers['access-control-expose-headers'])
    expect(exposed).toContain('request-id')
    const limitHeaders = Object.keys(headers).filter(name => name.startsWith('anthropic-ratelimit-'))
    expect(limitHeaders.length).toBeGreaterThan(0)
    expect(exposed).toEqual(expect.arrayContaining(limitHeaders))
  })

  it('K20 answers what a coding client asks at its start', async () => {
    const { table } = await startVendors(({ text }) => ({ text }))
    const site = await open(table)
    // An Express app has a root of its own; the client takes a 404 as an answer too.
    for (const path of place === 'node http' ? ['//', '//api/hello'] : []) {
      const probe = await site.send(path, { method: 'HEAD', key: null })
      expect([probe.status, probe.body]).toEqual([200, ''])
    }
    const { data } = (await site.get('/models?limit=1000', { headers: version })).json as unknown as {
      data: { id: string }[]
    }
    expect(data.map(({ id }) => id)).toContain('anthropic')
    const asked = await site.send('/messages?beta=true', {
      body: { model: 'anthropic', max_tokens: 9, messages: [{ role: 'user', content: 'Hello!' }] },
    })
    expect(messageOf(asked).content).toEqual([{ type: 'text', text: 'Hello!' }])
  })
})

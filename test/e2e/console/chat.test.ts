import { ConfigurationError, firstOf, type LimitRuleData, limits, priceTable } from '@sluice/core'
import { bearerToken } from '@sluice/core/keys'
import { describe, expect, it } from 'vitest'
import { adminKey, callerKey, consoleService } from './console-service.ts'

const body = { model: 'small', messages: [{ role: 'user', content: 'Hi.' }] }

type Setup = ReturnType<typeof consoleService>

const chatAsConsole = ({ send }: Setup, more: object = {}) => send('POST', '/chat', { ...body, ...more })

describe('the chat of the console', () => {
  it('is answered as the principal console, streamed or not', async () => {
    const service = consoleService()
    const response = await chatAsConsole(service)
    expect(response.status).toBe(200)
    expect(response.headers.get('cache-control')).toBe('no-store')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await response.json()).toMatchObject({ object: 'chat.completion' })
    const streamed = await chatAsConsole(service, { stream: true })
    expect(streamed.headers.get('content-type')).toMatch(/^text\/event-stream/)
    expect(await streamed.text()).toMatch(/data: \[DONE\]\n\n$/)
    const { requests } = await (await service.api('/requests')).json()
    expect(requests).toMatchObject([{ key: 'console' }, { key: 'console' }])
    expect(await (await service.api('/about')).json()).toMatchObject({ chat: true })
  })

  it('is answered in the Messages API, too, with its errors', async () => {
    const service = consoleService({ gateway: { limits: limits([], { now: () => 0 }) } })
    const ask = (more: object = {}) =>
      service.send('POST', '/messages', { ...body, max_tokens: 100, ...more })
    const response = await ask()
    expect(response.status).toBe(200)
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    expect(await response.json()).toMatchObject({ type: 'message', role: 'assistant' })
    expect(await (await ask({ stream: true })).text()).toMatch(/event: message_stop\ndata: .*\n\n$/)
    const { requests } = await (await service.api('/requests')).json()
    expect(requests).toMatchObject([
      { key: 'console', dialect: 'messages' },
      { key: 'console', dialect: 'messages' },
    ])
    const invalid = await ask({ max_tokens: undefined })
    expect(invalid.status).toBe(400)
    expect(await invalid.json()).toMatchObject({ type: 'error', error: { type: 'invalid_request_error' } })
    for (let left = 60 - 3; left > 0; left--) expect((await ask()).status).toBe(200)
    const refused = await ask()
    expect(refused.status).toBe(429)
    expect(await refused.json()).toMatchObject({ type: 'error', error: { type: 'rate_limit_error' } })
    const other = consoleService({ console: { chat: { models: ['other*'] } } })
    const forbidden = await other.send('POST', '/messages', { ...body, max_tokens: 100 })
    expect(forbidden.status).toBe(403)
    expect(await forbidden.json()).toMatchObject({ type: 'error', error: { type: 'permission_error' } })
  })

  it('is answered in the Responses API, too', async () => {
    const service = consoleService()
    const ask = (more: object = {}) =>
      service.send('POST', '/responses', { model: 'small', input: 'Hi.', ...more })
    expect(await (await ask()).json()).toMatchObject({ object: 'response', status: 'completed' })
    expect(await (await ask({ stream: true })).text()).toMatch(
      /event: response\.completed\ndata: .*\n\ndata: \[DONE\]\n\n$/,
    )
    const { requests } = await (await service.api('/requests')).json()
    expect(requests).toMatchObject([{ dialect: 'responses' }, { dialect: 'responses' }])
    expect((await ask({ input: undefined })).status).toBe(400)
  })

  it('needs the admin key, which is no key of a caller', async () => {
    const service = consoleService()
    const headers = { 'content-type': 'application/json' }
    const post = (path: string, key: string) =>
      service.fetch(path, {
        method: 'POST',
        headers: { ...headers, authorization: `Bearer ${key}` },
        body: JSON.stringify(body),
      })
    expect((await post('/console/api/chat', callerKey)).status).toBe(401)
    expect((await post('/console/api/messages', callerKey)).status).toBe(401)
    expect((await post('/v1/messages', adminKey)).status).toBe(401)
    expect((await post('/v1/chat/completions', adminKey)).status).toBe(401)
    expect((await post('/v1/chat/completions', callerKey)).status).toBe(200)
  })

  it('sends neither the admin key nor a cookie to the authenticators behind it', async () => {
    const seen: (string | null | undefined)[] = []
    const service = consoleService({
      isCaller: false,
      gateway: {
        authenticate: request => {
          seen.push(bearerToken(request), request.headers.get('cookie'))
          return undefined
        },
      },
    })
    await service.send('POST', '/chat', body, { cookie: 'session=1' })
    expect(seen).toEqual([undefined, null])
  })

  it.each(['/chat', '/messages', '/responses'])(
    'is not sent to %s by a page of another origin',
    async path => {
      const { send } = consoleService()
      for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { origin: 'https://evil.test' }])
        expect((await send('POST', path, body, headers)).status).toBe(403)
    },
  )

  it('has 60 requests a minute by default', async () => {
    // A clock that stands still gives no request back.
    const service = consoleService({ gateway: { limits: limits([], { now: () => 0 }) } })
    for (let left = 60; left > 0; left--) expect((await chatAsConsole(service)).status).toBe(200)
    const refused = await chatAsConsole(service)
    expect(refused.status).toBe(429)
    expect((await refused.json()).error.message).toMatch(/Limit 60, Used 60/)
    expect((await service.chat()).status).toBe(200)
  })

  it('has a dollar a day by default, and asks models without a price for nothing', async () => {
    const price = { input: 900_000, output: 900_000 }
    const service = consoleService({ gateway: { limits: [], prices: priceTable({ small: price }) } })
    const refused = await chatAsConsole(service, { max_tokens: 10 })
    expect(refused.status).toBe(429)
    expect((await refused.json()).error).toMatchObject({ code: 'insufficient_quota' })
    const unpriced = consoleService({ gateway: { limits: [], prices: priceTable({ other: price }) } })
    expect((await chatAsConsole(unpriced)).status).toBe(200)
  })

  it('has the models, tags and limits that it is given', async () => {
    const rules: readonly LimitRuleData[] = [{ kind: 'requests', limit: 1, per: 'day' }]
    const chat = { models: ['other*'], tags: { team: 'platform' }, limits: rules }
    const service = consoleService({ console: { chat }, gateway: { limits: [] } })
    const refused = await chatAsConsole(service)
    expect([refused.status, (await refused.json()).error.code]).toEqual([403, 'model_not_found'])
    const own = consoleService({
      console: { chat: { tags: chat.tags, limits: rules } },
      gateway: { limits: [] },
    })
    expect([(await chatAsConsole(own)).status, (await chatAsConsole(own)).status]).toEqual([200, 429])
    expect(await (await own.api('/requests')).json()).toMatchObject({
      requests: [{ team: 'platform' }, { team: 'platform' }],
    })
  })

  it('is off where it is turned off', async () => {
    const service = consoleService({ console: { chat: false } })
    expect(await (await service.api('/about')).json()).toMatchObject({ chat: false })
    const refused = await chatAsConsole(service)
    expect(refused.status).toBe(404)
    expect((await refused.json()).error.message).toMatch(/caller's key/)
  })

  it('says so where the gateway does not know it', async () => {
    const service = consoleService({ isCaller: false })
    const refused = await chatAsConsole(service)
    expect(refused.status).toBe(403)
    expect((await refused.json()).error.message).toMatch(/firstOf\(adminConsole\.authenticate/)
  })

  it('ends the call when who reads it leaves', async () => {
    let ended: () => void = () => {}
    const gone = new Promise<void>(resolve => {
      ended = resolve
    })
    const service = consoleService({
      script: () => ({ text: 'a word and another one, and many more '.repeat(50) }) as never,
      gateway: {
        observe: event => {
          if (event.type === 'end' && event.outcome === 'client_disconnected') ended()
        },
      },
    })
    const leaving = new AbortController()
    const response = await service.api('/chat', {
      method: 'POST',
      signal: leaving.signal,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ ...body, stream: true }),
    })
    const reader = response.body!.getReader()
    await reader.read()
    leaving.abort()
    await gone
  })

  it.each([
    [{ chat: true }, ['chat'], 'createConsole(): chat: got true, expected false, or an object'],
    [{ chat: { limit: [] } }, ['chat', 'limit'], "expected no such option. Did you mean 'limits'?"],
    [{ chat: { models: 'small' } }, ['chat', 'models'], "chat.models: got 'small'"],
    [{ chat: { tags: { team: 1 } } }, ['chat', 'tags'], 'chat.tags: got an object'],
    [
      { chat: { limits: { kind: 'requests' } } },
      ['chat', 'limits'],
      'chat.limits: got an object, expected a list',
    ],
    [
      { chat: { limits: [{ kind: 'requests', limit: 0, per: 'day' }] } },
      ['chat', 'limits', 0, 'limit'],
      'chat.limits[0].limit: got 0',
    ],
    [{ adminKey: 'hunter2' }, ['adminKey'], 'adminKey: got a string of 7 characters, expected at least 16'],
    [{ admin: 'hunter2' }, ['admin'], 'admin: got a string, expected no such option'],
    [{ keys: {} }, ['keys'], 'keys: got an empty object, expected a key store'],
    [{ usage: 'postgres://ann:hunter2@db' }, ['usage'], 'usage: got a string, expected a function'],
    [{ teamTag: '' }, ['teamTag'], 'teamTag: got an empty string'],
    [{ basePath: 'v1' }, ['basePath'], "basePath: got 'v1'"],
    [
      { basePath: '/v2' },
      ['basePath'],
      "endpoint(): basePath: got '/v2', under which the gateway has no models",
    ],
    [{ maxRequests: 501 }, ['maxRequests'], 'maxRequests: got 501, expected a whole number from 1 to 500'],
    [{ minutes: 0 }, ['minutes'], 'minutes: got 0'],
    [{ onError: 1 }, ['onError'], 'onError: got 1'],
    [{ now: 1 }, ['now'], 'now: got 1'],
  ])('rejects the options %j', (options, path, message) => {
    const make = () => consoleService({ console: options as never })
    expect(make).toThrow(ConfigurationError)
    expect(make).toThrow(expect.objectContaining({ issues: [expect.objectContaining({ path })] }))
    expect(make).toThrow(message)
    expect(make).not.toThrow('hunter2')
  })
})

it('a console without a chat knows nobody', () => {
  const { board } = consoleService({ console: { chat: false } })
  const authenticate = firstOf(board.authenticate)
  return expect(authenticate(new Request('http://a/'), undefined)).resolves.toBeUndefined()
})

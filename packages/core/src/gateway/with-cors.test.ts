import { describe, expect, it } from 'vitest'
import type { Gateway } from './managed-gateway.ts'
import { withCors } from './with-cors.ts'

const gateway: Gateway = {
  fetch: async () => new Response('{}', { status: 401, headers: { vary: 'authorization' } }),
  matches: () => true,
  close: async () => {},
}

const from = (origin: string, init: RequestInit = {}) =>
  new Request('http://sluice.test/v1/models', { ...init, headers: { origin, ...init.headers } })

const preflight = (origin: string) =>
  from(origin, { method: 'OPTIONS', headers: { 'access-control-request-method': 'POST' } })

describe('withCors', () => {
  const { fetch } = withCors(gateway, { origins: ['https://app.test'] })

  it('answers a preflight with the headers that clients send', async () => {
    const response = await fetch(preflight('https://app.test'))
    expect(response.status).toBe(204)
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.test')
    const headers = response.headers.get('access-control-allow-headers')?.split(', ')
    for (const name of [
      'authorization',
      'x-api-key',
      'cache-control',
      'idempotency-key',
      'anthropic-version',
    ]) {
      expect(headers).toContain(name)
    }
    expect(response.headers.get('access-control-max-age')).toBe('600')
  })

  it('lets a page read errors too', async () => {
    const response = await fetch(from('https://app.test'))
    expect(response.status).toBe(401)
    const exposed = response.headers.get('access-control-expose-headers')?.split(', ')
    for (const name of ['x-request-id', 'request-id', 'anthropic-ratelimit-tokens-reset']) {
      expect(exposed).toContain(name)
    }
    expect(response.headers.get('vary')).toBe('authorization, origin')
  })

  it('lets a page read what a host rejects before the gateway', () => {
    const { errorResponse } = withCors(
      { ...gateway, errorResponse: () => new Response('{}', { status: 413 }) },
      { origins: ['https://app.test'] },
    )
    const allowed = (origin?: string) =>
      errorResponse!('/v1/models', 'body_too_large', 'Too large.', '', origin).headers.get(
        'access-control-allow-origin',
      )
    expect(allowed('https://app.test')).toBe('https://app.test')
    expect(allowed('https://evil.test')).toBeNull()
    expect(allowed()).toBeNull()
    expect(withCors(gateway, { origins: '*' }).errorResponse).toBeUndefined()
  })

  it('knows the requests of another implementation of the Fetch Standard', async () => {
    const foreign = {
      method: 'GET',
      headers: new Headers({ origin: 'https://app.test' }),
      url: 'http://s.test',
    }
    const response = await fetch(foreign as Request)
    expect(response.headers.get('access-control-allow-origin')).toBe('https://app.test')
  })

  it('allows nothing to an origin that is not named', async () => {
    for (const request of [preflight('https://evil.test'), from('https://evil.test')]) {
      expect((await fetch(request)).headers.has('access-control-allow-origin')).toBe(false)
    }
  })

  it('allows every origin where asked to, without naming it', async () => {
    const open = withCors(gateway, { origins: '*' })
    const response = await open.fetch(from('https://any.test'))
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
  })

  it('leaves an OPTIONS that is no preflight to the gateway', async () => {
    expect((await fetch(from('https://app.test', { method: 'OPTIONS' }))).status).toBe(401)
  })

  it('refuses an empty list', () => {
    expect(() => withCors(gateway, { origins: [] })).toThrow(/origins: got an empty list, expected/)
  })

  it.each(['https://app.test', 'https://app.test,https://b.test', '', undefined])(
    'refuses origins that are %j, no list',
    origins => {
      const call = () => withCors(gateway, { origins: origins as never })
      expect(call).toThrow(TypeError)
      expect(call).toThrow(/expected a list/)
    },
  )

  it.each([
    ['https://app.test/', "expected 'https://app.test'."],
    ['https://app.test/chat', "expected 'https://app.test'."],
    ['https://app.test:443', "expected 'https://app.test'."],
    ['HTTPS://App.test', "expected 'https://app.test'."],
    ['https://me@app.test', "expected 'https://app.test'."],
    ['chrome-extension://abc/', "expected 'chrome-extension://abc'."],
    ['https://*.app.test', 'expected scheme://host[:port]'],
    ['*', "expected origins: '*'"],
    ['app.test', 'expected scheme://host[:port]'],
    ['localhost:3000', 'expected scheme://host[:port]'],
    ['null', 'expected scheme://host[:port]'],
    ['', 'expected scheme://host[:port]'],
    [7, 'expected scheme://host[:port]'],
  ])('refuses the origin %j, which no browser sends, and says how to mend it', (origin, hint) => {
    const call = () => withCors(gateway, { origins: ['https://app.test', origin as string] })
    expect(call).toThrow(TypeError)
    expect(call).toThrow('origins[1]: got ')
    expect(call).toThrow(hint)
  })

  it.each(['http://localhost:3000', 'http://[::1]:8080', 'chrome-extension://abc', 'capacitor://localhost'])(
    'takes the origin %s',
    async origin => {
      const { fetch } = withCors(gateway, { origins: [origin] })
      expect((await fetch(from(origin))).headers.get('access-control-allow-origin')).toBe(origin)
    },
  )
})

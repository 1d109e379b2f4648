import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { createGateway, GatewayError, type GatewayEvent } from '@sluice/core'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { type JwtOptions, jwt } from './index.ts'

const iss = 'https://login.test/'
const aud = 'https://llm.test'

type Signer = Awaited<ReturnType<typeof signer>>
type Answer = (response: ServerResponse, request: IncomingMessage) => void

async function signer(kid: string | undefined) {
  const { publicKey, privateKey } = await generateKeyPair('ES256', { extractable: true })
  const jwk: JWK = { ...(await exportJWK(publicKey)), ...(kid === undefined ? {} : { kid }) }
  const sign = (sub: string, header = {}) =>
    new SignJWT({ iss, aud, sub })
      .setExpirationTime('9d')
      .setProtectedHeader({ alg: 'ES256', ...(kid === undefined ? {} : { kid }), ...header })
      .sign(privateKey)
  return { jwk, sign }
}

let first: Signer
let second: Signer
let nameless: [Signer, Signer, Signer]

beforeAll(async () => {
  const none = undefined
  first = await signer('first')
  second = await signer('second')
  nameless = [await signer(none), await signer(none), await signer(none)]
})

const keysOf =
  (...signers: Signer[]): Answer =>
  response =>
    void response.end(JSON.stringify({ keys: signers.map(({ jwk }) => jwk) }))

/** An issuer on a socket, whose answer the test chooses, and callers whose clock it moves. */
async function setUp(given: Partial<JwtOptions> = {}) {
  const state = {
    answer: keysOf(first),
    asked: 0,
    closed: 0,
    now: Date.now(),
    events: [] as GatewayEvent[],
  }
  const server = createServer((request, response) => {
    state.asked++
    response.on('close', () => state.closed++)
    state.answer(response, request)
  })
  const listen = (port: number) =>
    new Promise<void>(resolve => void server.listen(port, '127.0.0.1', () => resolve()))
  await listen(0)
  const { port } = server.address() as AddressInfo
  const close = () =>
    new Promise<void>(resolve => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  onTestFinished(async () => {
    if (server.listening) await close()
  })
  const authenticate = jwt({
    jwks: `http://127.0.0.1:${port}/keys`,
    issuer: iss,
    audience: aud,
    now: () => state.now,
    observe: event => void state.events.push(event),
    ...given,
  })
  const who = async (token: string) => {
    try {
      const request = new Request('http://a/', { headers: { authorization: `Bearer ${token}` } })
      return (await authenticate(request, undefined))?.id ?? 401
    } catch (error) {
      return GatewayError.is(error) && error.reason === 'authentication_unavailable' ? 503 : error
    }
  }
  return { state, who, close, open: () => listen(port), authenticate, port }
}

describe('keys that their issuer publishes', () => {
  it('are read once, by all who wait for them', async () => {
    const { state, who } = await setUp()
    expect(state.asked).toBe(0)
    const token = await first.sign('ann')
    expect(new Set(await Promise.all(Array.from({ length: 20 }, () => who(token))))).toEqual(new Set(['ann']))
    expect(await who(await second.sign('ann', { kid: 'first' }))).toBe(401)
    expect([await who(token), state.asked, state.events]).toEqual(['ann', 1, []])
  })

  it('are rotated: a new name makes them be read, an old one is gone after ten minutes at the latest', async () => {
    const { state, who } = await setUp()
    expect(await who(await first.sign('ann'))).toBe('ann')
    state.answer = keysOf(second)
    state.now += 10_000
    expect([await who(await second.sign('bob')), state.asked]).toEqual(['bob', 2])
    expect(await who(await first.sign('ann'))).toBe(401)
    state.answer = keysOf(first)
    state.now += 600_000
    expect([await who(await second.sign('bob')), await who(await first.sign('ann'))]).toEqual([401, 'ann'])
  })

  it('are not read again for every name that is not among them', async () => {
    const { state, who } = await setUp()
    await who(await first.sign('ann'))
    const strange = await Promise.all(
      Array.from({ length: 30 }, (_, i) => second.sign('eve', { kid: `k${i}` })),
    )
    expect(new Set(await Promise.all(strange.map(who)))).toEqual(new Set([503]))
    expect(state.asked).toBe(1)
    state.now += 10_000
    expect(new Set(await Promise.all(strange.map(who)))).toEqual(new Set([401]))
    expect(new Set(await Promise.all(strange.map(who)))).toEqual(new Set([401]))
    expect(state.asked).toBe(2)
  })

  it('are asked for again after a rotation, also where a stranger has used up the reading', async () => {
    const { state, who, authenticate } = await setUp()
    expect(await who(await first.sign('ann'))).toBe('ann')
    state.now += 20_000
    const strange = await first.sign('eve', { kid: 'none' })
    expect([await who(strange), state.asked]).toEqual([401, 2])
    state.answer = keysOf(first, second)
    state.now += 3_500
    const token = await second.sign('bob')
    const request = new Request('http://a/', { headers: { authorization: `Bearer ${token}` } })
    await expect(async () => authenticate(request, undefined)).rejects.toMatchObject({
      status: 503,
      reason: 'authentication_unavailable',
      headers: { 'retry-after': '7' },
    })
    // What the last reading was to find stays an answer, and neither is read for.
    expect([await who(strange), state.asked]).toEqual([401, 2])
    expect(await who(await first.sign('ann'))).toBe('ann')
    state.now += 7_000
    expect([await who(token), state.asked]).toEqual(['bob', 3])
  })

  it('are read once in ten seconds, and remember little, however many names strangers make up', async () => {
    const { state, who } = await setUp()
    expect(await who(await first.sign('ann'))).toBe('ann')
    const wrong = await second.sign('eve', { kid: 'retired' })
    const [, payload, signature] = wrong.split('.')
    const strange = Array.from({ length: 600 }, (_, i) => {
      const header = Buffer.from(JSON.stringify({ alg: 'ES256', kid: `k${i}` })).toString('base64url')
      return `${header}.${payload}.${signature}`
    })
    for (let round = 1; round <= 3; round++) {
      state.now += 10_000
      expect([await who(wrong), state.asked]).toEqual([401, 1 + round])
      for (const token of strange) expect(await who(token)).not.toBe('eve')
      expect([await who(wrong), state.asked]).toEqual([401, 1 + round])
    }
  })

  it('may have no names: each that fits is tried', async () => {
    const { state, who } = await setUp()
    const [one, other, unlisted] = nameless
    state.answer = keysOf(one, other)
    expect([await who(await other.sign('bob')), await who(await one.sign('ann'))]).toEqual(['bob', 'ann'])
    expect(await who(await unlisted.sign('eve'))).toBe(401)
    expect(state.asked).toBe(1)
  })
})

describe('keys that cannot be read', () => {
  const broken: [string, Answer][] = [
    ['an error', response => void response.writeHead(500).end('{"keys":[]}')],
    ['not found', response => void response.writeHead(404).end()],
    [
      'a redirect',
      (response, request) => {
        if (request.url === '/moved') keysOf(first, second)(response, request)
        else response.writeHead(302, { location: '/moved' }).end()
      },
    ],
    ['nothing', response => void response.end()],
    ['a page', response => void response.end('<html></html>')],
    ['no set', response => void response.end('[]')],
    ['an empty set', response => void response.end('{"keys":[]}')],
    ['what is no key', response => void response.end('{"keys":[1]}')],
    ['too many keys', response => void response.end(JSON.stringify({ keys: Array(101).fill(first.jwk) }))],
    ['deep nesting', response => void response.end('['.repeat(400_000))],
    ['a broken connection', response => void response.destroy()],
    ['half an answer', response => void response.write('{"keys":', () => response.destroy())],
    [
      'half an answer of its length',
      response => void response.writeHead(200, { 'content-length': 99 }).end('{}'),
    ],
    [
      'a key that is none',
      response => void response.end(`{"keys":[{"kty":"EC","crv":"P-256","kid":"first","x":"","y":"!"}]}`),
    ],
  ]
  it.each(broken)(
    'are a 503 where their server answers with %s, and used when it recovers',
    async (_, answer) => {
      const { state, who } = await setUp()
      const token = await first.sign('ann')
      state.answer = answer
      expect([await who(token), await who(token)]).toEqual([503, 503])
      const { asked } = state
      state.answer = keysOf(first)
      state.now += 600_000
      expect([await who(token), state.asked]).toEqual(['ann', asked + 1])
    },
  )

  it.each(broken.slice(0, -1))('go on being used where their server answers with %s', async (_, answer) => {
    const { state, who } = await setUp()
    const token = await first.sign('ann')
    expect(await who(token)).toBe('ann')
    state.answer = answer
    state.now += 600_000
    expect([await who(token), await who(token), state.asked]).toEqual(['ann', 'ann', 2])
    expect(await who(await second.sign('bob'))).toBe(503)
  })

  it('are a 503 where there is no server, told of once, and tried once a second at most', async () => {
    let tried = 0
    const counted: typeof fetch = (input, init) => {
      tried++
      return fetch(input, init)
    }
    const { state, who, close, open, port } = await setUp({ fetch: counted })
    const token = await first.sign('ann')
    await close()
    for (let i = 0; i < 5; i++) expect(await Promise.all([who(token), who(token)])).toEqual([503, 503])
    expect(state.events).toMatchObject([{ type: 'store', store: 'keys', state: 'failing' }])
    const { error } = state.events[0] as { error: Error }
    expect(error.message).toBe('The key set could not be fetched: ECONNREFUSED.')
    expect(JSON.stringify([error, error.cause, error.message, String(error.stack)])).not.toContain(
      String(port),
    )
    await open()
    expect([await who(token), state.asked, tried]).toEqual([503, 0, 1])
    state.now += 1_000
    expect([await who(token), state.asked]).toEqual(['ann', 1])
    await expect.poll(() => state.events).toMatchObject([{ state: 'failing' }, { state: 'working' }])
  })

  it('are given up after a day', async () => {
    const { state, who, close } = await setUp()
    const token = await first.sign('ann')
    expect(await who(token)).toBe('ann')
    await close()
    state.now += 600_000
    expect(await who(token)).toBe('ann')
    state.now += 86_400_000
    expect(await who(token)).toBe(503)
  })

  it('are waited for no longer than was said, and by nobody who can do without', async () => {
    const { state, who } = await setUp({ timeoutMs: 1_000 })
    const token = await first.sign('ann')
    const hang: Answer = () => {}
    state.answer = hang
    let before = performance.now()
    expect(await Promise.all([who(token), who(token)])).toEqual([503, 503])
    expect(performance.now() - before).toBeLessThan(5_000)
    await expect.poll(() => state.closed).toBe(1)
    state.answer = keysOf(first)
    state.now += 1_000
    expect(await who(token)).toBe('ann')
    // It hangs after half of its answer as well.
    state.answer = response => void response.write('{"keys":')
    state.now += 600_000
    expect(await who(token)).toBe('ann')
    for (let i = 0; i < 5; i++) {
      state.now += 1_000
      before = performance.now()
      expect(await who(token)).toBe('ann')
      expect(performance.now() - before).toBeLessThan(900)
    }
    await expect.poll(() => state.closed).toBe(state.asked)
  })

  it('end in time also where a `fetch` of the user’s hears no signal', async () => {
    const { who } = await setUp({ timeoutMs: 50, fetch: () => new Promise(() => {}) })
    expect(await who(await first.sign('ann'))).toBe(503)
  })

  it('are not read to their end where that does not come', async () => {
    const { state, who } = await setUp()
    let sent = 0
    state.answer = response => {
      const more = () => {
        sent += 65_536
        if (!response.destroyed && sent < 50_000_000) response.write(' '.repeat(65_536), more)
      }
      more()
    }
    expect(await who(await first.sign('ann'))).toBe(503)
    await expect.poll(() => state.closed).toBe(1)
    expect(sent).toBeLessThan(20_000_000)
  })

  it('may have an observer that throws or rejects', async () => {
    for (const observe of [
      () => {
        throw new Error('mine')
      },
      () => Promise.reject(new Error('mine')),
    ]) {
      const { who, close } = await setUp({ observe })
      await close()
      expect(await who(await first.sign('ann'))).toBe(503)
    }
  })

  it('are told to the caller of a gateway as the protocol has it', async () => {
    const { authenticate, close, port } = await setUp()
    await close()
    const gateway = createGateway({ authenticate, route: () => [] })
    const ask = async (token: string) => {
      const headers = { authorization: `Bearer ${token}` }
      return gateway.fetch(new Request('http://a/v1/models', { headers }))
    }
    const answer = await ask(await first.sign('ann'))
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '1'])
    const text = await answer.text()
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'authentication_unavailable' } })
    expect(text).not.toContain(String(port))
    expect((await ask('a.b.c')).status).toBe(401)
    await gateway.close()
  })
})

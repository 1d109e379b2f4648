import { createHmac } from 'node:crypto'
import { type AuthFailure, ConfigurationError } from '@sluice/core'
import {
  exportJWK,
  exportSPKI,
  type GenerateKeyPairAlgorithm,
  generateKeyPair,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
} from 'jose'
import { beforeAll, describe, expect, it } from 'vitest'
import { type JwtOptions, type JwtPayload, jwt } from './index.ts'

const now = 1_800_000_000
const iss = 'https://login.test/'
const aud = 'https://llm.test'
const secret = 'a secret of thirty-two bytes ...'
const sound: Claims = { iss, aud, sub: 'ann', iat: now, exp: now + 60 }
const basics = { issuer: iss, audience: aud, now: () => now * 1_000 }

type Claims = Record<string, unknown>
type Pair = Awaited<ReturnType<typeof generateKeyPair>>
type SigningKey = Pair['privateKey'] | Uint8Array

let rsa: Pair
let pem: string

beforeAll(async () => {
  rsa = await generateKeyPair('RS256', { extractable: true })
  pem = await exportSPKI(rsa.publicKey)
})

function asking(token: string): Request {
  return new Request('http://a/', { headers: { authorization: `Bearer ${token}` } })
}

async function signed(
  payload: JWTPayload,
  key: SigningKey,
  header: { alg: string; [name: string]: unknown },
) {
  return new SignJWT(payload as JWTPayload).setProtectedHeader(header).sign(key)
}

function withSecret(payload: Claims = sound, header = {}): Promise<string> {
  return signed(payload, new TextEncoder().encode(secret), { alg: 'HS256', ...header })
}

async function who(options: Partial<JwtOptions>, token: string): Promise<unknown> {
  return (await jwt({ ...basics, ...options })(asking(token), undefined))?.id
}

describe('jwt', () => {
  it.each(['RS256', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA'] as GenerateKeyPairAlgorithm[])(
    'lets in the caller of a token that was signed with %s',
    async alg => {
      const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
      const jwk = await exportJWK(publicKey)
      const token = await signed(sound, privateKey, { alg, kid: 'any' })
      const keys = { keys: [{ ...jwk, kid: 'any' }] }
      for (const options of [
        { publicKey: await exportSPKI(publicKey) },
        { publicKey: jwk },
        { jwks: keys },
      ]) {
        expect(await who(options, token)).toBe('ann')
        // Another key of the same kind.
        const other = (await generateKeyPair(alg)).privateKey
        expect(await who(options, await signed(sound, other, { alg, kid: 'any' }))).toBeUndefined()
      }
    },
  )

  it('reads a token that is sent as an API key too', async () => {
    const headers = { 'x-api-key': await withSecret() }
    const principal = await jwt({ ...basics, secret })(new Request('http://a/', { headers }), undefined)
    expect(principal?.id).toBe('ann')
  })

  it('lets in the caller of a token that was signed with the secret, as text or as bytes', async () => {
    const token = await withSecret()
    expect(await who({ secret }, token)).toBe('ann')
    const bytes = new TextEncoder().encode(secret)
    const authenticate = jwt({ ...basics, secret: bytes })
    bytes.fill(0)
    expect((await authenticate(asking(token), undefined))?.id).toBe('ann')
    expect(await who({ secret: secret.replace('a', 'b') }, token)).toBeUndefined()
  })

  it.each([
    ['exp', now + 60],
    ['iss', iss],
    ['aud', aud],
    ['iat', now],
  ])(
    'refuses a token without %s where another library has given one to every object',
    async (claim, value) => {
      const token = await withSecret({ ...sound, [claim]: undefined })
      Object.defineProperty(Object.prototype, claim, { value, configurable: true })
      try {
        expect(await who({ secret, maxTokenAgeS: 60 }, token)).toBeUndefined()
      } finally {
        Reflect.deleteProperty(Object.prototype, claim)
      }
    },
  )

  const claims: [string, Claims][] = [
    ['has expired', { ...sound, exp: now - 5 }],
    ['never expires', { ...sound, exp: undefined }],
    ['expires at no time', { ...sound, exp: 'never' }],
    ['is not good yet', { ...sound, nbf: now + 6 }],
    ['is of another issuer', { ...sound, iss: 'https://other.test/' }],
    ['is of no issuer', { ...sound, iss: undefined }],
    ['is for another service', { ...sound, aud: 'https://other.test' }],
    ['is for nobody', { ...sound, aud: undefined }],
    ['is for others', { ...sound, aud: ['a', 'b'] }],
    ['names nobody', { ...sound, sub: undefined }],
    ['names nobody by a text', { ...sound, sub: '' }],
    ['names a number', { ...sound, sub: 7 }],
    ['names somebody at length', { ...sound, sub: 'x'.repeat(256) }],
    ['names somebody on two lines', { ...sound, sub: 'ann\neve' }],
    ['names somebody by a control character', { ...sound, sub: 'ann\u0085' }],
    ['has models that are no list', { ...sound, models: '*' }],
    ['has models that are no texts', { ...sound, models: [7] }],
    ['has models that are nothing', { ...sound, models: null }],
    ['has tags that are a list', { ...sound, tags: ['search'] }],
    ['has tags that are no texts', { ...sound, tags: { team: 7 } }],
  ]
  it.each(claims)('lets in nobody by a token that %s', async (_, payload) => {
    expect(await who({ secret }, await withSecret(payload))).toBeUndefined()
  })

  it.each<[string, AuthFailure, () => Promise<string>]>([
    ['has expired', { reason: 'expired' }, () => withSecret({ ...sound, exp: now - 60 })],
    ['is too old', { reason: 'expired', id: 'ann' }, () => withSecret({ ...sound, iat: now - 3_600 })],
    [
      'is not good yet',
      { reason: 'not_yet_valid', id: 'ann' },
      () => withSecret({ ...sound, nbf: now + 60 }),
    ],
    [
      'is for another service',
      { reason: 'wrong_audience', id: 'ann' },
      () => withSecret({ ...sound, aud: 'x' }),
    ],
    ['is of another issuer', { reason: 'wrong_issuer' }, () => withSecret({ ...sound, iss: 'x' })],
    ['names nobody', { reason: 'wrong_claims' }, () => withSecret({ ...sound, sub: '' })],
    ['never expires', { reason: 'wrong_claims' }, () => withSecret({ ...sound, exp: undefined })],
    [
      'is signed by another',
      { reason: 'wrong_signature' },
      async () => `${await withSecret()}A`.replace(/.A$/, 'AA'),
    ],
    ['is signed otherwise', { reason: 'wrong_algorithm' }, () => withSecret(sound, { alg: 'HS512' })],
    ['is none', { reason: 'unknown' }, async () => 'sk-some-key'],
  ])('reports why a token that %s is refused', async (_, failure, token) => {
    const reported: AuthFailure[] = []
    const authenticate = jwt({ ...basics, secret, maxTokenAgeS: 600 })
    const report = (each: AuthFailure) => void reported.push(each)
    expect(await authenticate(asking(await token()), undefined, report)).toBeUndefined()
    expect(reported).toEqual([failure])
  })

  it.each<[string, Claims, unknown]>([
    ['within the tolerance after its end', { ...sound, exp: now - 4 }, 'ann'],
    ['within the tolerance before its beginning', { ...sound, nbf: now + 5 }, 'ann'],
    ['that is for several services', { ...sound, aud: ['other', aud] }, 'ann'],
    ['with a name of full length', { ...sound, sub: 'x'.repeat(255) }, 'x'.repeat(255)],
  ])('lets in the caller of a token %s', async (_, payload, id) => {
    expect(await who({ secret }, await withSecret(payload))).toBe(id)
  })

  it('gives the caller what the token says, and no more', async () => {
    const given = { ...sound, models: ['gpt-*'], tags: { team: 'search' }, limits: [], admin: true }
    const authenticate = jwt({ ...basics, secret })
    expect(await authenticate(asking(await withSecret(given)), undefined)).toEqual({
      id: 'ann',
      source: iss,
      models: ['gpt-*'],
      tags: { team: 'search' },
    })
  })

  it('names the source of the caller: the issuer, what the option says, or what claims say', async () => {
    const source = async (options: Partial<JwtOptions>, payload = sound) =>
      (await jwt({ ...basics, secret, ...options })(asking(await withSecret(payload)), undefined))?.source
    const claims = () => ({ id: 'ann' })
    const issuers = { issuer: [iss, 'https://b.test/'], claims }
    expect(await source({ claims })).toBe(iss)
    expect(await source(issuers, { ...sound, iss: 'https://b.test/' })).toBe('https://b.test/')
    expect(await source({ source: 'staff' })).toBe('staff')
    expect(await source({ source: 'staff', claims: async () => ({ id: 'ann', source: 'own' }) })).toBe('own')
    expect(() => jwt({ ...basics, secret, source: 'a b' })).toThrow(
      /source: got 'a b', expected a string without spaces/,
    )
    expect(() => jwt({ ...basics, secret, issuer: 'my login' })).toThrow(
      /source: got .* because an issuer has spaces/,
    )
    expect(await source({ issuer: 'my login', source: 'login' }, { ...sound, iss: 'my login' })).toBe('login')
  })

  it('adds its source to an instance of a class, which keeps its members', async () => {
    class User {
      readonly team = 'search'
      readonly #id: string
      constructor(id: string) {
        this.#id = id
      }
      get id() {
        return this.#id
      }
      get models() {
        return ['gpt-*']
      }
      get tags() {
        return { team: this.team }
      }
      get limits() {
        return [{ kind: 'requests', limit: 1, per: 'day' } as const]
      }
      get storeResponses() {
        return false
      }
    }
    const authenticate = jwt({ ...basics, secret, claims: ({ sub = '' }) => new User(sub) })
    expect(await authenticate(asking(await withSecret()), undefined)).toEqual({
      id: 'ann',
      source: iss,
      models: ['gpt-*'],
      tags: { team: 'search' },
      limits: [{ kind: 'requests', limit: 1, per: 'day' }],
      storeResponses: false,
      team: 'search',
    })
  })

  it('makes the caller by a function, which may know nobody, wait, or throw', async () => {
    const token = await withSecret({ ...sound, email: 'ann@test' })
    expect(await who({ secret, claims: ({ email }) => ({ id: String(email) }) }, token)).toBe('ann@test')
    expect(await who({ secret, claims: async () => undefined }, token)).toBeUndefined()
    const broken = () => {
      throw new Error('mine')
    }
    await expect(who({ secret, claims: broken }, token)).rejects.toThrow('mine')
  })

  it('takes several issuers and audiences, and tokens without an audience where that is said', async () => {
    const claims = ({ iss, sub }: JwtPayload) => ({ id: `${iss}${sub}` })
    const options = { secret, claims, issuer: ['https://b.test/', iss], audience: ['b', aud] }
    expect(await who(options, await withSecret())).toBe(`${iss}ann`)
    expect(await who(options, await withSecret({ ...sound, iss: 'c' }))).toBeUndefined()
    const without = await withSecret({ ...sound, aud: undefined })
    expect(await who({ secret, claims, audience: false }, without)).toBe(`${iss}ann`)
  })

  it('takes no token that is older than was said', async () => {
    const options = { secret, maxTokenAgeS: 60, clockToleranceS: 0 }
    expect(await who(options, await withSecret({ ...sound, iat: now - 60 }))).toBe('ann')
    expect(await who(options, await withSecret({ ...sound, iat: now - 61 }))).toBeUndefined()
    expect(await who(options, await withSecret({ ...sound, iat: now + 1 }))).toBeUndefined()
    expect(await who(options, await withSecret({ ...sound, iat: undefined }))).toBeUndefined()
  })

  it('takes no token of another type than was said', async () => {
    expect(await who({ secret, typ: 'at+jwt' }, await withSecret(sound, { typ: 'at+jwt' }))).toBe('ann')
    expect(await who({ secret, typ: 'at+jwt' }, await withSecret(sound, { typ: 'JWT' }))).toBeUndefined()
    expect(await who({ secret, typ: 'at+jwt' }, await withSecret())).toBeUndefined()
  })
})

describe('a forged token', () => {
  const part = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

  it('is not signed: alg none', async () => {
    const unsigned = new UnsecuredJWT(sound as JWTPayload).encode()
    for (const token of [unsigned, `${unsigned}AA`, `${part({ alg: 'None' })}.${part(sound)}.AA`]) {
      expect(await who({ secret }, token)).toBeUndefined()
      expect(await who({ publicKey: pem }, token)).toBeUndefined()
    }
  })

  it('is signed with the public key as if it were a secret', async () => {
    const jwk = await exportJWK(rsa.publicKey)
    const inputs = [pem, pem.trim(), JSON.stringify(jwk), jwk.n ?? '']
    for (const alg of ['HS256', 'HS384', 'HS512']) {
      for (const input of inputs) {
        const head = `${part({ alg })}.${part(sound)}`
        const mac = createHmac(alg.replace('HS', 'sha'), input).update(head).digest('base64url')
        for (const options of [{ publicKey: pem }, { publicKey: jwk }, { jwks: { keys: [jwk] } }]) {
          expect(await who(options, `${head}.${mac}`)).toBeUndefined()
        }
      }
    }
  })

  it('brings its own key, or says where one is', async () => {
    const own = await generateKeyPair('RS256', { extractable: true })
    const jwk = await exportJWK(own.publicKey)
    const asked: unknown[] = []
    const options = {
      jwks: 'https://keys.test/',
      fetch: async (url: unknown) => {
        asked.push(url)
        return Response.json({ keys: [await exportJWK(rsa.publicKey)] })
      },
    }
    const header = { alg: 'RS256', jwk, jku: 'https://evil.test/', x5u: 'https://evil.test/' }
    expect(await who(options, await signed(sound, own.privateKey, header))).toBeUndefined()
    expect(asked).toEqual(['https://keys.test/'])
  })

  it('is changed, or has an extension that is not known', async () => {
    const token = await withSecret()
    const [head = '', , mac = ''] = token.split('.')
    expect(await who({ secret }, `${head}.${part({ ...sound, sub: 'root' })}.${mac}`)).toBeUndefined()
    expect(
      await who({ secret }, `${part({ alg: 'HS256', kid: 'x' })}.${token.split('.')[1]}.${mac}`),
    ).toBeUndefined()
    const critical = `${part({ alg: 'HS256', crit: ['x'], x: 1 })}.${part(sound)}`
    const fit = createHmac('sha256', secret).update(critical).digest('base64url')
    expect(await who({ secret }, `${critical}.${fit}`)).toBeUndefined()
  })

  it('is by an algorithm that is not allowed', async () => {
    const token = await signed(sound, rsa.privateKey, { alg: 'RS256' })
    expect(await who({ publicKey: pem, algorithms: ['RS512', 'PS256'] }, token)).toBeUndefined()
    expect(await who({ publicKey: pem, algorithms: ['RS256'] }, token)).toBe('ann')
    expect(await who({ secret, algorithms: ['HS256'] }, token)).toBeUndefined()
  })

  it('is no token at all, and costs no work', async () => {
    let asked = 0
    const fetchIt = async () => {
      asked++
      return Response.json({})
    }
    const options = { jwks: 'https://keys.test/', fetch: fetchIt }
    const long = await withSecret({ ...sound, pad: 'x'.repeat(8_192) })
    const wrong = await Promise.all([
      signed({ ...sound, iss: 'https://other.test/' }, rsa.privateKey, { alg: 'RS256' }),
      signed({ ...sound, exp: now - 60 }, rsa.privateKey, { alg: 'RS256' }),
      withSecret(),
    ])
    const texts = [
      'sk-one',
      'a.b',
      'a.b.c',
      'a.b.c.d',
      '..',
      '.a.',
      'a b.c.d',
      `${part([])}.${part(1)}.x`,
      long,
    ]
    for (const text of [...texts, ...wrong, `${'['.repeat(4_000)}.x.x`, `${part({})}.${part({})}.A`]) {
      const answer = jwt({ ...basics, ...options })(asking(text), undefined)
      // At once: not even a promise.
      expect(answer).toBeUndefined()
    }
    expect(jwt({ ...basics, secret })(new Request('http://a/'), undefined)).toBeUndefined()
    expect(asked).toBe(0)
    expect(jwt({ ...basics, secret })(asking(long), undefined)).toBeUndefined()
    expect(await who({ secret }, await withSecret({ ...sound, pad: 'x'.repeat(4_000) }))).toBe('ann')
  })
})

describe('the options', () => {
  const b = { issuer: iss, audience: aud }
  const weak = 'x'.repeat(31)
  it.each<[unknown, RegExp]>([
    [undefined, /expected an object of options/],
    [{ ...b }, /got 0 of jwks, publicKey and secret/],
    [{ ...b, secret, publicKey: 'x' }, /got 2 of/],
    [{ ...b, secret, issuer: undefined }, /issuer: got .*, expected the `iss`/],
    [{ ...b, secret, issuer: '' }, /issuer: got .*, expected the `iss`/],
    [{ ...b, secret, issuer: [] }, /issuer: got .*, expected the `iss`/],
    [{ ...b, secret, issuer: [iss, 'b'] }, /two issuers may use the same `sub`/],
    [{ ...b, secret, audience: undefined }, /audience: got .*, expected the `aud`/],
    [{ ...b, secret, audience: [''] }, /audience: got .*, expected the `aud`/],
    [{ ...b, secret, audience: false }, /claims: got undefined, expected a function/],
    [{ ...b, secret, audiance: 'x' }, /audiance: got .*, expected no such option\. Did you mean 'audience'/],
    [{ ...b, secret: weak }, /secret: got a secret of 31 bytes, expected at least 32 random bytes for HS256/],
    [{ ...b, secret, algorithms: ['HS512'] }, /at least 64 random bytes for HS512/],
    [
      { ...b, secret, algorithms: ['RS256'] },
      /algorithms: got a list, expected a list of HS256, HS384, HS512/,
    ],
    [{ ...b, secret, algorithms: ['none'] }, /algorithms: got .*, expected/],
    [{ ...b, secret, algorithms: [] }, /algorithms: got .*, expected/],
    [{ ...b, secret: 7 }, /secret: got 7, expected/],
    [
      { ...b, secret: '-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----' },
      /pass a PEM as publicKey/,
    ],
    [{ ...b, publicKey: 'MIIB' }, /publicKey: got .*, expected/],
    [
      { ...b, publicKey: '-----BEGIN PRIVATE KEY-----\nMIIB\n-----END PRIVATE KEY-----' },
      /publicKey: got .*, expected/,
    ],
    [
      { ...b, publicKey: '-----BEGIN PUBLIC KEY-----\nMIIB\n-----END PUBLIC KEY-----' },
      /publicKey: got .*, expected/,
    ],
    [{ ...b, publicKey: { kty: 'oct', k: 'eA' } }, /got a private or secret key/],
    [{ ...b, publicKey: { kty: 'RSA', n: 'x', e: 'AQAB', d: 'x' } }, /got a private or secret key/],
    [{ ...b, publicKey: { kty: 'EC', crv: 'secp256k1' } }, /publicKey: got .*, expected/],
    [
      { ...b, publicKey: { kty: 'RSA' }, algorithms: ['ES256'] },
      /algorithms: got a list, expected a list of RS256/,
    ],
    [{ ...b, jwks: { keys: [] } }, /jwks: got .*, expected/],
    [{ ...b, jwks: {} }, /jwks: got .*, expected/],
    [{ ...b, jwks: { keys: [{ kty: 'oct', k: 'eA' }] } }, /got a private or secret key/],
    [{ ...b, jwks: 'https://a.test/', algorithms: ['HS256'] }, /algorithms: got .*, expected/],
    [{ ...b, jwks: 'not an address' }, /jwks: got a string, expected a URL/],
    [{ ...b, jwks: 'http://a.test/' }, /jwks: got a string, expected a URL with https/],
    [{ ...b, jwks: 'http://127.evil.test/' }, /jwks: got a string, expected a URL with https/],
    [{ ...b, jwks: 'https://user:word@a.test/' }, /without credentials/],
    [{ ...b, jwks: 'file:///etc/keys' }, /jwks: got .*, expected/],
    [{ ...b, secret, clockToleranceS: 301 }, /clockToleranceS: got 301/],
    [{ ...b, secret, clockToleranceS: -1 }, /clockToleranceS/],
    [{ ...b, secret, maxTokenAgeS: 0 }, /maxTokenAgeS/],
    [{ ...b, secret, maxTokenAgeS: '1h' }, /maxTokenAgeS/],
    [{ ...b, jwks: 'https://a.test/', timeoutMs: 0 }, /timeoutMs/],
    [{ ...b, jwks: 'https://a.test/', cacheMs: Number.NaN }, /cacheMs/],
    [{ ...b, jwks: 'https://a.test/', staleMs: -1 }, /staleMs/],
    [{ ...b, secret, typ: '' }, /typ: got an empty string, expected/],
    [{ ...b, secret, claims: {} }, /claims: got .*, expected a function/],
  ])('are refused where they cannot be meant (%#)', (options, message) => {
    expect(() => jwt(options as JwtOptions)).toThrow(message)
    expect(() => jwt(options as JwtOptions)).toThrow(ConfigurationError)
  })

  it.each([
    'https://a.test/k',
    'http://localhost:1/',
    'http://127.0.0.1/',
    'http://[::1]/',
    new URL('https://a/'),
  ])('may say that the keys are at %s', jwks => {
    expect(jwt({ ...b, jwks })).toBeTypeOf('function')
  })

  it('never say a secret', () => {
    for (const options of [
      { secret: weak },
      { secret, publicKey: weak },
      { publicKey: weak },
      { jwks: weak },
    ]) {
      expect(() => jwt({ ...b, ...options })).toThrow(/^((?!xxx).)*$/)
    }
  })
})

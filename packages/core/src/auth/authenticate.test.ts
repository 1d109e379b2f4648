import { describe, expect, it } from 'vitest'
import { principalKey } from '../primitives/principal-key.ts'
import { authenticate, bearerToken } from './authenticate.ts'

function asked(authorization?: string): Request {
  return new Request('http://gateway.test/v1/models', {
    headers: authorization === undefined ? {} : { authorization },
  })
}

describe('bearerToken', () => {
  it.each([
    ['Bearer sk-1', 'sk-1'],
    ['bearer sk-1', 'sk-1'],
    ['BEARER   sk-1', 'sk-1'],
    ['Bearer My API Key', 'My API Key'],
    ['Bearer Bearer sk-1', 'Bearer sk-1'],
    ['Bearer', undefined],
    ['Bearer ', undefined],
    ['Bearersk-1', undefined],
    ['Basic sk-1', undefined],
    ['Basic Bearer sk-1', undefined],
    ['sk-1', undefined],
    ['', undefined],
    [undefined, undefined],
  ])('of %j is %j', (header, token) => {
    expect(bearerToken(asked(header))).toBe(token)
  })
})

describe('bearerToken without Authorization: Bearer', () => {
  it.each([
    [{ 'x-api-key': 'sk-1' }, 'sk-1'],
    [{ 'X-API-Key': '  sk-1  ' }, 'sk-1'],
    [{ 'x-api-key': 'Bearer sk-1' }, 'Bearer sk-1'],
    [{ 'x-api-key': '' }, undefined],
    [{ authorization: 'Basic YTpi', 'x-api-key': 'sk-1' }, 'sk-1'],
    [{ authorization: 'Bearer ', 'x-api-key': 'sk-1' }, 'sk-1'],
    [{ authorization: 'Bearer sk-1', 'x-api-key': 'sk-1' }, 'sk-1'],
    [{ authorization: 'Bearer sk-1', 'x-api-key': 'sk-2' }, 'sk-1'],
  ])('of %j is %j', (headers, token) => {
    expect(bearerToken(new Request('http://gateway.test/', { headers }))).toBe(token)
  })
})

it('of blanks is none, also where the headers are not trimmed', () => {
  const blanks: Record<string, string> = { authorization: 'Bearer   ', 'x-api-key': '  ' }
  const request = { headers: { get: (name: string) => blanks[name] ?? null } } as unknown as Request
  expect(bearerToken(request)).toBeUndefined()
})

describe('authenticate', () => {
  it('gives the principal as it came, and asks with the request and its host', async () => {
    const ann = { id: 'ann', tags: { team: 'a' } }
    const request = asked('Bearer sk-1')
    const host = {}
    const heard: unknown[] = []
    const answer = await authenticate(request, host, (...given) => {
      heard.push(...given)
      return ann
    })
    expect(answer).toBe(ann)
    expect(heard.slice(0, 2)).toEqual([request, host])
  })

  it.each([undefined, null, false])('refuses a caller of whom it is told %j', async nobody => {
    const ask = async (header?: string) => authenticate(asked(header), undefined, () => nobody as undefined)
    await expect(ask('Bearer sk-1')).rejects.toMatchObject({ status: 401, reason: 'invalid_api_key' })
    await expect(ask('Basic sk-1')).rejects.toMatchObject({ status: 401, reason: 'missing_api_key' })
    await expect(ask()).rejects.toMatchObject({ status: 401, reason: 'missing_api_key' })
    const keyed = new Request('http://gateway.test/', { headers: { 'x-api-key': 'sk-1' } })
    const refused = async () => authenticate(keyed, undefined, () => nobody as undefined)
    await expect(refused()).rejects.toMatchObject({ status: 401, reason: 'invalid_api_key' })
  })

  const invalidSources = ['', 'a b', 'a\n', 'a\u001b', 7, null].map(source => ({ id: 'ann', source }))

  it.each([true, 1, 'ann', '', 0, {}, [], { id: '' }, { id: 7 }, { id: null }, () => {}, ...invalidSources])(
    'takes %j for no principal',
    async value => {
      const fault = new TypeError(
        'authenticate returned an invalid principal: expected undefined, or an object with an id (a non-empty string) and optionally a source (a string without spaces or control characters).',
      )
      expect(() => authenticate(asked(), undefined, () => value as never)).toThrow(fault)
      await expect(authenticate(asked(), undefined, async () => value as never)).rejects.toThrow(fault)
    },
  )
})

describe('a member of a principal', () => {
  const inherited = Object.create({ id: 'ann', models: ['m'], tags: { team: 'a' } })

  it.each([
    { models: [], tags: {}, limits: [] },
    { models: ['a', 'b-*'], tags: Object.assign(Object.create(null), { team: 'a' }) },
    { models: undefined, tags: undefined, limits: undefined, source: undefined, storeResponses: undefined },
    { id: 'J\u00f6rg \u{1f469}\u200d\u{1f52c}' },
    inherited,
  ])('may be %o', members => {
    const principal = members === inherited ? inherited : { id: 'ann', ...members }
    expect(authenticate(asked(), undefined, () => principal)).toBe(principal)
  })

  it.each<[object, string]>([
    [{ models: null }, "The models of the principal 'ann': got null, expected a list of names or patterns."],
    [
      { models: 'one,two' },
      "The models of the principal 'ann': got a string, expected a list of names or patterns.",
    ],
    [{ models: ['m', 7] }, "The models of the principal 'ann': [1]: got 7, expected a name or a pattern."],
    [{ tags: null }, "The tags of the principal 'ann': got null, expected an object of strings."],
    [{ tags: { team: 5 } }, "The tags of the principal 'ann': team: got 5, expected a string."],
    [
      { tags: { team: undefined } },
      "The tags of the principal 'ann': team: got undefined, expected a string.",
    ],
    [{ tags: ['team'] }, "The tags of the principal 'ann': got a list, expected an object of strings."],
    [
      { tags: new Map([['team', 'a']]) },
      "The tags of the principal 'ann': got an object, expected an object of strings.",
    ],
    [{ limits: null }, "The limits of the principal 'ann': got null, expected a list of rules."],
    [{ limits: 'sk-secret' }, "The limits of the principal 'ann': got a string, expected a list of rules."],
    [
      { id: "a\nb'\u2028\u001b" },
      "The id of the principal 'a\\nb\\' \\u001b': got a string, expected a string without control characters.",
    ],
  ])('cannot be %o', async (members, message) => {
    const principal = { id: 'ann', ...members } as never
    expect(() => authenticate(asked(), undefined, () => principal)).toThrow(message)
    await expect(authenticate(asked(), undefined, async () => principal)).rejects.toThrow(message)
  })

  it.each(['models', 'tags', 'limits'])(
    'is none that another library has given to every object: %s',
    name => {
      const principal = { id: 'ann' }
      Object.defineProperty(Object.prototype, name, { value: null, configurable: true })
      let answer: unknown
      try {
        answer = authenticate(asked(), undefined, () => principal)
      } finally {
        Reflect.deleteProperty(Object.prototype, name)
      }
      expect(answer).toBe(principal)
    },
  )
})

describe('principalKey', () => {
  it('differs wherever source or id differ', () => {
    const principals = [
      { id: 'ann' },
      { id: ' ann' },
      { id: 'keys ann' },
      { id: 'ann', source: 'keys' },
      { id: ' ann', source: 'keys' },
      { id: 'ann', source: 'https://issuer.example' },
    ]
    expect(new Set(principals.map(principalKey)).size).toBe(principals.length)
  })
})

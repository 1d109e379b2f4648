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

  const invalidSources = ['', 'a b', 'a\n', 7, null].map(source => ({ id: 'ann', source }))

  it.each([true, 1, 'ann', '', 0, {}, [], { id: '' }, { id: 7 }, { id: null }, () => {}, ...invalidSources])(
    'takes %j for no principal',
    async value => {
      const fault = new TypeError(
        'authenticate returned an invalid principal: expected undefined, or an object with an id (a non-empty string) and optionally a source (a string without spaces).',
      )
      expect(() => authenticate(asked(), undefined, () => value as never)).toThrow(fault)
      await expect(authenticate(asked(), undefined, async () => value as never)).rejects.toThrow(fault)
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

import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { ApiKeyRecord } from '../contracts/key-store.ts'
import type { LimitRuleData } from '../contracts/principal.ts'
import { apiKeys } from './api-keys.ts'
import { hashApiKey } from './key-digest.ts'

function asking(authorization?: string): Request {
  return new Request(
    'http://sluice.test/v1/models',
    authorization === undefined ? {} : { headers: { authorization } },
  )
}

describe('hashApiKey', () => {
  it('is SHA-256 in hexadecimal, or HMAC with a pepper', () => {
    expect(hashApiKey('sk-one')).toBe(createHash('sha256').update('sk-one').digest('hex'))
    const pepper = { v2: 'p', v1: 'q' }
    expect(hashApiKey('sk-one', pepper)).toBe(
      `v2:${createHmac('sha256', 'p').update('sk-one').digest('hex')}`,
    )
  })
})

describe('apiKeys with a list', () => {
  const find = apiKeys(
    [
      { id: 'ann', key: 'My API Key', models: ['gpt-*'] },
      { id: 'bob', hash: hashApiKey('sk-bob') },
      { id: 'cut', key: 'sk-cut', disabled: true },
      { id: 'old', key: 'sk-old', expiresAt: new Date(1_000) },
    ],
    { now: () => 1_000 },
  )

  it.each([
    ['Bearer My API Key', 'ann'],
    ['bearer  sk-bob', 'bob'],
    ['Bearer sk-cut', undefined],
    ['Bearer sk-old', undefined],
    ['Bearer sk-ann', undefined],
    ['Bearer ', undefined],
    ['Basic c2stYm9i', undefined],
    [`Bearer ${hashApiKey('sk-bob')}`, undefined],
    [`Bearer ${'x'.repeat(5_000)}`, undefined],
    [undefined, undefined],
  ])('%s is %s', async (authorization, id) => {
    expect((await find(asking(authorization), undefined))?.id).toBe(id)
  })

  it.each([
    [{ 'x-api-key': 'My API Key' }, 'ann'],
    [{ 'x-api-key': 'sk-ann' }, undefined],
    [{ authorization: 'Bearer sk-bob', 'x-api-key': 'My API Key' }, 'bob'],
    [{ authorization: 'Bearer sk-ann', 'x-api-key': 'My API Key' }, undefined],
  ])('the headers %j are those of %s', async (headers, id) => {
    expect((await find(new Request('http://sluice.test/', { headers }), undefined))?.id).toBe(id)
  })

  it('hands on what the key may do, and neither key nor hash', async () => {
    const principal = await find(asking('Bearer My API Key'), undefined)
    expect(principal).toEqual({ id: 'ann', source: 'api_keys', models: ['gpt-*'] })
  })

  it('names the source of its callers, as it is told to', async () => {
    const named = apiKeys([{ id: 'ann', key: 'k' }], { source: 'partners' })
    expect(await named(asking('Bearer k'), undefined)).toEqual({ id: 'ann', source: 'partners' })
    for (const source of ['', 'a b', 7, null] as never[]) {
      expect(() => apiKeys([{ id: 'ann', key: 'k' }], { source })).toThrow(
        /source: got .*, expected a string/,
      )
    }
  })

  it.each([
    [[{ id: '', key: 'k' }], /\[0\]\.id: got an empty string, expected a non-empty string/],
    [[{ id: 'a', key: '' }], /\[0\]\.key: got an empty string, expected either a key/],
    [[{ id: 'a', hash: 'abc' }], /64 hexadecimal digits/],
    [
      [
        { id: 'a', key: 'k' },
        { id: 'b', key: 'k' },
      ],
      /listed twice/,
    ],
  ])('refuses a list with a fault (%#)', (list, message) => {
    expect(() => apiKeys(list as never)).toThrow(message)
  })

  it.each([
    [{ model: ['d'] }, /\[0\]\.model: got a list, expected no such option. Did you mean 'models'\?/],
    [{ id: 'a\nb' }, /\[0\]\.id: got a string, expected a string without control characters/],
    [{ models: '*' }, /\[0\]\.models: got a string, expected a list/],
    [{ models: ['m', 7] }, /\[0\]\.models\[1\]: got 7, expected a name or a pattern/],
    [{ tags: ['search'] }, /\[0\]\.tags: got a list, expected an object of strings/],
    [{ tags: new Map([['team', 'search']]) }, /\[0\]\.tags: got an object, expected an object of strings/],
    [{ tags: { team: null } }, /\[0\]\.tags\.team: got null, expected a string/],
    [{ expiresAt: '2020-01-01' }, /\[0\]\.expiresAt: got .*, expected milliseconds since 1970/],
    [{ expiresAt: Number.NaN }, /\[0\]\.expiresAt: got .*, expected milliseconds since 1970/],
    [{ expiresAt: new Date('x') }, /\[0\]\.expiresAt: got .*, expected milliseconds since 1970/],
    [{ storeResponses: 'false' }, /\[0\]\.storeResponses: got .*, expected true or false/],
    [{ disabled: 1 }, /\[0\]\.disabled: got .*, expected true or false/],
    [{ disabled: 'true' }, /\[0\]\.disabled: got .*, expected true or false/],
    [{ limits: { kind: 'requests', limit: 1, per: 'day' } }, /\[0\]\.limits: got an object, expected a list/],
    [{ limits: [null] }, /\[0\]\.limits\[0\]: got null, expected a rule/],
    [
      { limits: [{ kind: 'requests', limit: 0, per: 'day' }] },
      /limits\[0\]\.limit: got 0, expected a whole number/,
    ],
    [
      { limits: [{ kind: 'requests', limit: 1, per: 'day', scope: ['key'] }] },
      /limits\[0\]\.scope: got a list, expected no such option. Did you mean 'scopes'\?/,
    ],
  ])('refuses a right that is written in a wrong way: %o', (wrong, message) => {
    expect(() => apiKeys([{ id: 'a', key: 'k', ...wrong } as never])).toThrow(message)
  })

  it('refuses what is no list and no function', () => {
    expect(() => apiKeys(undefined as never)).toThrow(/expected a list of keys/)
  })

  it.each(['secret', {}, { v1: '' }, { 1: 'one' }, { v1: 1 }])('refuses %o as a pepper', pepper => {
    expect(() => apiKeys([{ id: 'a', key: 'k' }], { pepper: pepper as never })).toThrow(
      /pepper: expected an object/,
    )
  })

  it('refuses a key that could never be found, and a format that is none', () => {
    expect(() => apiKeys([{ id: 'a', key: 'x'.repeat(4_097) }])).toThrow(
      /\[0\]\.key: got a string, expected at most 4096/,
    )
    expect(() => apiKeys([{ id: 'a', key: 'pk-1' }], { format: /^sk-/ })).toThrow(
      /key: got a string, expected at most 4096 characters of the format/,
    )
    expect(() => apiKeys([], { format: '^sk-' as never })).toThrow(
      /format: got '\^sk-', expected a regular expression/,
    )
  })

  it('finds a listed hash of any version of the pepper', async () => {
    const pepper = { v2: 'new', v1: 'old' }
    const peppered = apiKeys(
      [
        { id: 'old', hash: hashApiKey('sk-old', { v1: 'old' }) },
        { id: 'new', key: 'sk-new' },
      ],
      { pepper },
    )
    expect((await peppered(asking('Bearer sk-old'), undefined))?.id).toBe('old')
    expect((await peppered(asking('Bearer sk-new'), undefined))?.id).toBe('new')
    expect(() => apiKeys([{ id: 'a', hash: hashApiKey('k', { v9: 'x' }) }], { pepper })).toThrow(
      /a version of the pepper/,
    )
  })

  it('never says a key in what it throws', () => {
    expect(() =>
      apiKeys([
        { id: 'a', key: 'sk-canary' },
        { id: 'b', key: 'sk-canary' },
      ]),
    ).toThrow(/^((?!sk-canary).)*$/)
  })
})

describe('apiKeys with a lookup', () => {
  it('asks the store by digest, remembers found and unknown keys for five seconds at most', async () => {
    let now = 1_000_000
    const asked: string[] = []
    const records = new Map<string, ApiKeyRecord>([[hashApiKey('sk-one'), { id: 'one' }]])
    const find = apiKeys(
      digest => {
        asked.push(digest)
        return records.get(digest)
      },
      { now: () => now, cacheMs: 5_000 },
    )
    const who = async (key: string) => (await find(asking(`Bearer ${key}`), undefined))?.id
    expect([await who('sk-one'), await who('sk-one'), await who('sk-two'), await who('sk-two')]).toEqual([
      'one',
      'one',
      undefined,
      undefined,
    ])
    expect(asked).toEqual([hashApiKey('sk-one'), hashApiKey('sk-two')])
    records.delete(hashApiKey('sk-one'))
    now += 5_001
    expect(await who('sk-one')).toBeUndefined()
  })

  it('never shares what is remembered between keys that begin alike', async () => {
    const prefix = 'sk-'.padEnd(40, 'x')
    const find = apiKeys(async digest => (digest === hashApiKey(`${prefix}1`) ? { id: 'one' } : undefined))
    expect((await find(asking(`Bearer ${prefix}1`), undefined))?.id).toBe('one')
    expect(await find(asking(`Bearer ${prefix}2`), undefined)).toBeUndefined()
  })

  it('answers 503 where the store fails: it is no wrong key', async () => {
    const cause = new Error('store is down')
    const find = apiKeys(() => Promise.reject(cause))
    await expect(find(asking('Bearer sk-one'), undefined)).rejects.toMatchObject({
      reason: 'authentication_unavailable',
      status: 503,
      cause,
    })
  })

  it.each([
    { id: 'one', expiresAt: '2020-01-01' },
    { id: 'one', disabled: 'true' },
    { name: 'one' },
    { id: 'one', limits: 'none' },
    { id: 'one', tags: { team: 5 } },
    { id: 'one\u001b[2J' },
  ])('lets nobody in by a record that is written in a wrong way: %o', async record => {
    const find = apiKeys(() => record as never)
    await expect(find(asking('Bearer sk-one'), undefined)).rejects.toThrow(/the record of a key/)
  })

  it('hands on the limits of a key, which nobody can change for the next request', async () => {
    const limits = [{ kind: 'requests', limit: 5, per: 'minute', scopes: ['tag:team'] }] as const
    const row = { id: 'one', limits: structuredClone(limits) as unknown as LimitRuleData[] }
    const find = apiKeys(() => row)
    const first = await find(asking('Bearer sk-one'), undefined)
    row.limits.length = 0
    expect(first?.limits).toEqual(limits)
    for (const part of [first?.limits, first?.limits?.[0], first?.limits?.[0]?.scopes]) {
      expect(() => Object.assign(part ?? {}, { 0: 'other', limit: 9 })).toThrow(TypeError)
    }
    expect((await find(asking('Bearer sk-one'), undefined))?.limits).toEqual(limits)
  })

  it('takes the nulls of a store for nothing known', async () => {
    const find = apiKeys(() => ({
      id: 'one',
      models: null,
      tags: null,
      limits: null,
      expiresAt: null,
      disabled: null,
    }))
    expect(await find(asking('Bearer sk-one'), undefined)).toEqual({ id: 'one', source: 'api_keys' })
  })

  it('refuses to remember a key for longer than five seconds, and unknown ones without a bound', () => {
    expect(() => apiKeys(() => undefined, { cacheMs: 60_000 })).toThrow(/at most 5000/)
    for (const maxUnknown of [0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY]) {
      expect(() => apiKeys(() => undefined, { maxUnknown })).toThrow(
        /maxUnknown: got .*, expected a whole number/,
      )
    }
  })

  it.each([
    ["' OR '1'='1", undefined],
    ['two words', undefined],
    ['=', undefined],
    ['a=b', undefined],
    ['x'.repeat(4_097), undefined],
    ['AZaz09-._~+/==', 'any'],
    ['x'.repeat(4_096), 'any'],
  ])('asks the store only for what RFC 6750 calls a token: %s', async (token, id) => {
    const find = apiKeys(() => ({ id: 'any' }))
    expect((await find(asking(`Bearer ${token}`), undefined))?.id).toBe(id)
  })

  it('asks the store for other keys where their format is said', async () => {
    const find = apiKeys(() => ({ id: 'any' }), { format: /^my \w+$/gy })
    for (const [token, id] of [
      ['my key', 'any'],
      ['my key', 'any'],
      ['sk-one', undefined],
    ] as const) {
      expect((await find(asking(`Bearer ${token}`), undefined))?.id).toBe(id)
    }
  })

  it('bounds what it remembers of unknown keys', async () => {
    let asked = 0
    const find = apiKeys(
      () => {
        asked++
        return undefined
      },
      { maxUnknown: 2 },
    )
    for (const key of ['a', 'b', 'c', 'a']) await find(asking(`Bearer ${key}`), undefined)
    expect(asked).toBe(4)
  })

  it('tries every version of the pepper, newest first', async () => {
    const old = hashApiKey('sk-one', { v1: 'old' })
    const asked: string[] = []
    const find = apiKeys(
      digest => {
        asked.push(digest)
        return digest === old ? { id: 'one' } : undefined
      },
      { pepper: { v2: 'new', v1: 'old' } },
    )
    expect((await find(asking('Bearer sk-one'), undefined))?.id).toBe('one')
    expect(asked).toEqual([hashApiKey('sk-one', { v2: 'new' }), old])
  })
})

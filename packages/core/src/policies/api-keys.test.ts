import { createHash, createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { type ApiKeyRecord, apiKeys, hashApiKey } from './api-keys.ts'

function asking(authorization?: string): Request {
  return new Request(
    'http://sluice.test/v1/models',
    authorization === undefined ? {} : { headers: { authorization } },
  )
}

describe('hashApiKey', () => {
  it('is SHA-256 in hexadecimal, or HMAC with a pepper', () => {
    expect(hashApiKey('sk-one')).toBe(createHash('sha256').update('sk-one').digest('hex'))
    expect(hashApiKey('sk-one', 'p')).toBe(createHmac('sha256', 'p').update('sk-one').digest('hex'))
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

  it('hands on what the key may do, and neither key nor hash', async () => {
    const principal = await find(asking('Bearer My API Key'), undefined)
    expect(principal).toEqual({ id: 'ann', models: ['gpt-*'] })
  })

  it.each([
    [[{ id: '', key: 'k' }], /entry 0 has no id/],
    [[{ id: 'a', key: '' }], /'a' needs either a key/],
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
      { now: () => now, cacheMs: 60_000 },
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

  it('lets a store that fails fail: it is no wrong key', async () => {
    const find = apiKeys(() => Promise.reject(new Error('store is down')))
    await expect(find(asking('Bearer sk-one'), undefined)).rejects.toThrow('store is down')
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
    const old = `v1:${hashApiKey('sk-one', 'old')}`
    const asked: string[] = []
    const find = apiKeys(
      digest => {
        asked.push(digest)
        return digest === old ? { id: 'one' } : undefined
      },
      { pepper: { v2: 'new', v1: 'old' } },
    )
    expect((await find(asking('Bearer sk-one'), undefined))?.id).toBe('one')
    expect(asked).toEqual([`v2:${hashApiKey('sk-one', 'new')}`, old])
  })
})

import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { rowsInMemory } from '../../test/support/rows-in-memory.ts'
import type { KeyChanges, KeySpec } from '../contracts/key-store.ts'
import type { LimitRuleData } from '../contracts/principal.ts'
import { requests } from '../rate-limiting/rule.ts'
import { apiKeys } from './api-keys.ts'
import { isIssuedKey } from './issued-key.ts'
import { keyStore } from './issued-keys.ts'
import { hashApiKey } from './key-digest.ts'

const minute: LimitRuleData = { kind: 'requests', limit: 5, per: 'minute' }

function setUp(options: Parameters<typeof keyStore>[1] = {}) {
  const clock = { now: 1_800_000_000_000 }
  const rows = rowsInMemory()
  const keys = keyStore(rows, { now: () => clock.now, ...options })
  const pass = apiKeys(keys, { now: () => clock.now })
  const who = async (key: string) =>
    pass(new Request('http://a/', { headers: { authorization: `Bearer ${key}` } }), undefined)
  return { clock, rows, keys, who }
}

describe('keyStore', () => {
  it('issues a key that lets its caller in, with what it was issued for', async () => {
    const { keys, who, clock } = setUp()
    const spec: KeySpec = {
      name: 'search',
      models: ['gpt-*'],
      tags: { team: 'search' },
      limits: [requests(5).per('minute').by('tag:team')],
      expiresAt: new Date(clock.now + 60_000),
    }
    const { key, stored } = await keys.issue(spec)
    expect(isIssuedKey(key)).toBe(true)
    expect(key.split('_')[1]).toBe(stored.id)
    expect(stored).toMatchObject({ name: 'search', disabled: false, expiresAt: clock.now + 60_000 })
    expect(await who(key)).toEqual({
      id: stored.id,
      source: 'api_keys',
      models: ['gpt-*'],
      tags: { team: 'search' },
      limits: [{ ...minute, scopes: ['tag:team'] }],
    })
    clock.now += 60_000
    expect(await who(key)).toBeUndefined()
  })

  it('keeps nothing from which the key can be read', async () => {
    const { keys, who } = setUp()
    const { key, stored } = await keys.issue({ name: 'a' })
    await who(key)
    const secret = key.slice(-49)
    for (const shown of [stored, await keys.get(stored.id), await keys.list()]) {
      expect(JSON.stringify(shown)).not.toContain(secret.slice(0, 8))
    }
    expect((await keys.get(stored.id))?.secrets[0]?.digest).toBe(hashApiKey(key))
  })

  it('keeps limits as plain data', async () => {
    const { keys } = setUp()
    const { stored } = await keys.issue({ name: 'a', limits: [requests(5).per('minute')] })
    expect(JSON.parse(JSON.stringify(stored.limits))).toEqual([minute])
    expect(Object.getOwnPropertyNames(stored.limits?.[0])).toEqual(['kind', 'limit', 'per'])
  })

  it('reads a rule that an older version stored with shadow as a dry run, and nothing else as one', async () => {
    const { keys, rows, who } = setUp()
    const { key, stored } = await keys.issue({ name: 'a' })
    const old = { ...minute, shadow: true }
    const limits = [minute, old, { ...minute, limit: 6, shadow: false }]
    await rows.update(stored.id, { limits })
    const read = [minute, { ...minute, mode: 'dryRun' }, { ...minute, limit: 6 }]
    expect((await who(key))?.limits).toEqual(read)
    expect((await keys.get(stored.id))?.limits).toEqual(read)
    expect((await keys.list())[0]?.limits).toEqual(read)
    expect((await keys.update(stored.id, { name: 'b' })).limits).toEqual(read)
    expect((await keys.rotate(stored.id)).stored.limits).toEqual(read)
  })

  it.each([
    ['a shadow that is no boolean', [{ ...minute, shadow: 'yes' }]],
    ['a rule that is no object', [null]],
    ['limits that are no list', { shadow: true }],
  ])('refuses a key with %s', async (_, limits) => {
    const { keys, rows, who } = setUp()
    const { key, stored } = await keys.issue({ name: 'a' })
    await rows.update(stored.id, { limits: limits as unknown as readonly LimitRuleData[] })
    await expect(who(key)).rejects.toThrow('apiKeys(): the record of a key')
  })

  it('keeps digests under the newest pepper, and finds those under older ones', async () => {
    const old = setUp({ pepper: { v1: 'one' } })
    const { key, stored } = await old.keys.issue({ name: 'a' })
    expect(stored.secrets[0]?.digest).toBe(`v1:${createHmac('sha256', 'one').update(key).digest('hex')}`)
    const keys = keyStore(old.rows, { pepper: { v2: 'two', v1: 'one' }, now: () => old.clock.now })
    const pass = apiKeys(keys)
    const asking = new Request('http://a/', { headers: { authorization: `Bearer ${key}` } })
    expect((await pass(asking, undefined))?.id).toBe(stored.id)
    const { stored: rotated } = await keys.rotate(stored.id)
    expect(rotated.secrets[0]?.digest).toMatch(/^v2:/)
    expect(() => apiKeys(keys, { pepper: { v1: 'one' } })).toThrow(/has its own pepper/)
  })

  it('lists keys, newest first, and gets one', async () => {
    const { keys } = setUp()
    const first = await keys.issue({ name: 'first' })
    const second = await keys.issue({ name: 'second' })
    expect((await keys.list()).map(({ name }) => name)).toEqual(['second', 'first'])
    expect((await keys.get(second.stored.id))?.name).toBe('second')
    expect([await keys.get('nobody'), await keys.get(''), await keys.get(first.key)]).toEqual([
      undefined,
      undefined,
      undefined,
    ])
  })

  it('changes what is given, and takes restrictions away by null', async () => {
    const { keys, who, clock } = setUp()
    const { key, stored } = await keys.issue({ name: 'a', models: ['m'], tags: { team: 'x' } })
    expect(await who(key)).toEqual({
      id: stored.id,
      source: 'api_keys',
      models: ['m'],
      tags: { team: 'x' },
    })
    const changed = await keys.update(stored.id, { name: 'b', models: null, limits: [minute] })
    expect(changed).toMatchObject({ name: 'b', models: null, tags: { team: 'x' }, limits: [minute] })
    clock.now += 5_000
    expect(await who(key)).toEqual({
      id: stored.id,
      source: 'api_keys',
      tags: { team: 'x' },
      limits: [minute],
    })
    await keys.update(stored.id, { disabled: true })
    clock.now += 5_000
    expect(await who(key)).toBeUndefined()
    await keys.update(stored.id, { disabled: false })
    clock.now += 5_000
    expect((await who(key))?.id).toBe(stored.id)
    expect(await keys.update(stored.id, {})).toMatchObject({ name: 'b' })
  })

  it('does not undo what another one changes at the same time', async () => {
    const { keys, rows } = setUp()
    const { stored } = await keys.issue({ name: 'a' })
    const update = rows.update
    rows.update = async (id, changes) => {
      rows.update = update
      await keys.update(stored.id, { disabled: true })
      return update(id, changes)
    }
    expect(await keys.update(stored.id, { name: 'b' })).toMatchObject({ name: 'b', disabled: true })
  })

  it('rotates: the same id, a new secret, and the old one for as long as was said', async () => {
    const { keys, who, clock } = setUp()
    const { key: first, stored } = await keys.issue({ name: 'a' })
    const { key: second } = await keys.rotate(stored.id, { overlapMs: 3_000 })
    expect(second.split('_')[1]).toBe(stored.id)
    expect([(await who(first))?.id, (await who(second))?.id]).toEqual([stored.id, stored.id])
    clock.now += 2_999
    expect((await who(first))?.id).toBe(stored.id)
    clock.now += 1
    // On time, although it is remembered.
    expect([await who(first), (await who(second))?.id]).toEqual([undefined, stored.id])
    const { key: third, stored: last } = await keys.rotate(stored.id)
    clock.now += 5_000
    expect([await who(second), (await who(third))?.id]).toEqual([undefined, stored.id])
    expect(last.secrets).toHaveLength(2)
  })

  it('deletes: the key is known no more, with all its secrets', async () => {
    const { keys, who, clock } = setUp()
    const { key: first, stored } = await keys.issue({ name: 'a' })
    const { key: second } = await keys.rotate(stored.id, { overlapMs: 60_000 })
    const other = await keys.issue({ name: 'b' })
    expect((await who(first))?.id).toBe(stored.id)
    expect([await keys.delete(stored.id), await keys.delete(stored.id)]).toEqual([true, false])
    expect([await keys.delete(''), await keys.delete(undefined as never), await keys.delete(second)]).toEqual(
      [false, false, false],
    )
    expect(await keys.list()).toEqual([other.stored])
    // It was remembered.
    clock.now += 5_000
    expect([await who(first), await who(second)]).toEqual([undefined, undefined])
    expect((await who(other.key))?.id).toBe(other.stored.id)
  })

  it('does not give an overlapping secret more time than the key has', async () => {
    const { keys, who, clock } = setUp()
    const { key, stored } = await keys.issue({ name: 'a', expiresAt: clock.now + 1_000 })
    await keys.rotate(stored.id, { overlapMs: 60_000 })
    expect((await who(key))?.id).toBe(stored.id)
    clock.now += 1_000
    expect(await who(key)).toBeUndefined()
  })

  it('finds nothing by a digest that its tables mistook for another', async () => {
    const { keys, rows } = setUp()
    const { key } = await keys.issue({ name: 'a' })
    const find = rows.findByDigest.bind(rows)
    rows.findByDigest = (digest, now) => find(digest.toLowerCase(), now)
    expect(await keys.find(hashApiKey(key).toUpperCase())).toBeUndefined()
    expect(await keys.find(hashApiKey(key))).toBeDefined()
  })

  it('N14 asks no store for what cannot be one of its keys', async () => {
    const { keys, rows, who } = setUp()
    const { key } = await keys.issue({ name: 'a' })
    const foreign = (await keyStore(rowsInMemory(), { prefix: 'other' }).issue({ name: 'b' })).key
    for (const text of [key.slice(1), `${key}0`, key.replace(/.$/, last => (last === 'a' ? 'b' : 'a'))]) {
      expect(await who(text)).toBeUndefined()
      expect(keys.digests(text)).toEqual([])
    }
    expect([await who(foreign), await who('sk-one'), rows.asked]).toEqual([undefined, undefined, 0])
    // Of another store of the same name: its form is sound, so it is asked for once.
    const stranger = (await keyStore(rowsInMemory()).issue({ name: 'c' })).key
    for (let i = 0; i < 3; i++) expect(await who(stranger)).toBeUndefined()
    expect(rows.asked).toBe(1)
  })

  it('takes a format beside its own', async () => {
    const { keys } = setUp()
    const { key } = await keys.issue({ name: 'a' })
    const asking = new Request('http://a/', { headers: { authorization: `Bearer ${key}` } })
    expect(await apiKeys(keys, { format: /^other/ })(asking, undefined)).toBeUndefined()
    expect(await apiKeys(keys, { format: /^sluice/ })(asking, undefined)).toBeDefined()
  })

  const scoped = { ...minute, scopes: [() => 'x'] }
  it.each<[string, unknown, RegExp]>([
    ['no object', 'search', /expected an object with name/],
    ['no name', {}, /needs a name/],
    ['an empty name', { name: ' ' }, /key: name: got a string, expected/],
    ['a name of two lines', { name: 'a\nb' }, /key: name: got/],
    [
      'an unknown field',
      { name: 'a', model: ['m'] },
      /model: got a list, expected no such option. Did you mean 'models'/,
    ],
    ['disabled', { name: 'a', disabled: true }, /disabled: got true, expected no such option/],
    ['models that are no list', { name: 'a', models: '*' }, /models: got a string, expected a list/],
    ['an empty model', { name: 'a', models: [''] }, /key: models: got a list/],
    ['NUL', { name: 'a', models: ['a\0'] }, /key: models: got a list/],
    ['tags that are no object', { name: 'a', tags: ['x'] }, /tags: got a list, expected an object/],
    ['tags in a Map', { name: 'a', tags: new Map([['team', 'x']]) }, /key: tags: got an object/],
    ['tags that are no texts', { name: 'a', tags: { team: 7 } }, /key: tags: got an object/],
    ['limits that are no list', { name: 'a', limits: minute }, /limits: got an object, expected a list/],
    ['no rule', { name: 'a', limits: [{ kind: 'requests', limit: -1 }] }, /limits\[0\]\.limit: got -1/],
    [
      'a misspelt scope',
      { name: 'a', limits: [{ ...minute, scope: ['key'] }] },
      /limits\[0\]\.scope: got a list, expected no such option/,
    ],
    ['a scope that is a function', { name: 'a', limits: [scoped] }, /a function cannot be stored/],
    [
      'a date as text',
      { name: 'a', expiresAt: '2030-01-01' },
      /expiresAt: got a string, expected whole milliseconds/,
    ],
    ['no date', { name: 'a', expiresAt: new Date(Number.NaN) }, /expiresAt/],
    ['no end of time', { name: 'a', expiresAt: Number.POSITIVE_INFINITY }, /expiresAt/],
    ['half a millisecond', { name: 'a', expiresAt: 0.5 }, /expiresAt/],
  ])('issues and changes nothing for %s', async (what, given, message) => {
    const { keys } = setUp()
    const { stored } = await keys.issue({ name: 'before' })
    await expect(keys.issue(given as KeySpec)).rejects.toThrow(message)
    await expect(keys.issue(given as KeySpec)).rejects.toThrow(TypeError)
    if (what !== 'no name' && what !== 'disabled') {
      await expect(keys.update(stored.id, given as KeyChanges)).rejects.toThrow(TypeError)
    }
    expect(await keys.list()).toEqual([stored])
  })

  it('says of an unknown key that there is none, and never which', async () => {
    const { keys } = setUp()
    const { key } = await keys.issue({ name: 'a' })
    const attempts = [
      keys.update(key, { disabled: true }),
      keys.update(key, {}),
      keys.rotate(key),
      keys.rotate(undefined as never),
      keys.rotate(''),
    ]
    for (const attempt of attempts) await expect(attempt).rejects.toThrow(/^There is no key with this id/)
  })

  it('says no key that was given in a wrong place', async () => {
    const { keys } = setUp()
    const { key, stored } = await keys.issue({ name: 'a' })
    const wrong = [{ [key]: 1 }, { expiresAt: key }, { models: key }, { tags: key }, { limits: [key] }]
    for (const given of wrong) {
      await expect(keys.update(stored.id, given as never)).rejects.toThrow(/^((?!sluice_).)*$/)
    }
  })

  it.each([-1, Number.NaN, Number.POSITIVE_INFINITY, '5', null])(
    'rotates with no overlap of %s',
    async overlapMs => {
      const { keys, who } = setUp()
      const { key, stored } = await keys.issue({ name: 'a' })
      await expect(keys.rotate(stored.id, { overlapMs: overlapMs as number })).rejects.toThrow(/overlapMs/)
      expect((await who(key))?.id).toBe(stored.id)
    },
  )

  it('is refused what it cannot work with', () => {
    const rows = rowsInMemory()
    expect(() => keyStore(undefined as never)).toThrow(/expected one with the function insert/)
    expect(() => keyStore({ ...rows, addSecret: undefined } as never)).toThrow(/with the function addSecret/)
    expect(() => keyStore({ ...rows, delete: undefined } as never)).toThrow(/with the function delete/)
    expect(() => keyStore(rows, { prefix: 'My' })).toThrow(/prefix: expected/)
    expect(() => keyStore(rows, { pepper: {} })).toThrow(/pepper: expected/)
  })
})

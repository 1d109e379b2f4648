import { apiKeys } from '@sluice/core'
import { keyStore } from '@sluice/core/keys'
import { keyStoreConformance } from '@sluice/testing/conformance'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Connection } from './connection.ts'
import { sqliteKeyRepository } from './key-repository.ts'
import { migrate } from './migrate.ts'
import { otherConnection } from './other-connection.ts'
import { temporaryFile } from './temporary-file.ts'

async function inFile(): Promise<string> {
  const { url, remove } = await temporaryFile()
  onTestFinished(remove)
  return url
}

async function opened(url: string): Promise<Connection> {
  const connection = await Connection.open(url)
  onTestFinished(() => connection.close())
  await connection.useWriteAheadLog()
  await migrate(connection)
  return connection
}

const places = { 'a file': inFile, memory: async () => ':memory:' }

for (const [name, place] of Object.entries(places)) {
  describe(`sqliteKeyRepository in ${name}`, () => {
    it.each(keyStoreConformance)('$name', ({ run }) =>
      run(async () => sqliteKeyRepository(await opened(await place()))),
    )
  })
}

describe('sqliteKeyRepository', () => {
  it('keeps no digest of a deleted key, whatever the connection does with references', async () => {
    const connection = await opened(await inFile())
    await connection.read('PRAGMA foreign_keys = OFF')
    const keys = keyStore(sqliteKeyRepository(connection))
    const { stored } = await keys.issue({ name: 'a' })
    await keys.rotate(stored.id, { overlapMs: 60_000 })
    expect(await keys.delete(stored.id)).toBe(true)
    expect(await connection.read('SELECT digest FROM sluice_key_secret')).toEqual([])
  })

  it('finds a key also where its use cannot be noted', async () => {
    const url = await inFile()
    const rows = sqliteKeyRepository(await opened(url))
    await rows.insert({
      id: 'ann',
      name: 'Ann',
      models: null,
      tags: null,
      limits: null,
      disabled: false,
      createdAt: 0,
      expiresAt: null,
      lastUsedAt: null,
      secrets: [{ digest: 'd', createdAt: 0, expiresAt: null }],
    })
    const other = await otherConnection(url)
    onTestFinished(() => other.close())
    const release = await other.hold()
    const started = performance.now()
    expect((await rows.findByDigest('d', 1_000))?.id).toBe('ann')
    expect(performance.now() - started).toBeLessThan(1_000)
    expect((await rows.get('ann'))?.lastUsedAt).toBeNull()
    await release()
    await rows.findByDigest('d', 1_000)
    expect((await rows.get('ann'))?.lastUsedAt).toBe(1_000)
  })

  it('lists 20,000 keys, newest first, and others have their turn meanwhile', async () => {
    const connection = await opened(':memory:')
    const rows = sqliteKeyRepository(connection)
    await connection.write([
      `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
INSERT INTO sluice_key (id, name, disabled, created_at) SELECT 'k' || i, 'many', 0, i / 3 FROM n`,
      "INSERT INTO sluice_key_secret (digest, key_id, created_at) SELECT 'd' || id, id, 1 FROM sluice_key",
      "INSERT INTO sluice_key_secret (digest, key_id, created_at) SELECT 'e' || id, id, 2 FROM sluice_key",
      "UPDATE sluice_key SET created_at = 9999 WHERE id = 'k7'",
    ])
    let turns = 0
    let listing = true
    const turn = () => {
      turns++
      if (listing) setImmediate(turn)
    }
    setImmediate(turn)
    const listed = await rows.list()
    listing = false
    expect(turns).toBeGreaterThan(30)
    const newestFirst = Array.from({ length: 20_000 }, (_, index) => `k${20_000 - index}`)
    expect(listed.map(({ id }) => id)).toEqual(['k7', ...newestFirst.filter(id => id !== 'k7')])
    expect(
      listed.every(({ id, secrets }) => secrets.map(each => each.digest).join() === `e${id},d${id}`),
    ).toBe(true)
  })

  it.each([
    ['disabled = 2', { disabled: true }],
    ['disabled = -1', { disabled: true }],
    ["models = 'small'", 'models: got'],
    ["models = ''", 'models: got'],
    ["tags = 'team=a'", 'tags: got'],
    ["limits = '10 per minute'", 'limits: got'],
  ])('does not let in a key of which somebody has written %s, and fails for no other', async (set, says) => {
    const connection = await opened(':memory:')
    const keys = keyStore(sqliteKeyRepository(connection))
    const { key, stored } = await keys.issue({ name: 'a' })
    const { key: other } = await keys.issue({ name: 'b' })
    await connection.write([{ sql: `UPDATE sluice_key SET ${set} WHERE id = ?`, args: [stored.id] }])
    const observed: unknown[] = []
    const authenticate = apiKeys(keys, { observe: event => void observed.push(event) })
    const ask = async (token: string) =>
      authenticate(new Request('http://a', { headers: { authorization: `Bearer ${token}` } }), undefined)
    for (let times = 0; times < 6; times++) {
      if (typeof says === 'string') await expect(ask(key)).rejects.toThrow(says)
      else expect(await ask(key)).toBeUndefined()
    }
    expect(await ask(other)).toBeDefined()
    expect(observed).toEqual([])
    const listed = (await keys.list()).find(({ id }) => id === stored.id)
    expect(listed).toMatchObject(typeof says === 'string' ? { id: stored.id } : says)
  })
})

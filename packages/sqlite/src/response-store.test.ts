import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { setTimeout as sleep } from 'node:timers/promises'
import type { ResponseStoreOptions } from '@sluice/core/store'
import { responseStoreConformance } from '@sluice/testing/conformance'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Connection } from './connection.ts'
import { migrate } from './migrate.ts'
import { migrations } from './migrations.ts'
import { openSqlite } from './open-sqlite.ts'
import { sqliteResponseStore } from './response-store.ts'
import { temporaryFile } from './temporary-file.ts'

async function opened(url = ':memory:', options: ResponseStoreOptions = {}) {
  const database = await openSqlite({ url })
  onTestFinished(() => database.close())
  return { database, store: sqliteResponseStore(database, options) }
}

/** A file, and a connection that reads its tables. */
async function file() {
  const { url, remove } = await temporaryFile()
  onTestFinished(remove)
  const first = await openSqlite({ url })
  await first.close()
  const connection = await Connection.open(url)
  onTestFinished(() => connection.close())
  const count = async (table: string) => (await connection.read(`SELECT count(*) AS n FROM ${table}`))[0]?.n
  return { url, connection, count }
}

const responseOf = (owner: string, id: string, text: string) => ({ owner, id, itemIds: [`msg_${id}`], text })

describe('a response store in SQLite', () => {
  for (const { name, run } of responseStoreConformance) {
    it(name, () =>
      run(async ({ ttlMs, maxResponses }) => {
        const { store } = await opened(':memory:', { ttlMs, maxResponsesPerOwner: maxResponses })
        return store
      }),
    )
  }

  it('is in a file of the version before, and there after a restart', async () => {
    const { url, remove } = await temporaryFile()
    onTestFinished(remove)
    const before = await Connection.open(url)
    await migrate(before, migrations.slice(0, 5))
    before.close()
    const first = await opened(url)
    await first.store.put(responseOf('ann', 'a', 'text'))
    await first.database.close()
    await expect(async () => first.store.get('ann', 'a')).rejects.toThrow('The database is closed.')
    const { store } = await opened(url)
    expect(await store.get('ann', 'a')).toBe('text')
    expect(await store.findItem('ann', 'msg_a')).toBe('text')
  })

  it('bounds the bytes of a principal, and leaves nothing of what it evicts', async () => {
    const { url, count } = await file()
    const { store } = await opened(url, { maxBytesPerOwner: 1_000 })
    await store.put(responseOf('bob', 'a', 'x'.repeat(900)))
    for (let at = 0; at < 20; at++) await store.put(responseOf('ann', `${at}`, 'é'.repeat(100)))
    expect(await store.get('ann', '14')).toBeUndefined()
    expect(await store.get('ann', '15')).toBe('é'.repeat(100))
    expect(await store.get('bob', 'a')).toBe('x'.repeat(900))
    expect([await count('sluice_response'), await count('sluice_response_item')]).toEqual([6, 6])
    expect(await store.put(responseOf('ann', 'large', 'x'.repeat(1_001)))).toBe(false)
    expect(await store.get('ann', 'large')).toBeUndefined()
    expect(await count('sluice_response')).toBe(6)
    await store.put(responseOf('ann', 'full', 'x'.repeat(1_000)))
    expect(await count('sluice_response_item')).toBe(2)
  })

  it('evicts many small ones for a large one', async () => {
    const { store } = await opened(':memory:', { maxBytesPerOwner: 1_000 })
    await Promise.all(Array.from({ length: 450 }, (_, at) => store.put(responseOf('ann', `${at}`, 'xx'))))
    await store.put(responseOf('ann', 'large', 'x'.repeat(990)))
    expect(await store.get('ann', 'large')).toHaveLength(990)
    expect(await store.deleteOwner!('ann')).toBe(6)
  })

  it('deletes what has expired, and renews no more often than it must', async () => {
    const { url, connection, count } = await file()
    const brief = await opened(url, { ttlMs: 1 })
    await brief.store.put(responseOf('ann', 'a', 'old'))
    const { store } = await opened(url, { ttlMs: 60_000 })
    await store.put(responseOf('ann', 'b', 'new'))
    await sleep(5)
    expect(await store.get('ann', 'a')).toBeUndefined()
    const third = await opened(url)
    await expect.poll(() => count('sluice_response_item')).toBe(1)
    expect(await third.store.get('ann', 'b')).toBe('new')
    const expiry = async () =>
      Number((await connection.read('SELECT expires_at FROM sluice_response'))[0]?.expires_at)
    const month = await expiry()
    expect(month - Date.now()).toBeGreaterThan(2_500_000_000)
    await sleep(5)
    await third.store.findItem('ann', 'msg_b')
    expect(await expiry()).toBe(month)
  })

  it('is shared by processes, of which none loses what another stores', async () => {
    const { url, count } = await file()
    const program = `
import { openSqlite, sqliteResponseStore } from ${JSON.stringify(new URL('./index.ts', import.meta.url).href)}
const [url, name] = process.argv.slice(1)
const store = sqliteResponseStore(await openSqlite({ url }), { maxResponsesPerOwner: 40 })
for (let at = 0; at < 30; at++) {
  await store.put({ owner: name, id: 'r' + at, itemIds: ['m' + at], text: name + at })
  await store.put({ owner: 'shared', id: name + at, itemIds: [name + 'm' + at], text: 'x' })
  if ((await store.get(name, 'r' + at)) !== name + at) process.exit(1)
}
process.exit(0)`
    const loader = createRequire(import.meta.url).resolve('tsx')
    const flags = ['--import', loader, '--conditions=@sluice/source', '--input-type=module', '-e', program]
    const ended = ['one', 'two'].map(async name => {
      const child = spawn(process.execPath, [...flags, url, name], { stdio: ['ignore', 'ignore', 'inherit'] })
      onTestFinished(() => void child.kill('SIGKILL'))
      return (await once(child, 'exit'))[0]
    })
    expect(await Promise.all(ended)).toEqual([0, 0])
    const { store } = await opened(url)
    for (const name of ['one', 'two']) expect(await store.findItem(name, 'm0')).toBe(`${name}0`)
    expect([await count('sluice_response'), await count('sluice_response_item')]).toEqual([100, 100])
    expect(await store.deleteOwner!('shared')).toBe(40)
  })

  it('refuses what is no database of SQLite, and invalid options', async () => {
    const { database } = await opened()
    expect(() => sqliteResponseStore({ ...database })).toThrow(/sqliteResponseStore\(\): .*openSqlite/s)
    for (const options of [
      { ttlMs: 0 },
      { maxResponsesPerOwner: 1.5 },
      { maxBytesPerOwner: '1' },
      { ttl: 1 },
    ])
      expect(() => sqliteResponseStore(database, options as object)).toThrow(/sqliteResponseStore\(\)/)
  })
})

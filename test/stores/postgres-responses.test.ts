import type { ResponseStore } from '@sluice/core'
import { openPostgres, postgresResponseStore } from '@sluice/postgres'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { describeWithPostgres } from './servers/describe-with-postgres.ts'
import { PostgresServer } from './servers/postgres-server.ts'

const responseOf = (owner: string, id: string, text: string) => ({ owner, id, itemIds: [`msg_${id}`], text })

describeWithPostgres('responses in PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server.dispose())

  async function opened(options: object = {}, name?: string) {
    const pool = server.pool(name ?? (await server.database()))
    const database = await openPostgres(pool, { migrate: true })
    onTestFinished(() => database.close())
    const count = async (table: string) =>
      Number((await pool.query(`select count(*) as n from sluice.${table}`)).rows[0].n)
    return { pool, database, store: postgresResponseStore(database, options), count }
  }

  it('need tables that the version before has not', async () => {
    const { pool, database, count } = await opened()
    await database.close()
    await pool.query(
      'drop table sluice.response_items, sluice.responses, sluice.request_log_tags, sluice.request_log, sluice.bodies, sluice.alerts',
    )
    await pool.query('alter table sluice.requests drop column hooks')
    await pool.query('delete from sluice.migrations where version >= 7')
    await expect(openPostgres(pool)).rejects.toMatchObject({ unmigrated: true })
    const migrated = await openPostgres(pool, { migrate: true })
    onTestFinished(() => migrated.close())
    await postgresResponseStore(migrated).put(responseOf('ann', 'a', 'text'))
    expect(await count('response_items')).toBe(1)
  })

  it('are bounded in bytes per principal, and leave nothing where they are evicted', async () => {
    const { store, count } = await opened({ maxBytesPerOwner: 1_000 })
    await store.put(responseOf('bob', 'a', 'x'.repeat(900)))
    for (let at = 0; at < 20; at++) await store.put(responseOf('ann', `${at}`, 'é'.repeat(100)))
    expect(await store.get('ann', '14')).toBeUndefined()
    expect(await store.get('ann', '15')).toBe('é'.repeat(100))
    expect(await store.get('bob', 'a')).toBe('x'.repeat(900))
    expect([await count('responses'), await count('response_items')]).toEqual([6, 6])
    await store.put(responseOf('ann', 'large', 'x'.repeat(1_001)))
    expect(await store.get('ann', 'large')).toBeUndefined()
    await store.put(responseOf('ann', 'full', 'x'.repeat(1_000)))
    expect(await count('response_items')).toBe(2)
  })

  it('are stored by many connections at once, and bounded by the next', async () => {
    const name = await server.database()
    const stores: ResponseStore[] = []
    for (let at = 0; at < 3; at++) stores.push((await opened({ maxResponsesPerOwner: 20 }, name)).store)
    const ids = Array.from({ length: 120 }, (_, at) => `r${at}`)
    await Promise.all(ids.map((id, at) => stores[at % 3]!.put(responseOf('ann', id, id))))
    await Promise.all(stores.map(store => store.put(responseOf('ann', 'same', 'same'))))
    const { store, count } = await opened({ maxResponsesPerOwner: 20 }, name)
    await store.put(responseOf('ann', 'last', 'last'))
    expect([await count('responses'), await count('response_items')]).toEqual([20, 20])
    expect(await store.findItem('ann', 'msg_same')).toBe('same')
  })

  it('are deleted once they have expired, and renewed no more often than they must', async () => {
    const name = await server.database()
    const brief = await opened({ ttlMs: 1 }, name)
    await brief.store.put(responseOf('ann', 'a', 'old'))
    await opened({ ttlMs: 60_000 }, name).then(({ store }) => store.put(responseOf('ann', 'b', 'new')))
    expect(await brief.store.get('ann', 'a')).toBeUndefined()
    const { store, pool, count } = await opened({}, name)
    await expect.poll(() => count('response_items')).toBe(1)
    const expiry = async () => (await pool.query('select expires_at, xmin from sluice.responses')).rows[0]
    expect(await store.get('ann', 'b')).toBe('new')
    const month = await expiry()
    expect(month.expires_at - Date.now()).toBeGreaterThan(2_500_000_000)
    await store.findItem('ann', 'msg_b')
    expect(await expiry()).toEqual(month)
  })

  it('are read where nothing can be written', async () => {
    const { store, pool, database } = await opened({ ttlMs: 60_000 })
    await store.put(responseOf('ann', 'a', 'text'))
    const readOnly = await openPostgres({
      query: async (text, params) => {
        const client = await pool.connect()
        try {
          await client.query('set default_transaction_read_only = on')
          return await client.query(text, params)
        } finally {
          await client.query('set default_transaction_read_only = off')
          client.release()
        }
      },
    })
    onTestFinished(() => readOnly.close())
    const reader = postgresResponseStore(readOnly)
    expect(await reader.get('ann', 'a')).toBe('text')
    expect(await reader.findItem('ann', 'msg_a')).toBe('text')
    await expect(async () => reader.put(responseOf('ann', 'b', 'text'))).rejects.toMatchObject({
      code: '25006',
    })
    expect(() => postgresResponseStore({ ...database })).toThrow(/postgresResponseStore\(\): .*openPostgres/s)
  })
})

import { apiKeys, createGateway, firstOf, idempotency, models, responseCache } from '@sluice/core'
import { deletePrincipal } from '@sluice/core/keys'
import { type CacheStore, type Database, memoryCacheStore } from '@sluice/core/store'
import { openPostgres } from '@sluice/postgres'
import { local } from '@sluice/providers'
import { redisCacheStore } from '@sluice/redis'
import { openSqlite } from '@sluice/sqlite'
import { afterEach, describe, expect, it } from 'vitest'
import { impatientClients } from './impatient-clients.ts'
import { describeWithPostgres } from './servers/describe-with-postgres.ts'
import { describeWithRedis } from './servers/describe-with-redis.ts'
import { PostgresServer } from './servers/postgres-server.ts'
import { RedisServer, until } from './servers/redis-server.ts'

const open: { close(): unknown }[] = []
afterEach(async () => {
  for (const { close } of open.splice(0).reverse()) await close()
})

/** A gateway over a database and a cache, with an issued key and with somebody else of the same id. */
async function site(database: Database, store: CacheStore) {
  const { key, stored } = await database.keys.issue({ name: 'ann' })
  const bob = await database.keys.issue({ name: 'bob' })
  const cache = responseCache({ ttlMs: 60_000, store })
  const replays = idempotency({ store })
  const gateway = createGateway({
    authenticate: firstOf(
      apiKeys(database.keys, { cacheMs: 1 }),
      apiKeys([{ id: stored.id, key: 'sk-partner' }], { source: 'partners' }),
    ),
    route: models({ demo: local()('demo') }),
    ledger: database.ledger,
    cache,
    idempotency: replays,
  })
  open.push(gateway)
  const ask = async (bearer: string, idempotencyKey?: string) => {
    const response = await gateway.fetch('http://sluice.test/v1/chat/completions', {
      method: 'POST',
      headers: {
        authorization: `Bearer ${bearer}`,
        'content-type': 'application/json',
        ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
      },
      body: JSON.stringify({
        model: 'demo',
        temperature: 0,
        max_tokens: 20,
        messages: [{ role: 'user', content: 'Hello!' }],
      }),
    })
    await response.text()
    const { headers, status } = response
    return { status, cache: headers.get('x-sluice-cache'), replayed: headers.get('idempotency-replayed') }
  }
  const records = async () =>
    (await database.usage({ by: ['key', 'source'] })).map(({ by, requests }) => [by.key, by.source, requests])
  return {
    ask,
    records,
    id: stored.id,
    bearers: { ann: key, bob: bob.key, partner: 'sk-partner' },
    cache,
    replays,
    bob,
  }
}

function scenario(databases: () => Promise<Database>, caches: () => Promise<CacheStore>): void {
  it('deletes the key, the records, the cached responses and the idempotency keys of one principal only', async () => {
    const database = await databases()
    const { ask, records, id, bearers, cache, replays, bob } = await site(database, await caches())
    for (const bearer of Object.values(bearers)) {
      await ask(bearer)
      await until(async () => (await ask(bearer)).cache === 'hit')
      await ask(bearer, 'k')
      await until(async () => (await ask(bearer, 'k')).replayed === 'true')
    }
    await database.ledger.flush?.()
    const before = await records()
    expect(before.map(([key, source]) => [key, source]).sort()).toEqual(
      [
        [bob.stored.id, 'api_keys'],
        [id, 'api_keys'],
        [id, 'partners'],
      ].sort(),
    )
    const stores = { keys: database.keys, ledger: database.ledger, cache, idempotency: replays }
    const deleted = await deletePrincipal({ id, source: 'api_keys' }, stores)
    expect(deleted).toEqual({
      keys: 1,
      records: before.find(([key, source]) => key === id && source === 'api_keys')?.[2],
      loggedRequests: 0,
      bodies: 0,
      cachedResponses: 1,
      idempotencyKeys: 1,
      responses: 0,
      unreached: [],
    })
    expect(await records()).toEqual(before.filter(([key, source]) => key !== id || source !== 'api_keys'))
    for (const bearer of [bearers.bob, bearers.partner]) {
      expect(await ask(bearer)).toMatchObject({ status: 200, cache: 'hit' })
      expect(await ask(bearer, 'k')).toMatchObject({ status: 200, replayed: 'true' })
    }
    const again = await deletePrincipal({ id, source: 'api_keys' }, stores)
    expect(again).toMatchObject({ keys: 0, records: 0, cachedResponses: 0, idempotencyKeys: 0 })
    await until(async () => (await ask(bearers.ann)).status === 401)
    const partner = await deletePrincipal({ id, source: 'partners' }, stores)
    expect(partner).toMatchObject({ keys: 0, cachedResponses: 1, idempotencyKeys: 1 })
    expect(partner.records).toBeGreaterThan(0)
    expect(await ask(bearers.partner)).toMatchObject({ status: 200, cache: 'miss' })
  })
}

const sqlite = async () => {
  const database = await openSqlite({ url: ':memory:' })
  open.push(database)
  return database
}

describe('deletePrincipal, in SQLite and memory', () => {
  scenario(sqlite, async () => memoryCacheStore())
})

describeWithPostgres('deletePrincipal, in PostgreSQL and memory', () => {
  scenario(
    async () => {
      const server = await PostgresServer.start()
      open.push({ close: () => server.dispose() })
      const database = await openPostgres(server.pool(await server.database()), { migrate: true })
      open.push(database)
      return database
    },
    async () => memoryCacheStore(),
  )
})

describeWithRedis('deletePrincipal, in SQLite and Redis', () => {
  scenario(sqlite, async () => {
    const server = await RedisServer.start()
    open.push({ close: () => server.stop() })
    const impatient = impatientClients.ioredis(server)
    open.push(impatient)
    const answers = redisCacheStore(impatient.client)
    await until(async () => {
      try {
        await answers.get({ owner: 'none', name: 'none' })
        return true
      } catch {
        return false
      }
    })
    return answers
  })
})

import { apiKeys, createGateway, models, type ResponseStore } from '@sluice/core'
import { deletePrincipal } from '@sluice/core/keys'
import { openPostgres, postgresResponseStore } from '@sluice/postgres'
import { local } from '@sluice/providers'
import { redisResponseStore } from '@sluice/redis'
import { openSqlite, sqliteResponseStore } from '@sluice/sqlite'
import { describe, expect, it, onTestFinished } from 'vitest'
import { temporaryFile } from '../../packages/sqlite/src/temporary-file.ts'
import { impatientClients } from './impatient-clients.ts'
import { describeWithPostgres } from './servers/describe-with-postgres.ts'
import { describeWithRedis } from './servers/describe-with-redis.ts'
import { PostgresServer } from './servers/postgres-server.ts'
import { RedisServer, until } from './servers/redis-server.ts'

interface Site {
  /** Opens the same store once more, as another process does. */
  open(): Promise<ResponseStore>
  /** Takes the store away. */
  end(): Promise<unknown>
}

/** A gateway over a store, with two callers. */
function gatewayOver(responses: ResponseStore) {
  const gateway = createGateway({
    authenticate: apiKeys([
      { id: 'ann', key: 'sk-ann' },
      { id: 'bob', key: 'sk-bob' },
    ]),
    route: models({ demo: local()('demo') }),
    responses,
  })
  onTestFinished(() => gateway.close())
  return async (body: object, key = 'sk-ann') => {
    const response = await gateway.fetch('http://sluice.test/v1/responses', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo', input: 'Hello!', ...body }),
    })
    const { id, store, error } = (await response.json()) as {
      id: string
      store: boolean
      error: { code: string } | null
    }
    return { status: response.status, id, store, code: error?.code }
  }
}

function scenario(start: () => Promise<Site>): void {
  it('continues in another process, for the same principal, until that or the store is gone', async () => {
    const { open, end } = await start()
    const [store, other] = [await open(), await open()]
    const [respond, respondElsewhere] = [gatewayOver(store), gatewayOver(other)]
    const first = await respond({})
    expect(first).toMatchObject({ status: 200, store: true })
    const next = { previous_response_id: first.id }
    const second = await respondElsewhere(next)
    expect(second).toMatchObject({ status: 200, store: true })
    expect((await respond({ previous_response_id: second.id })).status).toBe(200)
    expect(await respondElsewhere(next, 'sk-bob')).toMatchObject({
      status: 400,
      code: 'previous_response_not_found',
    })
    const others = await respond({}, 'sk-bob')
    const deleted = await deletePrincipal({ id: 'ann', source: 'api_keys' }, { responses: other })
    expect(deleted).toMatchObject({ responses: 3, unreached: [] })
    expect((await respond(next)).status).toBe(400)
    const continued = { previous_response_id: others.id }
    expect((await respondElsewhere(continued, 'sk-bob')).status).toBe(200)
    await end()
    expect(await respond({})).toMatchObject({ status: 200, store: false })
    expect(await respond(continued, 'sk-bob')).toMatchObject({
      status: 503,
      code: 'response_store_unavailable',
    })
  })
}

describe('stored responses in SQLite', () => {
  scenario(async () => {
    const { url, remove } = await temporaryFile()
    onTestFinished(remove)
    const databases: Awaited<ReturnType<typeof openSqlite>>[] = []
    onTestFinished(async () => void (await Promise.all(databases.map(database => database.close()))))
    return {
      open: async () => {
        databases.push(await openSqlite({ url }))
        return sqliteResponseStore(databases.at(-1)!)
      },
      end: async () => Promise.all(databases.map(database => database.close())),
    }
  })
})

describeWithPostgres('stored responses in PostgreSQL', () => {
  scenario(async () => {
    const server = await PostgresServer.start()
    onTestFinished(() => server.dispose())
    const name = await server.database()
    return {
      open: async () => {
        const database = await openPostgres(server.pool(name), { migrate: true })
        onTestFinished(() => database.close())
        return postgresResponseStore(database)
      },
      end: () => server.stop(),
    }
  })
})

describeWithRedis('stored responses in Redis', () => {
  scenario(async () => {
    const server = await RedisServer.start()
    onTestFinished(() => server.stop())
    return {
      open: async () => {
        const { client, close } = impatientClients.ioredis(server)
        onTestFinished(() => close())
        const store = redisResponseStore(client)
        await until(async () => {
          try {
            await store.get('nobody', 'none')
            return true
          } catch {
            return false
          }
        })
        return store
      },
      end: async () => server.stop(),
    }
  })
})

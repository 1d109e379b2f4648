import type { RequestLogRepository, RequestLogSearch } from '@sluice/core/store'
import { openPostgres } from '@sluice/postgres'
import { openSqlite } from '@sluice/sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { inMemoryRequestLog } from '../../packages/log/src/in-memory-request-log.ts'
import { listedFilters, loggedRequests } from './request-log-filters.ts'
import { describeWithPostgres } from './servers/describe-with-postgres.ts'
import { PostgresServer } from './servers/postgres-server.ts'

// The filters that `pnpm bench:log` measures find what they should, over more rows than one step of a search takes.

const memory = inMemoryRequestLog()
const rows = [...loggedRequests(6_000)]

async function fill(repository: RequestLogRepository): Promise<void> {
  for (let at = 0; at < rows.length; at += 1_000) await repository.insert(rows.slice(at, at + 1_000))
}

beforeAll(() => fill(memory))

it('has at least 20 filters', () => {
  expect(listedFilters.length).toBeGreaterThanOrEqual(20)
})

function findsAll(repository: () => RequestLogRepository): void {
  it.each(listedFilters)('$name', async ({ search }) => {
    for (const round of [0, 1, 5]) {
      for (const limit of [1, 50, 7_000]) {
        const open = { from: undefined, to: undefined, where: {}, after: undefined }
        const query: RequestLogSearch = { ...open, limit, ...search(round) }
        const found = await repository().search(query)
        const expected = await memory.search(query)
        expect(found.map(({ id }) => id)).toEqual(expected.map(({ id }) => id))
      }
    }
  })
}

describe('SQLite finds rows by', () => {
  let database: Awaited<ReturnType<typeof openSqlite>>
  beforeAll(async () => {
    database = await openSqlite({ url: ':memory:' })
    await fill(database.requestLog)
  })
  afterAll(() => database.close())
  findsAll(() => database.requestLog)
})

describeWithPostgres('PostgreSQL finds rows by', () => {
  let server: PostgresServer
  let database: Awaited<ReturnType<typeof openPostgres>>
  beforeAll(async () => {
    server = await PostgresServer.start()
    database = await openPostgres(server.pool(), { migrate: true })
    await fill(database.requestLog)
  })
  afterAll(async () => {
    await database.close()
    await server.dispose()
  })
  findsAll(() => database.requestLog)
})

import { openPostgres, postgresResponseStore } from '@sluice/postgres'
import {
  alertStoreConformance,
  bodyLogConformance,
  keyStoreConformance,
  ledgerConformance,
  requestLogConformance,
  responseStoreConformance,
} from '@sluice/testing/conformance'
import type pg from 'pg'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { postgresAlertStore } from '../../packages/postgres/src/alert-store.ts'
import { postgresBodyLogRepository } from '../../packages/postgres/src/body-log-repository.ts'
import { postgresKeyRepository } from '../../packages/postgres/src/key-repository.ts'
import { postgresLedgerRepository } from '../../packages/postgres/src/ledger-repository.ts'
import { migrateTables } from '../../packages/postgres/src/migrate.ts'
import { Queries } from '../../packages/postgres/src/queries.ts'
import { postgresRequestLogRepository } from '../../packages/postgres/src/request-log-repository.ts'
import { parseSchema } from '../../packages/postgres/src/schema.ts'
import { describeWithPostgres } from './servers/describe-with-postgres.ts'
import { PostgresServer } from './servers/postgres-server.ts'

describeWithPostgres('PostgreSQL', () => {
  let server: PostgresServer
  let pool: pg.Pool
  let made = 0
  beforeAll(async () => {
    server = await PostgresServer.start()
    pool = server.pool()
  })
  afterAll(() => server.dispose())

  const fresh = async () => {
    const schema = parseSchema(`empty_${++made}`)
    await migrateTables(pool, schema)
    return new Queries(pool, schema)
  }

  describe('keeps a ledger, which', () => {
    it.each(ledgerConformance)('$name', ({ run }) => run(async () => postgresLedgerRepository(await fresh())))
  })

  describe('keeps the request log, which', () => {
    it.each(requestLogConformance)('$name', ({ run }) =>
      run(async () => postgresRequestLogRepository(await fresh())),
    )
  })

  describe('keeps bodies, and', () => {
    it.each(bodyLogConformance)('$name', ({ run }) =>
      run(async () => postgresBodyLogRepository(await fresh())),
    )
  })

  describe('keeps keys, and', () => {
    it.each(keyStoreConformance)('$name', ({ run }) => run(async () => postgresKeyRepository(await fresh())))
  })

  describe('keeps claims of alerts, and', () => {
    it.each(alertStoreConformance)('$name', ({ run }) => run(async () => postgresAlertStore(await fresh())))

    it('deletes what has expired when an alert is added', async () => {
      const queries = await fresh()
      const store = postgresAlertStore(queries)
      const add = (owner: string, ttlMs: number) =>
        store.add({ owner, name: 'alert' }, 'sent', { ttlMs, pinned: true })
      for (let at = 0; at < 10; at++) await add(`${at}`, at % 2 === 0 ? 60_000 : 1)
      await pool.query('select pg_sleep(0.002)')
      await add('last', 60_000)
      const { rows } = await pool.query(`select count(*)::text as n from ${queries.schema.sql}.alerts`)
      expect(rows).toEqual([{ n: '6' }])
    })
  })

  describe('keeps responses, and', () => {
    it.each(responseStoreConformance)('$name', ({ run }) =>
      run(async ({ ttlMs, maxResponses }) => {
        const database = await openPostgres(pool, { migrate: true })
        onTestFinished(() => database.close())
        return postgresResponseStore(database, { ttlMs, maxResponsesPerOwner: maxResponses })
      }),
    )
  })
})

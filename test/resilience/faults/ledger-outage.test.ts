import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { apiKeys, budget, type GatewayEvent, limits, priceTable } from '@sluice/core'
import { fileJournal, openPostgres } from '@sluice/postgres'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import type { Mount } from '../../e2e/mounts/mounts.ts'
import { describeWithPostgres } from '../../stores/servers/describe-with-postgres.ts'
import { PostgresServer } from '../../stores/servers/postgres-server.ts'
import { expectRefusal } from './harness/refused.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

/** Of a request: 9 and 12 tokens. */
const cost = 33e-6

describeWithPostgres('F74 the PostgreSQL of the ledger is away', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.dispose())

  /** Ann has a budget, and Bob has none. Their records are kept in a fresh database, with a journal of this size. */
  async function kept(mount: Mount, maxBytes?: number) {
    const folder = mkdtempSync(join(tmpdir(), 'sluice-journal-'))
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
    const states: string[] = []
    const observe = (event: GatewayEvent) => {
      if (event.type === 'store') states.push(event.state)
    }
    const pool = server.pool(await server.database())
    const database = await openPostgres(pool, {
      migrate: true,
      journal: fileJournal(folder, maxBytes === undefined ? {} : { maxBytes }),
      observe,
    })
    onTestFinished(() => database.close())
    const upstream = await upstreamDuring()
    const service = await startService(mount, {
      models: { m: upstream },
      authenticate: apiKeys([
        { id: 'ann', key: 'key-of-ann', limits: [budget(1, 'usd').per('day')] },
        { id: 'bob', key: 'key-of-bob' },
      ]),
      prices: priceTable({ m: { input: 1, output: 2 } }),
      limits: limits([]),
      ledger: database.ledger,
    })
    const ask = (name: string, fields: object = {}) =>
      service.site.chat({ model: 'm', ...fields }, { key: `key-of-${name}` })
    const journal = () => readdirSync(folder)
    return { ...service, database, upstream, states, ask, journal }
  }

  const eventually = <T>(check: () => T) => vi.waitFor(check, { timeout: 30_000, interval: 25 })

  overServers(mount => {
    it('requests go on, and each is in the database once when it is back', async () => {
      const { database, states, ask, journal, ends } = await kept(mount)
      const asked = { ann: 0, bob: 0 }
      const crowd = async (count: number) => {
        const names: (keyof typeof asked)[] = Array.from({ length: count }, (_, index) =>
          index % 2 === 0 ? 'ann' : 'bob',
        )
        const answers = await Promise.all(names.map((name, index) => ask(name, { stream: index % 3 === 0 })))
        for (const name of names) asked[name]++
        expect(answers.filter(({ status }) => status !== 200)).toEqual([])
      }
      await crowd(20)
      const live = crowd(20)
      await server.stop()
      await live
      await crowd(30)
      expect(journal()).not.toEqual([])
      expect(states).toEqual(['failing'])
      await server.restart()
      await eventually(() => expect(states).toEqual(['failing', 'working']))
      await crowd(10)
      await eventually(() => expect(ends).toHaveLength(asked.ann + asked.bob))
      await database.ledger.flush?.()
      await eventually(() => expect(journal()).toEqual([]))
      await eventually(async () => {
        const rows = await database.usage({ by: ['key'] })
        expect(rows).toMatchObject(
          Object.entries(asked).map(([key, requests]) => ({
            by: { key },
            requests,
            promptTokens: 9 * requests,
            completionTokens: 12 * requests,
            open: 0,
            estimated: 0,
          })),
        )
        for (const row of rows) expect(row.cost).toBeCloseTo(cost * row.requests, 9)
      })
    })

    it('and the journal is full: who spends is refused without a call, and anybody else is answered', async () => {
      const { database, ask, upstream, ends } = await kept(mount, 4_000)
      await server.stop()
      let answered = 0
      let refused = await ask('ann')
      for (; refused.status === 200; refused = await ask('ann')) answered++
      expect(answered).toBeGreaterThan(0)
      const unavailable = { type: 'service_unavailable_error', code: 'ledger_unavailable' }
      for (let index = 0; index < 3; index++) {
        expectRefusal(refused, 503, unavailable)
        expect(Number(refused.headers['retry-after'])).toBeGreaterThan(0)
        refused = await ask('ann')
      }
      const { length } = upstream.requests
      expect(length).toBe(answered)
      for (let index = 0; index < 3; index++) expect((await ask('bob')).status).toBe(200)
      await server.restart()
      await eventually(async () => expect((await ask('ann')).status).toBe(200))
      // Who was refused has a record of it where that could be kept, and is charged nothing. Of Bob's there may be none.
      const told = ends.filter(({ status }) => status === 200).length
      await eventually(async () => {
        const [all] = await database.usage({ by: [] })
        expect(all).toMatchObject({ open: 0, estimated: 0 })
        expect(all?.promptTokens).toBeGreaterThanOrEqual(9 * (answered + 1))
        expect(all?.promptTokens).toBeLessThanOrEqual(9 * told)
      })
    })
  })
})

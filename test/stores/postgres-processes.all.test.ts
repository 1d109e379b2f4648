import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openPostgres } from '@sluice/postgres'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { charge, entry } from '../../packages/testing/src/conformance/ledger/records.ts'
import { startTask } from './programs/postgres-tasks.ts'
import { describeWithPostgres } from './servers/describe-with-postgres.ts'
import { PostgresServer } from './servers/postgres-server.ts'

describeWithPostgres('processes on one PostgreSQL', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server.dispose())

  async function made() {
    const name = await server.database()
    const database = await openPostgres(server.pool(name), { migrate: true })
    onTestFinished(() => database.close())
    return { database, url: server.url(name) }
  }

  it('keep the records of all', async () => {
    const { database, url } = await made()
    const tasks = await Promise.all(
      ['one', 'two'].map(principal => startTask({ what: 'record', url, principal, count: 400 })),
    )
    expect(await Promise.all(tasks.map(({ ended }) => ended))).toEqual([0, 0])
    const found = await database.usage({ by: ['key'] })
    expect(
      found.map(({ by, requests, promptTokens, open }) => [by.key, requests, promptTokens, open]),
    ).toEqual([
      ['one', 400, 4_000, 0],
      ['two', 400, 4_000, 0],
    ])
  })

  it('let no key in five seconds after another one has revoked it', async () => {
    const { database, url } = await made()
    const { key, stored } = await database.keys.issue({ name: 'a' })
    const { told } = await startTask({ what: 'authenticate', url, key })
    await vi.waitFor(() => expect(told).toEqual(['let in']), 40_000)
    await database.keys.update(stored.id, { disabled: true })
    await vi.waitFor(() => expect(told).toEqual(['let in', 'refused']), 5_500)
    await database.keys.update(stored.id, { disabled: false })
    await vi.waitFor(() => expect(told).toEqual(['let in', 'refused', 'let in']), 5_500)
  })

  it('close what one left that was killed, and not what lives', async () => {
    const name = await server.database()
    const options = { migrate: true, heartbeatMs: 100, silentMs: 1_500 }
    const database = await openPostgres(server.pool(name), options)
    onTestFinished(() => database.close())
    const journal = mkdtempSync(join(tmpdir(), 'sluice-journal-'))
    onTestFinished(() => rmSync(journal, { recursive: true }))
    const child = await startTask({ what: 'open', url: server.url(name), principal: 'killed', journal })
    await vi.waitFor(() => expect(child.told.length).toBeGreaterThan(10), 40_000)
    child.process.kill('SIGKILL')
    await child.ended
    await database.ledger.open(entry({ principal: 'alive' }), () => charge(3))
    await vi.waitFor(
      async () => {
        const found = await database.usage({ by: ['key'] })
        expect(found.map(({ by, open, estimated }) => [by.key, open, estimated])).toEqual([
          ['alive', 1, 0],
          ['killed', 0, found[1]?.requests],
        ])
      },
      { timeout: 40_000, interval: 100 },
    )
  })
})

import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { openPostgres } from '@sluice/postgres'
import { startFaultProxy } from '@sluice/testing'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { temporaryFolder } from '../docs/runner/temporary-folder.ts'
import { sluice } from '../e2e/cli/sluice.ts'
import { describeWithPostgres } from './servers/describe-with-postgres.ts'
import { PostgresServer } from './servers/postgres-server.ts'

describeWithPostgres('sluice serve with a PostgreSQL that is 300 ms away', () => {
  let server: PostgresServer
  beforeAll(async () => {
    server = await PostgresServer.start()
  })
  afterAll(() => server?.dispose())

  async function serviceWith(state: object) {
    const name = await server.database()
    const database = await openPostgres(server.pool(name), { migrate: true })
    onTestFinished(() => database.close())
    const { key } = await database.keys.issue({ name: 'ann' })
    const url = new URL(server.url(name))
    const proxy = await startFaultProxy({ target: { port: Number(url.port), host: url.hostname } })
    onTestFinished(() => proxy.close())
    url.port = String(proxy.port)
    const cwd = temporaryFolder()
    const config = {
      server: { port: 0 },
      providers: { local: {} },
      models: { demo: 'local/demo' },
      prices: { demo: { input: 1, output: 1 } },
      limits: [{ kind: 'budget', limit: 1, currency: 'usd', per: 'day' }],
      state: { database: url.href, ...state },
    }
    writeFileSync(join(cwd, 'sluice.json'), JSON.stringify(config))
    const service = sluice(['serve', '--config', 'sluice.json'], { cwd })
    const [base] = await service.until(/http:\/\/127\.0\.0\.1:\d+\/v1/)
    proxy.set({ delay: 150 })
    return async () => {
      const response = await fetch(`${base}/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'hi' }] }),
      })
      const { error } = await response.json()
      return [response.status, error?.code]
    }
  }

  it('cannot look up a new key by default, and can with a longer state.storeTimeoutMs', async () => {
    const byDefault = await serviceWith({})
    const patient = await serviceWith({ storeTimeoutMs: 2_000 })
    expect(await byDefault()).toEqual([503, 'authentication_unavailable'])
    for (let times = 0; times < 4; times++) expect(await patient()).toEqual([200, undefined])
  })
})

import { join } from 'node:path'
import type { RecordedBodies } from '@sluice/core/store'
import { openSqlite } from '@sluice/sqlite'
import { prometheus } from '@sluice/telemetry/prometheus'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { TypedConfig } from '../config/config.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { openBodyLog } from './open-request-log.ts'
import { startService } from './start-service.ts'

const config: TypedConfig = {
  server: { port: 0 },
  providers: { local: {} },
  models: { demo: 'local/demo' },
  keys: [{ id: 'ann', key: 'sk-ann' }],
  telemetry: { log: 'off' },
  state: { database: 'file:./log.db' },
  log: { store: 'database', maxAgeDays: 7, maxRows: 1_000 },
}

async function started(config: TypedConfig, cwd = temporaryFolder()) {
  const logged: string[] = []
  const log = (text: string) => void logged.push(text)
  const context = { env: {}, cwd, print: log, log, terminal: false, colours: false, now: Date.now }
  const service = await startService(config, context)
  onTestFinished(() => service.close())
  const chat = async (key: string) => {
    const response = await fetch(`${service.baseURL}/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'my secret prompt' }] }),
    })
    await response.text()
    return response.status
  }
  return { service, logged, chat }
}

describe('the request log of a service', () => {
  it('has a row for each request, and all of them are written when the service ends', async () => {
    const cwd = temporaryFolder()
    const { service, chat } = await started(config, cwd)
    expect([await chat('sk-ann'), await chat('sk-wrong')]).toEqual([200, 401])
    await service.close()
    const database = await openSqlite({ url: `file:${join(cwd, 'log.db')}` })
    onTestFinished(() => database.close())
    const all = { from: undefined, to: undefined, where: {}, after: undefined, limit: 9 }
    const rows = await database.requestLog.search(all)
    expect(rows.map(({ status, principal, authFailure }) => [status, principal, authFailure])).toEqual([
      [401, null, 'unknown'],
      [200, 'ann', null],
    ])
    expect(JSON.stringify(rows)).not.toContain('secret prompt')
  })

  it('needs a database, and stays as it is until a restart', async () => {
    const { state: _, ...stateless } = config
    await expect(started(stateless)).rejects.toThrow(/log\.store.*state\.database/)
    const { service, logged } = await started(config)
    await service.reload({ ...config, log: false })
    expect(logged).toContainEqual(expect.stringMatching(/^log cannot change while the service runs/))
  })
})

describe('the log of bodies of a service', () => {
  it('reports and counts the requests whose bodies are lost', async () => {
    const metrics = prometheus()
    const logged: string[] = []
    const { bodyLog } = await openedDatabase()
    const key = Buffer.alloc(32, 7).toString('base64')
    const log = openBodyLog(
      { key, retentionDays: 1 },
      { bodyLog },
      {
        log: text => void logged.push(text),
        observe: metrics.observe,
      },
    )
    await log.close()
    const body = {
      requestId: 'req_1',
      at: Date.now(),
      principal: { id: 'ann' },
      path: '/v1/chat/completions',
    }
    log.record({ ...body, model: 'demo', status: 200, request: '{}', response: '{}' } as RecordedBodies)
    await expect
      .poll(() => metrics.registry.metrics())
      .toContain('sluice_log_bodies_lost_total{reason="closed"} 1')
    expect(logged).toEqual(['The log of bodies has lost those of 1 requests (closed), 1 since the start.'])
  })
})

async function openedDatabase() {
  const database = await openSqlite({ url: ':memory:' })
  onTestFinished(() => database.close())
  return database
}

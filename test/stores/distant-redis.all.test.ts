import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFaultProxy } from '@sluice/testing'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../docs/runner/temporary-folder.ts'
import { sluice } from '../e2e/cli/sluice.ts'
import { describeWithRedis } from './servers/describe-with-redis.ts'
import { RedisServer } from './servers/redis-server.ts'

describeWithRedis('sluice serve with a Redis that is 80 ms away', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await RedisServer.start()
  }, 60_000)
  afterAll(() => server?.stop())

  /** Starts a service, and returns the status of requests under a budget. */
  async function serviceWith(state: object): Promise<() => Promise<number>> {
    const proxy = await startFaultProxy({ target: { port: server.port } })
    onTestFinished(() => proxy.close())
    proxy.set({ delay: 40 })
    const cwd = temporaryFolder()
    const config = {
      server: { port: 0 },
      providers: { local: {} },
      models: { demo: 'local/demo' },
      keys: [{ id: 'ann', key: 'sk-ann' }],
      prices: { demo: { input: 1, output: 1 } },
      limits: [{ kind: 'budget', limit: 1, currency: 'usd', per: 'day' }],
      state: { redis: `redis://127.0.0.1:${proxy.port}`, ...state },
    }
    writeFileSync(join(cwd, 'sluice.json'), JSON.stringify(config))
    const service = sluice(['serve', '--config', 'sluice.json'], { cwd })
    const [url] = await service.until(/http:\/\/127\.0\.0\.1:\d+\/v1/)
    return async () => {
      const response = await fetch(`${url}/chat/completions`, {
        method: 'POST',
        headers: { authorization: 'Bearer sk-ann', 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'hi' }] }),
      })
      await response.text()
      return response.status
    }
  }

  it('rejects under a budget by default, and answers with a longer state.storeTimeoutMs', async () => {
    const byDefault = await serviceWith({})
    const patient = await serviceWith({ storeTimeoutMs: 1_000 })
    // It is connected a little after it listens; the other one was started earlier.
    await vi.waitFor(async () => expect(await patient()).toBe(200), { timeout: 10_000, interval: 100 })
    expect(await byDefault()).toBe(503)
    expect([await patient(), await patient()]).toEqual([200, 200])
  }, 60_000)
})

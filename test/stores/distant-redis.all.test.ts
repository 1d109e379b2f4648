import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { startFaultProxy } from '@sluice/testing'
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { temporaryFolder } from '../docs/runner/temporary-folder.ts'
import { sluice } from '../e2e/cli/sluice.ts'
import { describeWithRedis } from './servers/describe-with-redis.ts'
import { RedisServer } from './servers/redis-server.ts'

const longer = { storeTimeoutMs: 2_000 }

describeWithRedis('sluice serve with a Redis that is 80 ms away', () => {
  let server: RedisServer
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server?.stop())

  /** Starts a service over a Redis of its own names. */
  async function serviceWith(state: object, args: readonly string[] = []) {
    const proxy = await startFaultProxy({ target: { port: server.port } })
    onTestFinished(() => proxy.close())
    proxy.set({ delay: 40 })
    const cwd = temporaryFolder()
    const config = {
      server: { port: 0 },
      providers: { local: {} },
      models: { demo: 'local/demo' },
      keys: [
        { id: 'ann', key: 'sk-ann', limits: [{ kind: 'budget', limit: 1, currency: 'usd', per: 'day' }] },
        { id: 'bob', key: 'sk-bob' },
      ],
      prices: { demo: { input: 1, output: 1 } },
      cache: { ttlMs: 600_000 },
      idempotency: true,
      telemetry: { log: 'json' },
      state: { redis: `redis://127.0.0.1:${proxy.port}`, prefix: `far-${proxy.port}`, ...state },
    }
    writeFileSync(join(cwd, 'sluice.json'), JSON.stringify(config))
    const service = sluice(['serve', '--config', 'sluice.json', ...args], { cwd })
    const [url] = await service.until(/http:\/\/127\.0\.0\.1:\d+\/v1/)
    const post = async (path: string, caller: string, body: object, init: RequestInit = {}) => {
      const response = await fetch(`${url}/${path}`, {
        method: 'POST',
        ...init,
        headers: {
          authorization: `Bearer sk-${caller}`,
          'content-type': 'application/json',
          // Each worker has some of the connections.
          connection: 'close',
          ...init.headers,
        },
        body: JSON.stringify({ model: 'demo', ...body }),
      })
      const { status, headers } = response
      return { status, headers, body: JSON.parse(await response.text()) }
    }
    const messages = [{ role: 'user', content: 'Hello' }]
    return {
      service,
      post,
      metrics: async () => (await fetch(url.replace(/v1$/, 'metrics'))).text(),
      cached: async (caller: string) => {
        const { status, headers } = await post('chat/completions', caller, { messages, temperature: 0 })
        return [status, headers.get('x-sluice-cache')]
      },
      keyed: async (caller: string, key: string, init: RequestInit = {}) => {
        const given = { ...init, headers: { 'idempotency-key': key } }
        const { status, headers, body } = await post('chat/completions', caller, { messages }, given)
        return [status, body.error?.code ?? headers.get('idempotency-replayed')]
      },
    }
  }

  it('has no budget, cache or idempotency key by default, and says why in log and metrics', async () => {
    const site = await serviceWith({})
    // It is connected a little after it listens.
    const deadline = { timeout: 10_000, interval: 100 }
    for (let times = 0; times < 6; times++) expect(await site.cached('bob')).toEqual([200, 'miss'])
    expect((await site.cached('ann'))[0]).toBe(503)
    expect(await site.keyed('bob', 'k')).toEqual([503, 'idempotency_unavailable'])
    await vi.waitFor(async () => {
      const metrics = await site.metrics()
      expect(metrics).toContain('sluice_store_failing{store="answers"} 1')
      expect(metrics).toMatch(/sluice_cache_requests_total\{model="demo",result="failed"\} [6-9]/)
    }, deadline)
    await site.service.until(/"store":"answers","state":"failing"/)
  })

  it.each([
    ['one process', []],
    ['workers', ['--workers', '2']],
  ])('has all of them in %s with a longer state.storeTimeoutMs', async (_, args) => {
    const site = await serviceWith(longer, args)
    await vi.waitFor(async () => expect((await site.cached('ann'))[0]).toBe(200), {
      timeout: 10_000,
      interval: 100,
    })
    await expect.poll(() => site.cached('ann')).toEqual([200, 'hit'])
    for (let times = 0; times < 6; times++) expect(await site.cached('ann')).toEqual([200, 'hit'])
    expect(await site.cached('bob')).toEqual([200, 'miss'])

    expect(await site.keyed('ann', 'k')).toEqual([200, null])
    await expect.poll(() => site.keyed('ann', 'k')).toEqual([200, 'true'])
    expect(await site.keyed('bob', 'k')).toEqual([200, null])

    const { body } = await site.post('responses', 'ann', { input: 'Hello' })
    const next = { input: 'And now?', previous_response_id: body.id }
    expect((await site.post('responses', 'ann', next)).status).toBe(200)
    expect((await site.post('responses', 'bob', next)).status).toBe(400)
  })

  it('frees the key of a client that leaves while Redis is asked', async () => {
    const site = await serviceWith(longer)
    await vi.waitFor(async () => expect(await site.keyed('ann', 'first')).toEqual([200, null]), {
      timeout: 10_000,
      interval: 100,
    })
    await expect(site.keyed('ann', 'k', { signal: AbortSignal.timeout(40) })).rejects.toThrow()
    await expect.poll(() => site.keyed('ann', 'k')).toEqual([200, null])
    await expect.poll(() => site.keyed('ann', 'k')).toEqual([200, 'true'])
  })
})

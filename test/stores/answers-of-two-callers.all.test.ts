import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { apiKeys, type CacheStore, idempotency, responseCache } from '@sluice/core'
import { memoryCacheStore } from '@sluice/core/store'
import { openaiCompatible } from '@sluice/providers'
import { redisCacheStore } from '@sluice/redis'
import { completion } from '@sluice/testing'
import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import type { Site } from '../e2e/conformance/site.ts'
import { mountOf } from '../resilience/faults/harness/servers.ts'
import { startService } from '../resilience/faults/harness/service.ts'
import { describeWithRedis } from './servers/describe-with-redis.ts'
import { RedisServer } from './servers/redis-server.ts'

const authenticate = apiKeys(['ann', 'bob'].map(id => ({ id, key: `key-of-${id}` })))

/** An upstream that answers at once, but its model `slow` when it is released. */
async function gatedUpstream() {
  let release = () => {}
  const gate = new Promise<void>(resolve => {
    release = resolve
  })
  let calls = 0
  const server = createServer(async (request, response) => {
    if (request.url?.startsWith('/slow/')) {
      calls++
      await gate
    }
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify(completion({ text: 'for Ann' })))
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  const targetAt = (name: string) =>
    openaiCompatible({ name, baseURL: `http://127.0.0.1:${port}/${name}`, apiKey: 'k' })(name)
  const targets = { slow: targetAt('slow'), quick: targetAt('quick') }
  return { targets, release: () => release(), calls: () => calls }
}

type Got = Awaited<ReturnType<Site['chat']>>

/** Asks again, by another key, where a busy machine keeps the store from answering in its 50 milliseconds. */
async function answered(ask: (attempt: number) => Promise<Got>): Promise<Got> {
  for (let attempt = 0; ; attempt++) {
    const got = await ask(attempt)
    if (got.status !== 503) return got
  }
}

/** One caller has a request in flight and a cached answer while another stores so many answers. */
async function besideAnother(store: CacheStore, answers: number): Promise<void> {
  const upstream = await gatedUpstream()
  const { site, ends } = await startService(mountOf('node http'), {
    models: upstream.targets,
    authenticate,
    timeouts: { firstByteMs: 60_000, responseMs: 60_000 },
    idempotency: idempotency({ store }),
    cache: responseCache({ ttlMs: 60_000, store }),
  })
  let ann = { key: 'key-of-ann', headers: { 'idempotency-key': 'k' } }
  const cached = { model: 'quick', temperature: 0, user: 'ann' }
  await expect
    .poll(async () => (await site.chat(cached, { key: 'key-of-ann' })).headers['x-sluice-cache'])
    .toBe('hit')
  const first = answered(attempt => {
    ann = { ...ann, headers: { 'idempotency-key': `k${attempt}` } }
    return site.chat({ model: 'slow' }, { ...ann, timeout: 60_000 })
  })
  await expect.poll(upstream.calls).toBe(1)
  const indexes = Array.from({ length: answers }, (_, index) => index)
  while (indexes.length > 0) {
    const some = indexes.splice(0, 10)
    const got = await Promise.all(
      some.map(index =>
        answered(attempt =>
          site.chat(
            { model: 'quick', temperature: 0, seed: index },
            { key: 'key-of-bob', headers: { 'idempotency-key': `k${index}.${attempt}` } },
          ),
        ),
      ),
    )
    expect(got.map(({ status }) => status)).toEqual(some.map(() => 200))
  }
  const meanwhile = await answered(() => site.chat({ model: 'slow' }, ann))
  expect([meanwhile.status, JSON.parse(meanwhile.body).error.code]).toEqual([409, 'idempotency_in_progress'])
  upstream.release()
  const { body } = await first
  await expect.poll(() => ends.filter(({ model }) => model === 'slow').length).toBeGreaterThan(1)
  const again = await answered(() => site.chat({ model: 'slow' }, ann))
  expect([again.status, again.headers['idempotency-replayed'], again.body]).toEqual([200, 'true', body])
  expect(upstream.calls()).toBe(1)
  expect((await site.chat(cached, { key: 'key-of-ann' })).headers['x-sluice-cache']).toBe('hit')
  expect(ends.filter(({ model, usage }) => model === 'slow' && usage !== undefined)).toHaveLength(1)
}

it('a caller loses neither its running request nor its answers to another, in memory', () =>
  besideAnother(memoryCacheStore({ maxEntries: 400 }), 1_500))

it('refuses one more running request where the share of its caller is running', async () => {
  const store = memoryCacheStore({ maxEntriesPerOwner: 2 })
  const upstream = await gatedUpstream()
  const { site } = await startService(mountOf('node http'), {
    models: upstream.targets,
    authenticate,
    idempotency: idempotency({ store, onStoreFailure: 'open' }),
  })
  const as = (id: string, key: string) => ({ key: `key-of-${id}`, headers: { 'idempotency-key': key } })
  const running = ['k1', 'k2'].map(key => site.chat({ model: 'slow' }, as('ann', key)))
  await expect.poll(upstream.calls).toBe(2)
  const refused = await site.chat({ model: 'slow' }, as('ann', 'k3'))
  expect([refused.status, JSON.parse(refused.body).error.code]).toEqual([503, 'idempotency_full'])
  expect(refused.headers['retry-after']).toBe('1')
  expect((await site.chat({ model: 'quick' }, as('bob', 'k3'))).status).toBe(200)
  expect((await site.chat({ model: 'quick' }, { key: 'key-of-ann' })).status).toBe(200)
  upstream.release()
  expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200])
  expect((await site.chat({ model: 'slow' }, as('ann', 'k3'))).status).toBe(200)
  expect(upstream.calls()).toBe(3)
})

describeWithRedis('answers of two callers in Redis', () => {
  it('a caller loses neither its running request nor its answers to another', async () => {
    const server = await RedisServer.start()
    const client = new Redis(server.url)
    onTestFinished(async () => {
      client.disconnect()
      await server.stop()
    })
    await besideAnother(redisCacheStore(client, { maxEntriesPerOwner: 50 }), 1_000)
    const texts = await client.keys('*:text:*')
    // Of each caller at most its share, of cached answers and of those of idempotency keys.
    expect(texts.length).toBeLessThanOrEqual(50 + 50 + 3)
  })
})

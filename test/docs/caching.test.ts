import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createGateway, type Gateway, idempotency, models, responseCache } from '@sluice/core'
import { local } from '@sluice/providers'
import type { Redis } from 'ioredis'
import { describe, expect, it } from 'vitest'
import { describeWithRedis } from '../stores/servers/describe-with-redis.ts'
import { RedisServer } from '../stores/servers/redis-server.ts'
import { describePage, type Snippet } from './runner/describe-page.ts'
import { readPage, root, tableUnder } from './runner/markdown.ts'

const page = 'docs/caching.md'

type Fields = Readonly<Record<string, unknown>>

/** Asks a gateway; gives the status, what is told of the cache and of a repeat, and the body. */
async function ask({ fetch }: Gateway, key: string, fields: Fields = {}, headers: Fields = {}) {
  const response = await fetch('http://sluice.test/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model: 'demo', messages: [{ role: 'user', content: 'Hello' }], ...fields }),
  })
  const { status } = response
  const cache = response.headers.get('x-sluice-cache')
  const replayed = response.headers.get('idempotency-replayed')
  const body = await response.text()
  const code = body.startsWith('{') ? JSON.parse(body).error?.code : undefined
  return { status, cache, replayed, body, code, headers: response.headers }
}

/** A store that takes 200 ms. */
const distantStore = `new Proxy(memoryCacheStore(), {
  get: (of, name) => async (...args) => {
    await new Promise(resolve => setTimeout(resolve, 200))
    return Reflect.get(of, name).apply(of, args)
  },
})`

const gatewayOf = async ({ run }: Snippet) => (await run()).exports.gateway as Gateway

describeWithRedis('with Redis', () => {
  describePage(page, {
    cache: async snippet => {
      const gateway = await gatewayOf(snippet)
      const exact = { temperature: 0 }
      const first = await ask(gateway, 'sk-ann', exact)
      const again = await ask(gateway, 'sk-ann', exact)
      expect([first.cache, again.cache, again.body]).toEqual(['miss', 'hit', first.body])
      expect(again.headers.get('cache-control')).toBe('no-store')
      expect((await ask(gateway, 'sk-bob', exact)).cache).toBe('miss')
      const others = [{ temperature: 1 }, { ...exact, n: 2 }, { ...exact, x: 1 }, { ...exact, store: true }]
      for (const fields of others) expect((await ask(gateway, 'sk-ann', fields)).cache).toBeNull()
      const streamed = { ...exact, stream: true }
      const events = await ask(gateway, 'sk-ann', streamed)
      expect(events.cache).toBe('miss')
      expect(await ask(gateway, 'sk-ann', streamed)).toMatchObject({ cache: 'hit', body: events.body })
      expect((await ask(gateway, 'sk-ann', exact, { 'cache-control': 'no-cache' })).cache).toBe('miss')
      const unkept = { ...exact, seed: 1 }
      await ask(gateway, 'sk-ann', unkept, { 'cache-control': 'no-store' })
      expect((await ask(gateway, 'sk-ann', unkept)).cache).toBe('miss')
    },

    cacheable: async snippet => {
      const gateway = await gatewayOf(snippet)
      const seen: (string | null)[] = []
      for (const key of ['sk-ann', 'sk-bob', 'sk-eve', 'sk-eve']) {
        seen.push((await ask(gateway, key, { seed: 1 })).cache)
      }
      expect(seen).toEqual(['miss', 'hit', null, null])
      expect((await ask(gateway, 'sk-ann')).cache).toBeNull()
    },

    idempotency: async snippet => {
      const gateway = await gatewayOf(snippet)
      for (const fields of [{}, { stream: true }]) {
        const headers = { 'idempotency-key': `key of ${JSON.stringify(fields)}`.replaceAll(/\W/g, '-') }
        const first = await ask(gateway, 'sk-ann', fields, headers)
        const again = await ask(gateway, 'sk-ann', fields, headers)
        expect([first.replayed, again.replayed, again.body]).toEqual([null, 'true', first.body])
        expect(await ask(gateway, 'sk-ann', { ...fields, user: 'x' }, headers)).toMatchObject({
          status: 422,
          code: 'idempotency_key_reused',
        })
      }
      expect(await ask(gateway, 'sk-ann', {}, { 'idempotency-key': '' })).toMatchObject({
        status: 400,
        code: 'invalid_value',
      })
    },

    'distant-redis': async ({ run }) => {
      const far = (code: string) => code.replace('memoryCacheStore()', distantStore)
      const gateway = (await run({}, far)).exports.gateway as Gateway
      const exact = { temperature: 0 }
      await ask(gateway, 'sk-ann', exact)
      await expect.poll(async () => (await ask(gateway, 'sk-ann', exact)).cache).toBe('hit')
      const headers = { 'idempotency-key': 'k' }
      await ask(gateway, 'sk-ann', {}, headers)
      await expect.poll(async () => (await ask(gateway, 'sk-ann', {}, headers)).replayed).toBe('true')
      const impatient = await run({}, code => far(code).replaceAll(/storeTimeoutMs: [\d_]+,?/g, ''))
      const other = impatient.exports.gateway as Gateway
      for (let times = 0; times < 3; times++) expect((await ask(other, 'sk-ann', exact)).cache).toBe('miss')
      expect(await ask(other, 'sk-ann', {}, headers)).toMatchObject({ code: 'idempotency_unavailable' })
    },

    redis: async ({ run }) => {
      const server = await RedisServer.start()
      try {
        const running = await Promise.all([run({ REDIS_URL: server.url }), run({ REDIS_URL: server.url })])
        const [one, other] = running.map(({ exports }) => exports.gateway as Gateway) as [Gateway, Gateway]
        const clients = running.map(({ exports }) => exports.redis as Redis)
        for (const client of clients) if (client.status !== 'ready') await once(client, 'ready')
        const first = await ask(one, 'sk-ann', { temperature: 0 })
        // The client has its answer before the server has.
        await expect.poll(() => server.command('KEYS', '*:text:*')).not.toBe('')
        const hit = await ask(other, 'sk-ann', { temperature: 0 })
        expect([hit.cache, hit.body]).toEqual(['hit', first.body])
        const headers = { 'idempotency-key': 'k' }
        const keyed = await ask(one, 'sk-ann', {}, headers)
        await expect
          .poll(() => ask(other, 'sk-ann', {}, headers))
          .toMatchObject({
            replayed: 'true',
            body: keyed.body,
          })
        expect(await server.command('KEYS', '*')).toMatch(
          /^\{chat:answers:[0-9a-f]{32}\}:text:(cache|repeat):/m,
        )
        for (const client of clients) client.removeAllListeners('error').on('error', () => {})
        for (const client of clients) client.disconnect()
      } finally {
        await server.stop()
      }
    },
  })
})

describe('the table of what a key gets', () => {
  const rows = tableUnder(page, '## Idempotency').slice(0, 6)

  it('is what a gateway says', async () => {
    let started: () => void = () => {}
    const running = new Promise<void>(resolve => {
      started = resolve
    })
    let finish: () => void = () => {}
    const finished = new Promise<void>(resolve => {
      finish = resolve
    })
    const gateway = createGateway({
      authenticate: () => ({ id: 'ann' }),
      route: models({ demo: local()('demo') }),
      // Room that is given late: until then the request is being answered.
      limits: {
        admit: async (_, { body }) => {
          if (body.user === 'slow') {
            started()
            await finished
          }
          return { settle() {} }
        },
      },
      idempotency: idempotency({ maxBytes: 2_000 }),
    })
    const keyed = (key: string, fields?: Fields) => ask(gateway, 'k', fields, { 'idempotency-key': key })
    const large = { messages: [{ role: 'user', content: 'Hello' }], n: 30 }
    const slow = keyed('slow', { user: 'slow' })
    await running
    const seen = [
      await keyed('new'),
      await keyed('new'),
      (await keyed('large', large)).status === 200 && (await keyed('large', large)),
      await keyed('slow', { user: 'slow' }),
      await keyed('new', { user: 'x' }),
      await keyed(' '),
    ]
    finish()
    expect((await slow).status).toBe(200)
    const told = rows.map(([, gets = '']) => [
      /^\d+/.exec(gets)?.[0] ?? '200',
      /^\d+ `(\w+)`/.exec(gets)?.[1],
    ])
    expect(seen.map(got => got && [String(got.status), got.code])).toEqual(told)
    await gateway.close()
  })
})

describe('the options', () => {
  it.each([
    ['response-cache', 'ResponseCacheOptions', '## Response cache'],
    ['idempotency', 'IdempotencyOptions', '## Idempotency'],
  ])('of %s are all named', (file, name, heading) => {
    const text = readFileSync(join(root, `packages/core/src/caching/${file}.ts`), 'utf8')
    const [, options = ''] = new RegExp(`interface ${name} \\{([\\s\\S]*?)\\n\\}`).exec(text) ?? []
    const names = [...options.matchAll(/^ {2}readonly (\w+)\??:/gm)].map(([, name]) => name)
    const section =
      readPage(page)
        .split(/^(?=## )/m)
        .find(part => part.startsWith(heading)) ?? ''
    const [, table = ''] = section.split(/^\| Option of .*\n.*\n/m)
    const rows = [...table.matchAll(/^\| `(\w+)` \|.*\| (.*) \|$/gm)]
    expect(rows.map(([, name]) => name).sort()).toEqual(names.sort())
    const told = Object.fromEntries(
      rows.map(([, name, value = '']) => [name, value.replaceAll(/[,`']/g, '')]),
    )
    const made: Record<string, unknown> = {
      ...(file === 'idempotency' ? idempotency() : responseCache({ ttlMs: 1 })),
    }
    for (const name of ['maxBytes', ...(file === 'idempotency' ? ['ttlMs', 'onStoreFailure'] : [])]) {
      expect(told[name]).toBe(String(made[name]))
    }
  })
})

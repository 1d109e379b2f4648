import { type ApiKeyRecord, apiKeys } from '@sluice/core'
import { hashApiKey } from '@sluice/core/keys'
import { describe, expect, it } from 'vitest'
import { connected } from './harness/connected.ts'
import { expectRefusal } from './harness/refused.ts'
import { overHosts, served } from './harness/served.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

/** Keys of a store, by their digests, and which digests it was asked for. */
function keyStore(
  records: Readonly<Record<string, ApiKeyRecord>>,
  pepper?: Readonly<Record<string, string>>,
) {
  const table = new Map(Object.entries(records).map(([key, record]) => [hashApiKey(key, pepper), record]))
  const asked: string[] = []
  const lookup = async (digest: string) => {
    asked.push(digest)
    return table.get(digest)
  }
  return { asked, lookup, table }
}

describe('F3 a token that is an injection, holds NUL, or is too long', () => {
  const injections = [
    "' OR '1'='1",
    "'; select pg_sleep(5)--",
    '" or ""="',
    '{"$ne":null}',
    '*',
    '%',
    'a b',
    '\x80\xff',
    '=',
    'a=b',
    `sk-${'a'.repeat(15_000)}`,
  ]

  overServers(mount => {
    it('is a 401 at once, and the store is not asked', async () => {
      const upstream = await upstreamDuring()
      const { lookup, asked } = keyStore({ 'sk-good': { id: 'ann' } })
      const { site } = await startService(mount, { models: { m: upstream }, authenticate: apiKeys(lookup) })
      expect((await site.chat({ model: 'm' }, { key: 'sk-good' })).status).toBe(200)
      for (const key of injections) {
        const times: number[] = []
        for (let i = 0; i < 5; i++) {
          const start = performance.now()
          expectRefusal(await site.chat({ model: 'm' }, { key }), 401, { code: 'invalid_api_key' })
          times.push(performance.now() - start)
        }
        expect(Math.min(...times)).toBeLessThan(50)
      }
      expect(asked).toEqual([hashApiKey('sk-good')])
      expect(upstream.requests).toHaveLength(1)
    })

    it('is not looked up either where it lacks the form that all keys have', async () => {
      const upstream = await upstreamDuring()
      const { lookup, asked } = keyStore({ 'sk-0123456789': { id: 'ann' } })
      const authenticate = apiKeys(lookup, { format: /^sk-\d{10}$/g })
      const { site } = await startService(mount, { models: { m: upstream }, authenticate })
      for (const key of ['sk-012345678', 'sk-01234567890', 'pk-0123456789', 'x', 'sk-0123456789=']) {
        expectRefusal(await site.chat({ model: 'm' }, { key }), 401, { code: 'invalid_api_key' })
      }
      expect(asked).toEqual([])
      for (let i = 0; i < 2; i++) {
        expect((await site.chat({ model: 'm' }, { key: 'sk-0123456789' })).status).toBe(200)
      }
    })

    it('of a sound form comes to the store as nothing but a digest', async () => {
      const upstream = await upstreamDuring()
      const { lookup, asked } = keyStore({})
      const { site } = await startService(mount, { models: { m: upstream }, authenticate: apiKeys(lookup) })
      for (const key of ['../../etc/passwd', 'null', '1--', 'x'.repeat(4_096)]) {
        expectRefusal(await site.chat({ model: 'm' }, { key }), 401, { code: 'invalid_api_key' })
      }
      expect(asked).toHaveLength(4)
      for (const digest of asked) expect(digest).toMatch(/^[0-9a-f]{64}$/)
    })
  })

  overHosts(mount => {
    it.each([
      ['NUL', 'sk-\0good', 400],
      ['more than a head may hold', 'x'.repeat(17_000), 431],
    ])('does not come as far where it holds %s', async (_, token, status) => {
      const upstream = await upstreamDuring()
      const { lookup, asked } = keyStore({})
      const { site, events } = await startService(mount, {
        models: { m: upstream },
        authenticate: apiKeys(lookup),
      })
      const head = `GET ${site.pathOf('/models')} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${token}\r\n\r\n`
      const client = await connected(site, head)
      const answer = await client.response()
      await client.waitForEnd()
      expect(answer?.status).toBe(status)
      expect(Buffer.from(client.received).toString()).not.toMatch(/sk-|xxxx/)
      if (mount === served && answer)
        expectRefusal({ ...answer, received: client.received }, status, { code: null })
      expect([asked.length, events.length]).toEqual([0, 0])
    })
  })
})

describe('F4 two keys that begin alike', () => {
  const prefix = 'sk-live-'.padEnd(64, 'a')

  overServers(mount => {
    it.each([
      ['the good one first', ['1', '2', '1', '2']],
      ['the wrong one first', ['2', '1', '2', '1']],
    ])('never share what is remembered of them: %s', async (_, order) => {
      const upstream = await upstreamDuring()
      const { lookup, asked } = keyStore({ [`${prefix}1`]: { id: 'ann' } })
      const { site, ends } = await startService(mount, {
        models: { m: upstream },
        authenticate: apiKeys(lookup),
      })
      for (const last of order) {
        const { status } = await site.chat({ model: 'm' }, { key: prefix + last })
        expect([last, status]).toEqual([last, last === '1' ? 200 : 401])
      }
      expect(asked).toHaveLength(2)
      expect(ends.map(({ principal }) => principal?.id ?? null)).toEqual(
        order.map(last => (last === '1' ? 'ann' : null)),
      )
    })

    it('are told apart by their last character, at any length and side by side', async () => {
      const upstream = await upstreamDuring()
      const long = 'k'.repeat(4_095)
      const { lookup } = keyStore({ [`${long}a`]: { id: 'ann' }, [`${long}b`]: { id: 'bob' } })
      const { site, ends } = await startService(mount, {
        models: { m: upstream },
        authenticate: apiKeys(lookup),
      })
      const lasts = ['a', 'b', 'c', 'a', 'b', 'c', '']
      const answers = await Promise.all(lasts.map(last => site.chat({ model: 'm' }, { key: long + last })))
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 401, 200, 200, 401, 401])
      const ids = ends.map(({ principal }) => principal?.id ?? '-').sort()
      expect(ids).toEqual(['-', '-', '-', 'ann', 'ann', 'bob', 'bob'])
    })
  })
})

describe('F5 the stored hash as the key', () => {
  const pepper = { v1: 'a secret' }

  overServers(mount => {
    it.each([
      ['plain', undefined],
      ['peppered', pepper],
    ])('is a wrong key, %s', async (_, secrets) => {
      const upstream = await upstreamDuring()
      const options = secrets === undefined ? {} : { pepper: secrets }
      const hash = hashApiKey('sk-good', secrets)
      const { lookup } = keyStore({ 'sk-good': { id: 'ann' } }, secrets)
      for (const keys of [lookup, [{ id: 'ann', hash }]]) {
        const authenticate = apiKeys(keys, options)
        const { site } = await startService(mount, { models: { m: upstream }, authenticate })
        expect((await site.chat({ model: 'm' }, { key: 'sk-good' })).status).toBe(200)
        const shown = [hash, hash.toUpperCase(), hash.replace('v1:', ''), hashApiKey(hash.replace('v1:', ''))]
        for (const key of shown) {
          expectRefusal(await site.chat({ model: 'm' }, { key }), 401, { code: 'invalid_api_key' })
        }
      }
      expect(upstream.requests).toHaveLength(2)
    })
  })
})

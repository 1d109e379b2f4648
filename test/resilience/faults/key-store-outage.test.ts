import { type ApiKeyRecord, apiKeys, type GatewayEvent } from '@sluice/core'
import { hashApiKey, type KeyRepository, keyStore } from '@sluice/core/keys'
import { describe, expect, it } from 'vitest'
import type { Mount } from '../../e2e/mounts/mounts.ts'
import { expectRefusal } from './harness/refused.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const ttl = 5_000
const stale = 60_000
const unavailable = { type: 'service_unavailable_error', code: 'authentication_unavailable' }

/** A service whose keys are in a store that can be taken down, with a clock that the test moves. */
async function storedKeys(mount: Mount) {
  const table = new Map<string, ApiKeyRecord>(['ann', 'bob'].map(id => [hashApiKey(`key-of-${id}`), { id }]))
  const state = { now: 1_800_000_000_000, asked: 0, down: undefined as (() => Promise<never>) | undefined }
  const told: GatewayEvent[] = []
  const upstream = await upstreamDuring()
  const service = await startService(mount, {
    models: { m: upstream },
    authenticate: apiKeys(
      async digest => {
        state.asked++
        return state.down === undefined ? table.get(digest) : state.down()
      },
      { now: () => state.now, lookupMs: 50, observe: event => void told.push(event) },
    ),
  })
  const ask = (name: string) => service.site.chat({ model: 'm' }, { key: `key-of-${name}` })
  return { ...service, state, told, ask, upstream, table }
}

describe('F71 the store of keys is down, or hangs', () => {
  overServers(mount => {
    it.each([
      ['down', () => Promise.reject(new Error('postgres://app:word@db.internal is down'))],
      ['hanging', () => new Promise<never>(() => {})],
    ])(
      '%s: who was known a short while ago is let in, anybody else is a 503 and never a 401',
      async (_, down) => {
        const { state, told, ask, upstream, ends } = await storedKeys(mount)
        expect([(await ask('ann')).status, (await ask('eve')).status]).toEqual([200, 401])
        state.down = down
        state.now += ttl
        expect((await ask('ann')).status).toBe(200)
        for (const name of ['bob', 'eve', 'bob', 'eve', 'bob', 'eve']) {
          const answer = await ask(name)
          expectRefusal(answer, 503, unavailable)
          expect([answer.headers['retry-after'], answer.body.includes('db.internal')]).toEqual(['1', false])
        }
        expect(told).toMatchObject([{ type: 'store', store: 'keys', state: 'failing' }])
        const { asked } = state
        // Spared now: an answer takes no time, and no question.
        const before = performance.now()
        for (let i = 0; i < 5; i++) expectRefusal(await ask('bob'), 503, unavailable)
        expect([state.asked, (await ask('ann')).status]).toEqual([asked, 200])
        expect(performance.now() - before).toBeLessThan(2_000)
        state.now += stale
        expectRefusal(await ask('ann'), 503, unavailable)
        state.down = undefined
        state.now += 250
        const statuses = []
        for (const name of ['bob', 'ann', 'eve']) statuses.push((await ask(name)).status)
        expect(statuses).toEqual([200, 200, 401])
        expect(told).toMatchObject([{ state: 'failing' }, { state: 'working' }])
        expect(upstream.requests.length).toBe(ends.filter(({ status }) => status === 200).length)
      },
    )

    it('and a key that is disabled or expires meanwhile, by what was known of it, is refused', async () => {
      const { state, ask, table } = await storedKeys(mount)
      table.set(hashApiKey('key-of-ann'), { id: 'ann', expiresAt: state.now + 20_000 })
      expect((await ask('ann')).status).toBe(200)
      state.down = () => Promise.reject(new Error('down'))
      state.now += 19_999
      expect((await ask('ann')).status).toBe(200)
      state.now += 1
      expectRefusal(await ask('ann'), 401, { code: 'invalid_api_key' })
    })
  })
})

describe('N14 keys that were mistyped, or are of another service', () => {
  it('are a 401 without a question to the store, however many come', async () => {
    let asked = 0
    const rows: KeyRepository = {
      insert: async () => {},
      list: async () => [],
      get: async () => undefined,
      update: async () => false,
      addSecret: async () => false,
      delete: async () => false,
      findByDigest: async () => {
        asked++
        return undefined
      },
    }
    const keys = keyStore(rows)
    const { key } = await keys.issue({ name: 'ann' })
    const authenticate = apiKeys(keys)
    const ask = (token: string) =>
      authenticate(new Request('http://a/', { headers: { authorization: `Bearer ${token}` } }), undefined)
    for (let i = 0; i < 1_000; i++) {
      const at = 7 + (i % (key.length - 7))
      const mistyped = key.slice(0, at) + (key[at] === 'x' ? 'y' : 'x') + key.slice(at + 1)
      expect([await ask(mistyped), await ask(`sk-${i}`)]).toEqual([undefined, undefined])
    }
    expect(asked).toBe(0)
    for (let i = 0; i < 10; i++) expect(await ask(key)).toBeUndefined()
    expect(asked).toBe(1)
  })
})

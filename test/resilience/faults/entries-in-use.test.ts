import { apiKeys, concurrent, limits } from '@sluice/core'
import { hashApiKey } from '@sluice/core/keys'
import { memoryLimitStore } from '@sluice/core/limits'
import { describe, expect, it } from 'vitest'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { waitingVendor } from './harness/waiting-vendor.ts'

const callers = ['ann', 'bob', 'cid']
const records = new Map(callers.map(id => [hashApiKey(`key-of-${id}`), { id }]))

describe('F76 an entry that is in use has to make room for others', () => {
  overServers(mount => {
    it('is kept: the count of requests that are under way, where there is room for no other count', async () => {
      const { upstream, open } = await waitingVendor()
      const store = memoryLimitStore({ maxKeys: callers.length })
      const { site } = await startService(mount, {
        models: { m: upstream },
        authenticate: apiKeys([...callers, 'dan'].map(id => ({ id, key: `key-of-${id}` }))),
        limits: limits([concurrent(1)], { store }),
      })
      const ask = (id: string) => site.chat({ model: 'm' }, { key: `key-of-${id}` })
      const live = callers.map(ask)
      await upstream.waitForRequest(callers.length)
      for (let round = 0; round < 2; round++) {
        for (const id of callers) expect((await ask(id)).status).toBe(429)
        const newcomer = await ask('dan')
        expect([newcomer.status, newcomer.body]).toEqual([503, expect.stringContaining('limit_store_full')])
      }
      expect([upstream.requests.length, store.held]).toEqual([callers.length, callers.length])
      open()
      for (const answer of await Promise.all(live)) expect(answer.status).toBe(200)
      expect(store.held).toBe(0)
      for (const id of [...callers, 'dan']) expect((await ask(id)).status).toBe(200)
    })

    it('is kept: the key of a caller with a request under way, while unknown keys fill the memory', async () => {
      const { upstream, open } = await waitingVendor()
      const asked: string[] = []
      const { site } = await startService(mount, {
        models: { m: upstream },
        authenticate: apiKeys(
          digest => {
            asked.push(digest)
            return records.get(digest)
          },
          { maxUnknown: 1, now: () => 1_800_000_000_000 },
        ),
      })
      const ask = (id: string) => site.chat({ model: 'm' }, { key: `key-of-${id}` })
      const live = callers.map(ask)
      await upstream.waitForRequest(callers.length)
      for (let other = 0; other < 50; other++) expect((await ask(`nobody-${other}`)).status).toBe(401)
      expect(asked).toHaveLength(callers.length + 50)
      open()
      for (const answer of await Promise.all([...live, ...callers.map(ask)])) expect(answer.status).toBe(200)
      expect(asked).toHaveLength(callers.length + 50)
    })
  })
})

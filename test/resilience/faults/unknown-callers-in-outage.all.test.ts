import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { apiKeys, type LimitStore, limits, requests } from '@sluice/core'
import { bearerToken } from '@sluice/core/keys'
import { describe, expect, it } from 'vitest'
import { overEveryServer } from './harness/servers.ts'
import { type Service, startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as () => void

const down = () => Promise.reject(new Error('down'))
const noStore: LimitStore = { admit: down, settle: down, renew: down }

/** Asks for the models, which takes a key and no model, past the socket: there are many of them. */
async function ask({ gateway }: Service, key: string, path = 'models'): Promise<number> {
  const body = path === 'models' ? {} : { method: 'POST', body: '{"model":"m","messages":[]}' }
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
  const response = await gateway.fetch(new Request(`http://gateway.test/v1/${path}`, { ...body, headers }))
  await response.text()
  return response.status
}

/** Asks by so many keys that nobody has seen, a hundred at a time. */
async function flood(service: Service, from: number, count: number, path?: string): Promise<Set<number>> {
  const statuses = new Set<number>()
  for (let start = from; start < from + count; start += 100) {
    const asked = Array.from({ length: 100 }, (_, index) => ask(service, `sk-${start + index}`, path))
    for (const status of await Promise.all(asked)) statuses.add(status)
  }
  return statuses
}

describe('F73 thousands of callers that nobody has seen come while a store is away', () => {
  overEveryServer(mount => {
    it('the store of keys: nothing is kept of them, it is not asked for each, and who is known is let in', async () => {
      let asked = 0
      let away = false
      const service = await startService(mount, {
        models: { m: await upstreamDuring() },
        authenticate: apiKeys(() => {
          asked++
          return away ? down() : { id: 'ann' }
        }),
      })
      expect((await service.site.chat({ model: 'm' })).status).toBe(200)
      away = true
      await flood(service, 0, 2_000)
      collect()
      const { heapUsed } = process.memoryUsage()
      expect(await flood(service, 2_000, 8_000)).toEqual(new Set([503]))
      collect()
      // An entry for each of them would be 2 MiB.
      expect(process.memoryUsage().heapUsed - heapUsed).toBeLessThan(1_024 * 1_024)
      // A hundred at first, who came at the same time, and one at a time from then on.
      expect(asked).toBeLessThan(200)
      const answer = await service.site.chat({ model: 'm' })
      expect(answer.status).toBe(200)
    })

    it('the store of limits: none of the counts that stand in for it is pushed out', async () => {
      const upstream = await upstreamDuring()
      const service = await startService(mount, {
        models: { m: upstream },
        authenticate: request => {
          const id = bearerToken(request)
          return id === undefined ? undefined : { id }
        },
        limits: limits([requests(1).per('day')], { store: noStore, instances: 1 }),
      })
      const first = async () => (await service.site.chat({ model: 'm' }, { key: 'first' })).status
      expect([await first(), await first()]).toEqual([200, 429])
      // They have room, and are invalid then: no model is asked.
      expect(await flood(service, 0, 100, 'chat/completions')).toEqual(new Set([400]))
      expect(await first()).toBe(429)
      expect(await flood(service, 100, 10_100, 'chat/completions')).toEqual(new Set([400]))
      expect(await first()).toBe(429)
      expect(upstream.requests).toHaveLength(1)
    })
  })
})

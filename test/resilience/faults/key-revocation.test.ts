import { type ApiKeyRecord, apiKeys } from '@sluice/core'
import { hashApiKey } from '@sluice/core/keys'
import { chunks, readSse, sse, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import type { Mount } from '../../e2e/mounts/mounts.ts'
import { connected, wholeRequest } from './harness/connected.ts'
import { expectRefusal } from './harness/refused.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const ttl = 5_000
const events = sse(chunks({ text: 'one two three' }))

/** A service whose keys are in a store, with a clock that the test moves. */
async function storedKeys(mount: Mount, delayed?: (record: ApiKeyRecord | undefined) => Promise<void>) {
  const table = new Map<string, ApiKeyRecord>([[hashApiKey('good-key'), { id: 'ann' }]])
  const clock = { now: 1_800_000_000_000, asked: 0 }
  const lookup = async (digest: string) => {
    clock.asked++
    const record = table.get(digest)
    await delayed?.(record)
    return record
  }
  const upstream = await upstreamDuring()
  const service = await startService(mount, {
    models: { m: upstream },
    authenticate: apiKeys(lookup, { now: () => clock.now }),
    stream: { keepAliveMs: 50 },
  })
  const status = async (key: string) => (await service.site.chat({ model: 'm' }, { key })).status
  return { ...service, upstream, table, clock, status }
}

describe('F8 a key is disabled, taken away, rotated, or expires', () => {
  overServers(mount => {
    it.each([
      ['disabled', { id: 'ann', disabled: true }],
      ['taken away', undefined],
      ['expired in the store', { id: 'ann', expiresAt: 1 }],
    ])('and is refused within five seconds, when it was remembered: %s', async (_, after) => {
      const { table, clock, status, site, upstream } = await storedKeys(mount)
      expect(await status('good-key')).toBe(200)
      if (after === undefined) table.delete(hashApiKey('good-key'))
      else table.set(hashApiKey('good-key'), after)
      clock.now += ttl + 1
      expectRefusal(await site.chat({ model: 'm' }, { key: 'good-key' }), 401, { code: 'invalid_api_key' })
      expect([clock.asked, upstream.requests.length]).toEqual([2, 1])
    })

    it('expires on time, however long ago it was looked up', async () => {
      const { table, clock, status } = await storedKeys(mount)
      table.set(hashApiKey('good-key'), { id: 'ann', expiresAt: clock.now + 10 })
      expect(await status('good-key')).toBe(200)
      clock.now += 9
      expect(await status('good-key')).toBe(200)
      clock.now += 1
      expect(await status('good-key')).toBe(401)
      expect(clock.asked).toBe(1)
    })

    it('is rotated: the new one is good at once, the old one for five seconds at most', async () => {
      const { table, clock, status } = await storedKeys(mount)
      expect(await status('good-key')).toBe(200)
      table.delete(hashApiKey('good-key'))
      table.set(hashApiKey('new-key'), { id: 'ann' })
      expect(await status('new-key')).toBe(200)
      clock.now += ttl + 1
      expect([await status('good-key'), await status('new-key')]).toEqual([401, 200])
    })

    it('counts the five seconds from the question to the store, not from its late answer', async () => {
      let release = () => {}
      let looked = () => {}
      const looking = new Promise<void>(resolve => {
        looked = resolve
      })
      let first = true
      const { table, clock, status } = await storedKeys(mount, () => {
        if (!first) return Promise.resolve()
        first = false
        looked()
        return new Promise(resolve => {
          release = resolve
        })
      })
      const slow = status('good-key')
      await looking
      table.delete(hashApiKey('good-key'))
      clock.now += ttl + 1
      release()
      expect(await slow).toBe(200)
      expect(await status('good-key')).toBe(401)
    })

    it('lets an answer that has begun come to its end', async () => {
      const { table, clock, site, upstream, status, end } = await storedKeys(mount)
      let goOn = () => {}
      const gate = new Promise<void>(resolve => {
        goOn = resolve
      })
      upstream.respondWith(async () => {
        await gate
        return steps.stream(events)
      })
      const body = JSON.stringify({ model: 'm', stream: true, messages: [{ role: 'user', content: 'x' }] })
      const client = await connected(site, wholeRequest(site, body))
      await client.waitFor('text/event-stream')
      table.clear()
      clock.now += ttl + 1
      expect(await status('good-key')).toBe(401)
      goOn()
      const answer = await client.response()
      const { done, text } = await readSse(answer?.bytes ?? new Uint8Array())
      expect([answer?.status, done, text]).toEqual([200, true, 'one two three'])
      expect((await end(2)).outcome).toBe('completed')
      expect(upstream.requests).toHaveLength(1)
    })
  })

  it('is not remembered for longer because the time of day was put back', async () => {
    const day = Date.now
    let back = 0
    let asked = 0
    Date.now = () => day() - back
    try {
      const lookup = () => {
        asked++
        return { id: 'ann' }
      }
      const find = apiKeys(lookup, { cacheMs: 1 })
      const request = new Request('http://a/v1/models', { headers: { authorization: 'Bearer sk-one' } })
      await find(request, undefined)
      const before = performance.now()
      back = 3_600_000
      while (performance.now() - before < 2) await Promise.resolve()
      await find(request, undefined)
    } finally {
      Date.now = day
    }
    expect(asked).toBe(2)
  })
})

import { apiKeys } from '@sluice/core'
import { hashApiKey } from '@sluice/core/keys'
import { describe, expect, it } from 'vitest'
import { connected } from './harness/connected.ts'
import { expectRefusal } from './harness/refused.ts'
import { overAllMounts, overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { printed, tracesOf } from './harness/traces.ts'
import { upstreamDuring } from './harness/upstream.ts'

describe('F1 no Authorization, an empty one, another scheme, or odd spelling', () => {
  overServers(mount => {
    it('answers each request without a bearer token with the same 401, byte for byte', async () => {
      const upstream = await upstreamDuring()
      const { site, ends } = await startService(mount, { models: { m: upstream } })
      const without = [null, '', 'Bearer', 'Bearer    ', 'Basic Z29vZC1rZXk6', 'Token good-key', 'good-key']
      const odd = ['Bearergood-key', 'Bearer\tgood-key', 'Digest Bearer good-key']
      const bodies = new Set<string>()
      for (const authorization of [...without, ...odd]) {
        const answer = await site.chat({ model: 'm' }, { key: null, headers: { authorization } })
        expectRefusal(answer, 401, { code: null })
        expect(answer.headers['www-authenticate']).toBe('Bearer realm="chat-completions"')
        bodies.add(answer.body)
      }
      expect(bodies.size).toBe(1)
      expect(upstream.requests).toHaveLength(0)
      expect(ends.map(({ outcome, status }) => `${outcome} ${status}`)).toEqual(
        [...without, ...odd].map(() => 'refused 401'),
      )
    })

    it('takes the scheme in any case and any number of spaces', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { m: upstream } })
      for (const authorization of ['bearer good-key', 'BEARER good-key', 'Bearer   good-key  ']) {
        const answer = await site.chat({ model: 'm' }, { key: null, headers: { authorization } })
        expect([authorization, answer.status]).toEqual([authorization, 200])
      }
      expect(upstream.requests).toHaveLength(3)
    })
  })
})

describe('F2 an unknown key', () => {
  const inside = /hash|digest|sha-?256|hmac|pepper|table|store|lookup|column|database|apikeys|sluice/i
  const listed = apiKeys([{ id: 'ann', key: 'good-key' }])
  const stored = apiKeys(digest => (digest === hashApiKey('good-key') ? { id: 'ann' } : undefined))

  overServers(mount => {
    it.each([
      ['a list', listed],
      ['a store', stored],
    ])('is told nothing but that it is wrong, by %s of keys', async (_, authenticate) => {
      const upstream = await upstreamDuring()
      const { site, events } = await startService(mount, { models: { m: upstream }, authenticate })
      const keys = ['sk-canary-9c41f7a2b8', 'sk-canary-9c41f7a2b8-and-more', 'good-keys', 'good-ke']
      const bodies = new Set<string>()
      for (const key of keys) {
        const answer = await site.chat({ model: 'm' }, { key })
        expectRefusal(answer, 401, { code: 'invalid_api_key' })
        const sent = Buffer.from(answer.received).toString('latin1')
        expect(tracesOf(key, sent)).toEqual([])
        expect(sent).not.toContain(hashApiKey(key).slice(0, 8))
        expect(sent.replace('no-store', '')).not.toMatch(inside)
        expect(tracesOf(key, printed(events))).toEqual([])
        bodies.add(answer.body)
      }
      expect(bodies.size).toBe(1)
      expect(upstream.requests).toHaveLength(0)
      expect(events).toHaveLength(keys.length)
    })
  })
})

describe('F6 more than one Authorization header', () => {
  const pairs = [
    ['Bearer good-key', 'Bearer bad-key'],
    ['Bearer bad-key', 'Bearer good-key'],
    ['Bearer good-key', 'Bearer good-key'],
    ['Bearer good-key', ''],
    ['Basic Z29vZDo=', 'Bearer good-key'],
  ]

  overAllMounts(mount => {
    it('is a 400 whichever is right, before anybody asks who is calling', async () => {
      const upstream = await upstreamDuring()
      let asked = 0
      const { site, events } = await startService(mount, {
        models: { m: upstream },
        authenticate: () => {
          asked++
          return { id: 'anyone' }
        },
      })
      for (const [first, second] of pairs) {
        const client = await connected(
          site,
          `GET ${site.pathOf('/models')} HTTP/1.1\r\nHost: a\r\nAuthorization: ${first}\r\nX-A: b\r\naUTHORIZATION: ${second}\r\n\r\n`,
        )
        const answer = await client.response()
        if (answer === undefined) throw new Error('no answer')
        const { received } = client
        expectRefusal({ ...answer, received }, 400, {
          code: null,
          message: 'The request has more than one Authorization header.',
        })
      }
      expect([asked, events.length, upstream.requests.length]).toEqual([0, 0, 0])
    })

    it('joined into one, as a proxy may do, is a wrong key', async () => {
      const upstream = await upstreamDuring()
      const { site } = await startService(mount, { models: { m: upstream } })
      for (const authorization of ['Bearer good-key, Bearer bad-key', 'Bearer good-key, Bearer good-key']) {
        const answer = await site.chat({ model: 'm' }, { key: null, headers: { authorization } })
        expectRefusal(answer, 401, { code: 'invalid_api_key' })
      }
      expect(upstream.requests).toHaveLength(0)
    })
  })

  it('is a wrong key also where no server is in between', async () => {
    const upstream = await upstreamDuring()
    const { gateway } = await startService(
      async () => ({ baseURL: 'http://localhost/v1', origin: '', port: 0, close: async () => {} }),
      { models: { m: upstream } },
    )
    const headers = new Headers([
      ['authorization', 'Bearer good-key'],
      ['authorization', 'Bearer good-key'],
    ])
    const answer = await gateway.fetch('http://localhost/v1/models', { headers })
    expect(answer.status).toBe(401)
  })
})

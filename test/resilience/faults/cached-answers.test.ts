import { apiKeys, responseCache } from '@sluice/core'
import { memoryCacheStore } from '@sluice/core/store'
import { chunks, type Reaction, sse, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { crowd, leaveAll } from './harness/crowd.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const tenants = ['ann', 'bob', 'cid']
const authenticate = apiKeys(tenants.map(id => ({ id, key: `key-of-${id}` })))
const asking = (id: string) => ({ key: `key-of-${id}` })
const exact = { model: 'm', temperature: 0 }
const begun = sse(chunks({ text: 'one two three' })).slice(0, 3)
const eventError = `data: ${JSON.stringify({ error: { message: 'no', code: 'server_error' } })}\n\n`

describe('F80 two tenants ask the same, with the cache on', () => {
  overServers(mount => {
    it.each([false, true])('each has its own answer, and its own again; streamed: %s', async streamed => {
      const said = tenants.map((_, n) => steps.answer({ text: `Answer ${n}.` }))
      const upstream = await upstreamDuring(...said)
      const { site, end } = await startService(mount, {
        models: { m: upstream },
        authenticate,
        cache: responseCache({ ttlMs: 60_000 }),
      })
      const first: string[] = []
      for (const [n, id] of [...tenants, ...tenants].entries()) {
        const got = await site.chat({ ...exact, stream: streamed }, asking(id))
        expect(got.status).toBe(200)
        expect(got.headers['x-sluice-cache']).toBe(n < tenants.length ? 'miss' : 'hit')
        expect(got.headers['cache-control']).toContain('no-store')
        expect(got.headers.vary?.toLowerCase()).toContain('authorization')
        if (n < tenants.length) first.push(got.body)
        else expect(got.body).toBe(first[n - tenants.length])
        await end(n + 1)
      }
      expect(new Set(first).size).toBe(tenants.length)
      expect(upstream.requests).toHaveLength(tenants.length)
    })

    it('nothing is given to a request that differs in anything', async () => {
      const upstream = await upstreamDuring(steps.answer())
      const { site, end } = await startService(mount, {
        models: { m: upstream, n: upstream },
        authenticate,
        cache: responseCache({ ttlMs: 60_000 }),
      })
      const tool = (name: string) => ({ tools: [{ type: 'function', function: { name } }] })
      const requests: object[] = [
        {},
        { model: 'n' },
        {
          messages: [
            { role: 'system', content: 'a' },
            { role: 'user', content: 'Hello!' },
          ],
        },
        {
          messages: [
            { role: 'system', content: 'b' },
            { role: 'user', content: 'Hello!' },
          ],
        },
        tool('a'),
        tool('b'),
        { ...tool('a'), tool_choice: 'none' },
        { stream: true },
        { stream: true, stream_options: { include_usage: true } },
        { seed: 1 },
        { seed: 2 },
        { top_p: 0.5 },
        { max_tokens: 9 },
        { max_completion_tokens: 9 },
        { response_format: { type: 'json_object' } },
        { stop: 'a' },
        { stop: ['a'] },
        { logit_bias: { 1: 1 } },
        { user: 'a' },
        { metadata: { a: 'b' } },
      ]
      for (const [n, fields] of requests.entries()) {
        const got = await site.chat({ ...exact, ...fields }, asking('ann'))
        expect([got.status, got.headers['x-sluice-cache']], JSON.stringify(fields)).toEqual([200, 'miss'])
        await end(n + 1)
      }
      expect(upstream.requests).toHaveLength(requests.length)
      for (const fields of requests) {
        const got = await site.chat({ ...exact, ...fields }, asking('ann'))
        expect(got.headers['x-sluice-cache'], JSON.stringify(fields)).toBe('hit')
      }
      expect(upstream.requests).toHaveLength(requests.length)
    })

    it.each<[string, Reaction, object]>([
      ['was cut off', [steps.stream(begun), steps.cut()], { stream: true }],
      ['was reset', [steps.stream(begun), steps.reset()], { stream: true }],
      ['ended without its end', steps.stream(begun), { stream: true }],
      ['ended in an error', steps.stream([...begun, eventError]), { stream: true }],
      ['began with an error', steps.stream([eventError]), { stream: true }],
      ['was cut off, whole', [steps.reply({ choices: [] }, { headers: { 'content-length': '999' } })], {}],
      ['makes no sense', steps.reply('<html>'), {}],
      ['is a refusal', steps.reply({ error: { message: 'no' } }, { status: 400 }), {}],
      ['is an overload', steps.reply({ error: { message: 'no' } }, { status: 529 }), {}],
    ])('an answer that %s is given to nobody again', async (_, broken, fields) => {
      const upstream = await upstreamDuring(broken)
      const store = memoryCacheStore()
      const { site, end } = await startService(mount, {
        models: { m: upstream },
        authenticate,
        cache: responseCache({ ttlMs: 60_000, store }),
        maxAttempts: 1,
        timeouts: { firstByteMs: 500, responseMs: 500, idleMs: 500 },
      })
      const asked = { ...exact, ...fields }
      for (let n = 1; n <= 2; n++) {
        const got = await site.chat(asked, asking('ann'))
        expect(got.body).not.toContain('[DONE]')
        expect(got.headers['x-sluice-cache']).toBe('miss')
        expect((await end(n)).outcome).not.toBe('completed')
        expect(upstream.requests).toHaveLength(n)
      }
      expect(store.bytes).toBe(0)
      upstream.respondWith(steps.answer({ text: 'after all' }))
      expect((await site.chat(asked, asking('ann'))).headers['x-sluice-cache']).toBe('miss')
      await end(3)
      const hit = await site.chat(asked, asking('ann'))
      expect([hit.status, hit.headers['x-sluice-cache']]).toEqual([200, 'hit'])
    })

    it('an answer that its client left is given to nobody again, and a replay that is left does no harm', async () => {
      const upstream = await upstreamDuring([steps.stream(begun), steps.hang()])
      const store = memoryCacheStore()
      const { site, end, ends } = await startService(mount, {
        models: { m: upstream },
        cache: responseCache({ ttlMs: 60_000, store }),
      })
      const asked = { ...exact, stream: true }
      const left = await crowd(site, 1, asked)
      await left[0]?.waitFor('one')
      await leaveAll(left)
      expect((await end(1)).outcome).toBe('client_disconnected')
      expect(store.bytes).toBe(0)

      upstream.respondWith(steps.answer({ text: 'word '.repeat(3_000) }))
      const whole = await site.chat(asked)
      await end(2)
      const leaving = await crowd(site, 20, asked)
      await Promise.all(leaving.map(client => client.waitFor('word')))
      await leaveAll(leaving)
      await end(22)
      for (const event of ends.slice(2)) {
        expect(event).toMatchObject({ cache: 'hit', attempts: [], usage: undefined })
      }
      expect((await site.chat(asked)).body).toBe(whole.body)
      expect(upstream.requests).toHaveLength(2)
    })
  })
})

import { apiKeys, idempotency } from '@sluice/core'
import { memoryCacheStore } from '@sluice/core/store'
import { openSqlite } from '@sluice/sqlite'
import { chunks, completion, sse, steps } from '@sluice/testing'
import OpenAI from 'openai'
import { describe, expect, it, onTestFinished } from 'vitest'
import { asking, leaveAll } from './harness/crowd.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const key = 'a-key-that-everybody-knows'
const authenticate = apiKeys(['ann', 'bob'].map(id => ({ id, key: `key-of-${id}` })))
const as = (id: string, idempotencyKey = key) => ({
  key: `key-of-${id}`,
  headers: { 'idempotency-key': idempotencyKey },
})

describe('F63 two callers name the same idempotency key, and the gateway heeds it', () => {
  overServers(mount => {
    it.each([false, true])(
      'each has its own answer, once, and is charged for it once; stream: %s',
      async streamed => {
        const database = await openSqlite({ url: ':memory:' })
        onTestFinished(() => database.close())
        const upstream = await upstreamDuring(
          steps.answer({ text: 'for Ann' }),
          steps.answer({ text: 'for Bob' }),
        )
        const { site, end, leases } = await startService(mount, {
          models: { m: upstream },
          authenticate,
          ledger: database.ledger,
          idempotency: idempotency(),
        })
        const fields = {
          model: 'm',
          stream: streamed,
          stream_options: streamed ? { include_usage: true } : undefined,
        }
        const bodies: string[] = []
        for (const [n, id] of ['ann', 'bob', 'ann', 'bob', 'bob'].entries()) {
          const got = await site.chat(fields, as(id))
          expect([got.status, got.headers['idempotency-replayed']]).toEqual([200, n < 2 ? undefined : 'true'])
          expect(got.headers['cache-control']).toContain('no-store')
          bodies.push(got.body)
          await end(n + 1)
        }
        expect(bodies[2]).toBe(bodies[0])
        expect([bodies[3], bodies[4]]).toEqual([bodies[1], bodies[1]])
        expect(bodies[0]).toContain('Ann')
        expect(bodies[1]).toContain('Bob')
        expect(upstream.requests).toHaveLength(2)
        expect(leases.admitted).toBe(2)
        await database.ledger.flush?.()
        const rows = await database.usage({ by: ['key'] })
        expect(rows.map(({ by, requests, promptTokens }) => [by.key, requests, promptTokens])).toEqual([
          ['ann', 1, 9],
          ['bob', 1, 9],
        ])
      },
    )

    it('a forged key tells nobody of another: neither that it is used, nor of what it was used for', async () => {
      const upstream = await upstreamDuring(steps.answer({ text: 'secret' }))
      const { site, end } = await startService(mount, {
        models: { m: upstream },
        authenticate,
        idempotency: idempotency(),
      })
      await site.chat({ model: 'm' }, as('ann'))
      await end(1)
      const other = await site.chat({ model: 'm', user: 'x' }, as('ann'))
      expect([other.status, other.body.includes('secret')]).toEqual([422, false])
      upstream.respondWith(steps.answer({ text: 'mine' }))
      for (const fields of [
        { model: 'm', user: 'x' },
        { model: 'm', user: 'x' },
      ]) {
        const got = await site.chat(fields, as('bob'))
        expect([got.status, got.body.includes('mine'), got.body.includes('secret')]).toEqual([
          200,
          true,
          false,
        ])
      }
      expect(upstream.requests).toHaveLength(2)
    })

    it('of many at once one is answered, and a client library that tries again gets the same', async () => {
      const upstream = await upstreamDuring(
        [steps.wait(300), steps.reply(completion())],
        steps.answer({ text: 'again' }),
      )
      const { site } = await startService(mount, {
        models: { m: upstream },
        authenticate,
        idempotency: idempotency(),
      })
      const client = new OpenAI({
        apiKey: 'key-of-ann',
        baseURL: `http://127.0.0.1:${site.port}${site.pathOf('')}`,
        maxRetries: 4,
      })
      const completions = await Promise.all(
        Array.from({ length: 5 }, () =>
          client.chat.completions.create(
            { model: 'm', messages: [{ role: 'user', content: 'Hello' }] },
            { headers: { 'idempotency-key': key } },
          ),
        ),
      )
      expect(new Set(completions.map(({ id }) => id)).size).toBe(1)
      expect(upstream.requests).toHaveLength(1)
    })

    it('a client that leaves frees its key', async () => {
      const store = memoryCacheStore()
      const upstream = await upstreamDuring([steps.stream(sse(chunks()).slice(0, 2)), steps.hang()])
      const { site, end } = await startService(mount, {
        models: { m: upstream },
        idempotency: idempotency({ store }),
      })
      const headers = { 'idempotency-key': key }
      const clients = [await asking(site, { model: 'm', stream: true }, false, headers)]
      await clients[0]?.waitFor('Hello')
      expect((await site.chat({ model: 'm', stream: true }, { headers })).status).toBe(409)
      await leaveAll(clients)
      await end(2)
      expect(store.bytes).toBe(0)
      upstream.respondWith(steps.answer())
      expect((await site.chat({ model: 'm', stream: true }, { headers })).body).toContain('[DONE]')
    })
  })
})

import { steps } from '@sluice/testing'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { overEveryServer } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { targetAt } from './harness/target-at.ts'
import { upstreamDuring } from './harness/upstream.ts'

const clients = 200
const busy = steps.reply({ error: { message: 'busy' } }, { status: 503 })
const retry = { baseMs: 20, maxMs: 100 }
/** The last of so many is answered late on a busy machine. */
const patient = { timeout: 30_000 }

describe('F59 the upstream refuses everything, and 200 clients ask at once', () => {
  overEveryServer(mount => {
    it('is asked no more than a fifth more often, where it is never left alone', async () => {
      const upstream = await upstreamDuring(busy)
      const { site } = await startService(mount, { models: { m: upstream }, retry })
      const answers = await Promise.all(
        Array.from({ length: clients }, () => site.chat({ model: 'm' }, patient)),
      )
      expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([503]))
      expect(new Set(answers.map(({ headers }) => headers['x-should-retry']))).toEqual(new Set(['false']))
      expect(upstream.requests.length).toBeGreaterThan(clients)
      expect(upstream.requests.length).toBeLessThanOrEqual(1.2 * clients + 3)
    })

    it('is left alone by most of them, where it may be', async () => {
      const upstream = await upstreamDuring(busy)
      const { site, ends } = await startService(mount, { models: { m: upstream }, retry, breaker: {} })
      const ask = () => Promise.all(Array.from({ length: clients }, () => site.chat({ model: 'm' }, patient)))
      for (let round = 0; round < 2; round++) {
        for (const { status, headers } of await ask()) {
          expect(status).toBe(503)
          // Told not to come back, or when.
          expect(headers['x-should-retry'] === 'false' || Number(headers['retry-after']) >= 1).toBe(true)
        }
        expect(upstream.requests.length).toBeLessThanOrEqual(1.2 * clients + 3)
      }
      expect(ends.filter(({ attempts }) => attempts.length === 0).length).toBeGreaterThanOrEqual(clients)
    })

    it('is not asked more often by the official client, which repeats by itself what may pass', async () => {
      const upstream = await upstreamDuring(busy)
      const { site, ends } = await startService(mount, { models: { m: upstream }, retry })
      const client = new OpenAI({ apiKey: 'good-key', baseURL: site.place.baseURL, maxRetries: 2 })
      const messages = [{ role: 'user' as const, content: 'x' }]
      const ask = () => client.chat.completions.create({ model: 'm', messages })
      await expect(ask()).rejects.toMatchObject({ status: 503 })
      expect(upstream.requests).toHaveLength(3)
      const several = 50
      const asked = await Promise.allSettled(Array.from({ length: several }, ask))
      expect(asked.map(({ status }) => status)).toEqual(asked.map(() => 'rejected'))
      expect(ends).toHaveLength(1 + several)
      expect(upstream.requests.length).toBeLessThanOrEqual(1.2 * (1 + several) + 3)
    })

    it('is asked no more often for streams, nor where another target fails beside it', async () => {
      const upstreams = [await upstreamDuring(busy), await upstreamDuring(busy)]
      const { site } = await startService(mount, { models: { m: upstreams.map(targetAt) }, retry })
      const asked = Array.from({ length: clients }, (_, n) =>
        site.chat({ model: 'm', stream: n % 2 === 0 }, patient),
      )
      for (const { status, headers } of await Promise.all(asked)) {
        expect([status, headers['x-should-retry']]).toEqual([503, 'false'])
      }
      for (const { requests } of upstreams) {
        expect(requests.length).toBeGreaterThanOrEqual(clients)
        expect(requests.length).toBeLessThanOrEqual(1.2 * clients + 3)
      }
    })
  })
})

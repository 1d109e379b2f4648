import { once } from 'node:events'
import { createGateway, type EndEvent, models } from '@sluice/core'
import { local } from '@sluice/providers'
import type { Redis } from 'ioredis'
import { describe, expect, it, vi } from 'vitest'
import { defaultBreaker, defaultRetry } from '../../packages/core/src/upstream/health/health-options.ts'
import { describeWithRedis } from '../stores/servers/describe-with-redis.ts'
import { RedisServer } from '../stores/servers/redis-server.ts'
import { type Check, describePage } from './runner/describe-page.ts'
import { readPage, tableUnder } from './runner/markdown.ts'
import { callers, down, requestOf, routed } from './runner/routed.ts'

const page = 'docs/retries.md'

describeWithRedis('with Redis', () => {
  describePage(page, {
    again: async snippet => {
      const { post, answers, asked } = await routed(snippet)
      let calls = 0
      answers
        .set('south', down)
        .set('north', () => (calls++ === 0 ? { error: { status: 503, retryAfter: 0 } } : 'north'))
      expect(await post()).toMatchObject({ status: 200, text: 'north' })
      expect(asked()).toEqual(['north', 'south', 'north'])

      const failing = await routed(snippet)
      failing.answers.set('north', down).set('south', down)
      const { status, headers } = await failing.post()
      expect([status, headers.get('x-should-retry'), failing.asked().length]).toEqual([502, 'false', 4])

      const late = await routed(snippet)
      late.answers
        .set('north', { error: { status: 503, retryAfter: 11 } })
        .set('south', { error: { status: 404 } })
      expect(await late.post()).toMatchObject({ status: 404 })
      expect(late.asked()).toEqual(['north', 'south'])

      const picky = await routed(snippet)
      picky.answers.set('north', { error: { status: 404 } })
      expect(await picky.post({ model: 'picky' })).toMatchObject({ status: 404 })
      picky.answers.set('north', down)
      expect(await picky.post({ model: 'picky' })).toMatchObject({ text: 'south' })
    },

    breaker: async snippet => {
      const { post, answers, asked, printed } = await routed(snippet)
      answers.set('north', down)
      for (let count = 0; count < 3; count++) expect(await post()).toMatchObject({ status: 502 })
      const refused = await post()
      expect(refused).toMatchObject({ status: 503, text: 'server_is_overloaded' })
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(6)
      expect(asked()).toHaveLength(3)
      expect(printed).toEqual([expect.stringMatching(/^local north open \d+/)])
    },

    redis: async snippet => {
      const server = await RedisServer.start()
      try {
        const one = await routed(snippet, {}, code => code, { REDIS_URL: server.url })
        const other = await routed(snippet, {}, code => code, { REDIS_URL: server.url })
        const clients = [one, other].map(({ exports }) => exports.redis as Redis)
        for (const client of clients) if (client.status !== 'ready') await once(client, 'ready')
        other.answers.set('north', down)
        for (let count = 0; count < 5; count++) expect(await one.post()).toMatchObject({ text: 'south' })
        await vi.waitFor(async () => expect(await other.order()).toEqual(['south']), {
          timeout: 10_000,
          interval: 100,
        })
        for (const client of clients) client.removeAllListeners('error').on('error', () => {})
        for (const client of clients) client.disconnect()
      } finally {
        await server.stop()
      }
    },
  } satisfies Record<string, Check>)
})

describe('the tables', () => {
  it.each([
    ['## Retries and fallbacks', defaultRetry],
    ['## Circuit breaker and cooldown', defaultBreaker],
  ])('name every option with its default: %s', (heading, defaults) => {
    const told = tableUnder(page, heading).map(([name = '', , value = '']) => [
      name.replaceAll('`', ''),
      Number(value.replaceAll(',', '')),
    ])
    expect(Object.fromEntries(told)).toEqual(defaults)
  })

  it('name every kind of failure', () => {
    const [, kinds = ''] =
      /const kinds[^{]*\{(.*?)\}/s.exec(readPage('packages/core/src/routing/fallback.ts')) ?? []
    for (const [, kind] of kinds.matchAll(/(\w+): true/g)) expect(readPage(page)).toContain(`\`${kind}\``)
  })

  const rows = tableUnder(page, '## Failures by kind').flatMap(
    ([failure = '', next = '', again = '', health = '']) =>
      [...failure.matchAll(/\b[45]\d\d\b(?! before)/g)].map(([status]) => ({
        status: Number(status),
        next,
        again,
        health,
      })),
  )

  it('say what is done after a status', async () => {
    expect(rows.length).toBeGreaterThan(12)
    await Promise.all(
      rows.map(async ({ status, next, again, health }) => {
        const ends: EndEvent[] = []
        const making = () => local({ script: () => ({ error: { status } }) })('north')
        const gateway = createGateway({
          authenticate: callers,
          route: models({ both: [making(), local()('south')], alone: making() }),
          maxAttempts: 2,
          retry: { baseMs: 1, maxMs: 1 },
          breaker: { failures: 2 },
          observe: event => void (event.type === 'end' && ends.push(event)),
        })
        const states: unknown[] = []
        for (const model of ['both', 'alone', 'both', 'alone']) {
          await gateway.fetch(requestOf({ model }))
          const { candidates } = await gateway.explain(requestOf({ model }))
          states.push(candidates[0]?.skipped?.why)
        }
        const [both, alone] = ends.map(({ attempts }) => attempts.length)
        // Of the place that another one stands in for.
        expect({ status, both, alone, state: states[2] }).toEqual({
          status,
          both: next === 'at once' ? 2 : 1,
          alone: again === 'after a wait' ? 2 : 1,
          state: health.startsWith('cooldown') ? 'cooldown' : health === 'a failure' ? 'open' : undefined,
        })
        await gateway.close()
      }),
    )
  })
})

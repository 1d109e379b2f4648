import type { TargetEvent } from '@sluice/core'
import { steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { targetAt } from './harness/target-at.ts'
import { upstreamDuring } from './harness/upstream.ts'
import { oneOfEachWire, vendors } from './harness/wires.ts'

const error = { error: { message: 'Slow down.', type: 'rate_limit_error', code: null } }
const inSeconds = (seconds: number) => new Date(Date.now() + 1_000 * seconds).toUTCString()

/** What a vendor says, and what the caller is told: seconds. `undefined`: nothing. */
const waits: readonly (readonly [
  name: string,
  headers: Record<string, string>,
  seconds: string | undefined,
])[] = [
  ['a second', { 'retry-after': '1' }, '1'],
  ['half a minute', { 'retry-after': '30' }, '30'],
  ['a minute', { 'retry-after': '60' }, '60'],
  ['an hour', { 'retry-after': '3600' }, '60'],
  ['a day', { 'retry-after': '86400' }, '60'],
  ['longer than a day', { 'retry-after': '86401' }, undefined],
  ['longer than anybody lives', { 'retry-after': '999999999999' }, undefined],
  ['more digits than a number has', { 'retry-after': '9'.repeat(400) }, undefined],
  ['nothing', { 'retry-after': '0' }, '1'],
  ['part of a second', { 'retry-after': '0.2' }, '1'],
  ['a second and a bit', { 'retry-after': '1.2' }, '2'],
  ['less than nothing', { 'retry-after': '-5' }, undefined],
  ['a word', { 'retry-after': 'soon' }, undefined],
  ['an empty text', { 'retry-after': '' }, undefined],
  ['infinity', { 'retry-after': 'Infinity' }, undefined],
  ['a number in another form', { 'retry-after': '0x10' }, undefined],
  ['an exponent', { 'retry-after': '1e3' }, undefined],
  ['two values', { 'retry-after': '5, 7' }, undefined],
  ['words that a lenient clock reads', { 'retry-after': '2040' + '-01-01' }, undefined],
  ['a date in an hour', { 'retry-after': inSeconds(3_600) }, '60'],
  ['a date gone by', { 'retry-after': inSeconds(-3_600) }, '1'],
  ['no date', { 'retry-after': 'Mon, 99 Foo 2030 00:00:00 GMT' }, undefined],
  ['milliseconds', { 'retry-after-ms': '1500' }, '2'],
  ['few milliseconds', { 'retry-after-ms': '20' }, '1'],
  ['very many milliseconds', { 'retry-after-ms': '86400000' }, '60'],
  ['milliseconds before seconds', { 'retry-after-ms': '3000', 'retry-after': '9' }, '3'],
  ['milliseconds that are none, before seconds', { 'retry-after-ms': 'x', 'retry-after': '9' }, '9'],
  ['milliseconds below 0', { 'retry-after-ms': '-1' }, undefined],
  ['a limit used up', { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '6.5s' }, '7'],
  [
    'a limit with room',
    { 'x-ratelimit-remaining-requests': '1', 'x-ratelimit-reset-requests': '6.5s' },
    undefined,
  ],
]

describe('F55 an upstream asks to wait: for an hour, for less than nothing, or in a form of its own', () => {
  overServers(mount => {
    it.each(waits)('%s', async (_, headers, seconds) => {
      const upstream = await upstreamDuring(steps.reply(error, { status: 429, headers }))
      const { site, end } = await startService(mount, { models: { m: upstream } })
      for (const stream of [false, true]) {
        const refused = await site.chat({ model: 'm', stream })
        expect(refused.status).toBe(429)
        expect(refused.json).toMatchObject({ error: { code: 'rate_limit_exceeded' } })
        expect(refused.body).not.toContain('Slow down')
        expect(refused.headers['retry-after']).toBe(seconds)
        const ms = Number(refused.headers['retry-after-ms'] ?? Number.NaN)
        // Both say the same, for some clients read the one and some the other.
        if (seconds === undefined) expect(refused.headers).not.toHaveProperty('retry-after-ms')
        else expect([ms >= 1_000, ms <= 60_000, Math.ceil(ms / 1_000)]).toEqual([true, true, Number(seconds)])
      }
      expect(await end()).toMatchObject({ outcome: 'upstream_failed', status: 429 })
    })

    it.each(waits)('%s is how long it is left alone, and the next answers', async (_, headers, seconds) => {
      const busy = await upstreamDuring(steps.reply(error, { status: 429, headers }))
      const next = await upstreamDuring(steps.answer())
      const { site, end, events } = await startService(mount, {
        models: { m: [busy, next].map(targetAt) },
        breaker: {},
        retry: {},
      })
      for (const stream of [false, true]) {
        const answered = await site.chat({ model: 'm', stream })
        expect([answered.status, answered.headers['retry-after']]).toEqual([200, undefined])
      }
      expect(await end(1)).toMatchObject({ attempts: [{ status: 429 }, { why: 'fallback', waitedMs: 0 }] })
      expect(await end(2)).toMatchObject({
        attempts: [{ why: 'first', error: undefined }],
        trace: { candidates: [{ skipped: { why: 'cooldown' } }, {}] },
      })
      const target = events.filter((event): event is TargetEvent => event.type === 'target')
      expect(target.map(({ state }) => state)).toEqual(['cooldown'])
      // From a second to a minute, whatever it said.
      expect(Math.ceil(Math.round(target[0]?.waitMs ?? 0) / 1_000)).toBe(Number(seconds ?? 1))
      expect(busy.requests).toHaveLength(1)
    })

    it('an hour is not waited for where there is no other, and a moment is', async () => {
      const limited = (ms: number) =>
        steps.reply(error, { status: 429, headers: { 'retry-after-ms': String(ms) } })
      const upstream = await upstreamDuring(limited(3_600_000), limited(300), steps.answer())
      const { site, end } = await startService(mount, { models: { m: upstream }, retry: {} })
      expect(await site.chat({ model: 'm' })).toMatchObject({ status: 429, headers: { 'retry-after': '60' } })
      expect((await end(1)).attempts).toHaveLength(1)
      expect((await site.chat({ model: 'm' })).status).toBe(200)
      const [first, again] = (await end(2)).attempts
      expect(again?.why).toBe('retry')
      // From the failure on: a busy process begins to wait later.
      expect(again!.startMs - first!.startMs - first!.ms).toBeGreaterThanOrEqual(290)
    })

    it.each([429, 503])('half a minute is told to the caller at once, by a %i', async status => {
      const upstream = await upstreamDuring(steps.reply(error, { status, headers: { 'retry-after': '30' } }))
      const { site, end } = await startService(mount, { models: { m: upstream }, retry: {}, breaker: {} })
      expect(await site.chat({ model: 'm' })).toMatchObject({ status, headers: { 'retry-after': '30' } })
      expect((await end()).attempts).toHaveLength(1)
    })

    it('no longer than the whole request may take', async () => {
      const limited = steps.reply(error, { status: 429, headers: { 'retry-after': '5' } })
      const upstream = await upstreamDuring(limited)
      const timeouts = { totalMs: 3_000 }
      const { site, end } = await startService(mount, { models: { m: upstream }, retry: {}, timeouts })
      expect(await site.chat({ model: 'm' })).toMatchObject({ status: 429, headers: { 'retry-after': '5' } })
      const { attempts, timings } = await end()
      expect([attempts.length, timings.total < 3_000]).toEqual([1, true])
    })

    it('a date half a minute away is half a minute', async () => {
      const upstream = await upstreamDuring(() =>
        steps.reply(error, { status: 503, headers: { 'retry-after': inSeconds(30) } }),
      )
      const { site } = await startService(mount, { models: { m: upstream } })
      const { status, headers } = await site.chat({ model: 'm' })
      expect(status).toBe(503)
      expect(Number(headers['retry-after'])).toBeGreaterThan(15)
      expect(Number(headers['retry-after'])).toBeLessThanOrEqual(30)
    })

    it.each(Object.entries(oneOfEachWire))(
      '%s is not waited for: the next is asked at once',
      async (_, vendor) => {
        const busy = await upstreamDuring(
          steps.reply(error, { status: 429, headers: { 'retry-after': '3600' } }),
        )
        const backup = await upstreamDuring(steps.answer({ text: 'the other one' }))
        const second = vendors.openai!.at(backup.url)
        const { site, end } = await startService(mount, { models: { m: [vendor.at(busy.url), second] } })
        const { status, headers, body } = await site.chat({ model: 'm' })
        expect([status, body]).toEqual([200, expect.stringContaining('the other one')])
        expect(headers).not.toHaveProperty('retry-after')
        const { attempts } = await end()
        expect(attempts).toMatchObject([
          { error: { status: 429, retryAfterMs: 3_600_000 } },
          { error: undefined },
        ])
        expect(busy.requests).toHaveLength(1)
      },
    )
  })
})

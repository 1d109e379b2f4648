import type { TargetEvent } from '@sluice/core'
import { type Script, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import type { Mount } from '../../e2e/mounts/mounts.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { targetAt } from './harness/target-at.ts'
import { upstreamDuring } from './harness/upstream.ts'

const busy = steps.reply({ error: { message: 'busy' } }, { status: 503 })
const limited = (seconds: number) =>
  steps.reply(
    { error: { message: 'slow down' } },
    { status: 429, headers: { 'retry-after': String(seconds) } },
  )
type Told = { readonly status: number; readonly code: string; readonly type: string }
const overloaded: Told = { status: 503, code: 'server_is_overloaded', type: 'service_unavailable_error' }
const unreachable: Told = { status: 502, code: 'bad_gateway', type: 'server_error' }
const rateLimited: Told = { status: 429, code: 'rate_limit_exceeded', type: 'requests' }
const breaker = { failures: 2, openMs: 20_000 }

/** A service with a place for each script, after as many requests as it takes for all of them to be left alone. */
async function leftAlone(mount: Mount, ...scripts: Script[]) {
  const upstreams = await Promise.all(scripts.map(script => upstreamDuring(script)))
  const service = await startService(mount, {
    models: { m: upstreams.map(targetAt) },
    breaker,
    random: () => 0.5,
    timeouts: { firstByteMs: 100, responseMs: 100, idleMs: 100 },
  })
  const ask = (fields: object = {}) => service.site.chat({ model: 'm', ...fields })
  const states = () => service.events.filter((it): it is TargetEvent => it.type === 'target')
  for (let n = 0; n < 4 && states().length < scripts.length; n++) await ask()
  expect(states()).toHaveLength(scripts.length)
  const calls = () => upstreams.map(({ requests }) => requests.length)
  return { ...service, upstreams, ask, states, calls }
}

describe('F61 every place of a model is left alone, and requests come', () => {
  overServers(mount => {
    it.each<[string, readonly Script[], readonly [least: number, most: number], Told]>([
      ['failed too often', [busy], [19, 20], overloaded],
      ['failed too often, both', [busy, busy], [19, 20], overloaded],
      ['is silent', [steps.hang()], [19, 20], unreachable],
      ['is silent, or failed', [steps.hang(), busy], [19, 20], overloaded],
      ['asked for a pause', [limited(7)], [6, 7], rateLimited],
      [
        'asked for a pause, and the other for a longer one',
        [limited(3_600), limited(30)],
        [29, 30],
        rateLimited,
      ],
      ['failed, and the other asked for a short pause', [busy, limited(5)], [1, 5], rateLimited],
    ])('is told why, and when to come again: one that %s', async (_, scripts, [least, most], told) => {
      const { ask, calls, ends } = await leftAlone(mount, ...scripts)
      const [before, records] = [calls(), ends.length]
      for (const stream of [false, true]) {
        const answered = await ask({ stream })
        const { status, ...error } = told
        expect(answered).toMatchObject({ status, json: { error: { ...error, param: null } } })
        const wait = Number(answered.headers['retry-after'])
        expect([wait >= least, wait <= most], String(wait)).toEqual([true, true])
        expect(Math.ceil(Number(answered.headers['retry-after-ms']) / 1_000)).toBe(wait)
      }
      expect(calls()).toEqual(before)
      for (const record of ends.slice(records)) {
        const { status } = told
        expect(record).toMatchObject({ outcome: 'refused', status, attempts: [], usage: undefined })
        expect(record.trace.candidates.map(({ skipped }) => skipped?.why)).toEqual(
          scripts.map(() => expect.stringMatching(/^(open|cooldown)$/)),
        )
      }
    })

    it('is told within 5 ms, and no later than that there is no such model', async () => {
      const { ask, calls, ends } = await leftAlone(mount, busy, busy)
      const [before, started] = [calls(), performance.now()]
      const rounds = 75
      const times: Record<'refused' | 'unknown', number[]> = { refused: [], unknown: [] }
      // Turn by turn, so that both have as much of a busy machine.
      for (let n = 0; n < rounds; n++) {
        for (const [name, model, status] of [
          ['refused', 'm', 503],
          ['unknown', 'none', 404],
        ] as const) {
          const from = performance.now()
          expect((await ask({ model, stream: n % 2 === 0 })).status).toBe(status)
          times[name].push(performance.now() - from)
        }
      }
      // Each is asked once a second all the same.
      const seconds = (performance.now() - started) / 1_000
      for (const [place, count] of calls().entries()) {
        expect(count - before[place]!).toBeLessThanOrEqual(seconds + 1)
      }
      const own = ends.filter(({ status }) => status === 503).map(({ timings }) => timings.total)
      expect(median(own.slice(-rounds))).toBeLessThan(5)
      expect(median(times.refused)).toBeLessThan(median(times.unknown) + 5)
    })

    it('is the end of no other model, nor of a place that may be asked', async () => {
      const [down, well] = [await upstreamDuring(busy), await upstreamDuring(steps.answer())]
      const [first, second] = [down, well].map(targetAt)
      const { site, end } = await startService(mount, {
        models: { alone: first!, both: [first!, second!], other: second! },
        breaker,
      })
      for (const status of [503, 503, 503]) expect((await site.chat({ model: 'alone' })).status).toBe(status)
      expect((await site.chat({ model: 'both', stream: true })).body).toContain('[DONE]')
      expect((await site.chat({ model: 'other' })).status).toBe(200)
      expect([down.requests.length, (await end(4)).attempts]).toMatchObject([2, [{ why: 'first' }]])
    })
  })
})

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}

import type { GatewayOptions, Lease } from '@sluice/core'
import { readSse } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { completionOf } from '../../e2e/conformance/completion-of.ts'
import { allMisdeeds, misdeeds, ownWords, refusal } from './harness/misdeeds.ts'
import { overEveryServer } from './harness/servers.ts'
import { describeChanges } from './user-functions/changes.ts'
import { serviceWith } from './user-functions/service-with.ts'
import { describeUpstreamFunctions } from './user-functions/upstream-functions.ts'

const closed = ['authenticate', 'route', 'authorize', 'limits'] as const
const rows = closed.flatMap(name =>
  Object.entries(allMisdeeds).map(([deed, run]) => [name, deed, run] as const),
)

describe("F86 a function of the user's throws, rejects, hangs, gives garbage or changes what it is given", () => {
  overEveryServer(mount => {
    it.each(rows)('%s %s: nobody is let in', async (name, deed, run) => {
      const own = { [name]: name === 'limits' ? { admit: run } : run } as Partial<GatewayOptions>
      const { site, upstream, ends, admitted } = await serviceWith(mount, own)
      const { status, received } = await site.chat()
      // Callers and limits may be in a store, which does not respond.
      const isStalledStore = deed === 'hangs' && (name === 'authenticate' || name === 'limits')
      const expected = isStalledStore
        ? { outcome: 'refused', status: 503 }
        : { outcome: 'internal_error', status: 500 }
      expect(status).toBe(expected.status)
      expect(Buffer.from(received).toString()).not.toContain(ownWords)
      expect(await ends.first()).toMatchObject(expected)
      expect(upstream.requests).toHaveLength(0)
      expect(admitted()).toBe(0)
    })

    it.each([
      ['authenticate', () => undefined, 401],
      ['authenticate', () => null, 401],
      ['authenticate', () => false, 401],
      ['authenticate', () => true, 500],
      ['authenticate', () => ({ id: '' }), 500],
      ['authenticate', () => ({ id: 7 }), 500],
      ['authenticate', () => ({ id: 'ann', models: 'local' }), 500],
      ['authenticate', () => ({ id: 'ann', models: [7] }), 500],
      ['authenticate', () => ({ id: 'ann', models: {} }), 500],
      ['authenticate', refusal, 429],
      ['route', () => [], 404],
      ['route', () => undefined, 500],
      ['route', () => null, 500],
      ['route', () => [{ provider: { encode: () => {} }, model: 'm' }], 500],
      ['route', refusal, 429],
      ['authorize', () => undefined, 403],
      ['authorize', () => null, 403],
      ['authorize', () => false, 403],
      ['authorize', () => 'no', 500],
      ['authorize', () => ({ allowed: false }), 500],
      ['authorize', refusal, 429],
      ['limits', () => undefined, 500],
      ['limits', () => null, 500],
      ['limits', () => true, 500],
      ['limits', () => ({ headers: {} }), 500],
      ['limits', refusal, 429],
    ])('%s that gives %o is %i', async (name, run, expected) => {
      const own = { [name]: name === 'limits' ? { admit: run } : run } as Partial<GatewayOptions>
      const { site, upstream, ends } = await serviceWith(mount, own)
      expect((await site.chat()).status).toBe(expected)
      await ends.first()
      expect(upstream.requests).toHaveLength(0)
    })

    it('room that is given too late is given back', async () => {
      const returned: unknown[] = []
      let give: (lease: Lease) => void = () => {}
      const late = new Promise<Lease>(resolve => {
        give = resolve
      })
      const { site, upstream } = await serviceWith(mount, { limits: { admit: () => late } })
      expect((await site.chat()).status).toBe(503)
      const back = new Promise<void>(resolve => {
        give({
          headers: {},
          settle: usage => {
            returned.push(usage)
            resolve()
          },
        })
      })
      await back
      expect(returned).toEqual([undefined])
      expect(upstream.requests).toHaveLength(0)
    })

    it.each(Object.entries(misdeeds))(
      'a lease whose settle %s costs no answer and no record',
      async (_, settle) => {
        for (const stream of [false, true]) {
          let calls = 0
          const lease = {
            headers: {},
            settle: () => {
              calls++
              return settle()
            },
          }
          const { site, ends } = await serviceWith(mount, { limits: { admit: () => lease } })
          const { status, body } = await site.chat({ stream })
          expect(status).toBe(200)
          expect(body).toContain(stream ? '[DONE]' : '"finish_reason":"stop"')
          expect(await ends.first()).toMatchObject({ outcome: 'completed' })
          expect(calls).toBe(1)
        }
      },
    )

    it.each(Object.entries(misdeeds))(
      'an observer that %s costs no answer and no room',
      async (_, observe) => {
        let calls = 0
        const { site, settled } = await serviceWith(mount, {
          observe: () => {
            calls++
            return observe()
          },
        })
        expect(completionOf(await site.chat()).choices[0]?.message.content).toBe('Hello')
        const streamed = await site.chat({ stream: true })
        expect((await readSse(streamed.bytes)).done).toBe(true)
        expect((await site.chat({ model: 'none' })).status).toBe(404)
        // Of each a beginning and an end, but for the one without a model.
        expect(calls).toBe(5)
        expect(settled).toHaveLength(2)
      },
    )

    it.each(Object.entries(misdeeds))(
      'an id, a clock or a random number that %s costs no answer',
      async (_, run) => {
        const { site } = await serviceWith(mount, { generateId: run, now: run, random: run })
        const before = Math.floor(Date.now() / 1_000) - 1
        const whole = await site.chat()
        const { id, created } = completionOf(whole)
        expect(id).toMatch(/^chatcmpl-[\x21-\x7e]+$/)
        expect(Number.isSafeInteger(created)).toBe(true)
        expect(whole.headers['x-request-id']).toMatch(/^req_[\x21-\x7e]+$/)
        if (run !== misdeeds['gives a number']) expect(created).toBeGreaterThanOrEqual(before)
        const streamed = await site.chat({ stream: true })
        expect((await readSse(streamed.bytes)).done).toBe(true)
      },
    )

    describeChanges(mount)
    describeUpstreamFunctions(mount)
  })
})

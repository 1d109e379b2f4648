import { chunks, completion, readSse, sse, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { targetAt } from './harness/target-at.ts'
import { upstreamDuring } from './harness/upstream.ts'

const events = sse(chunks({ text: 'one two three' }))
const timeouts = { firstByteMs: 300, responseMs: 300, idleMs: 300 }
const timeout = { error: { code: 'timeout', type: 'server_error', param: null } }

describe('F40 the upstream takes the request and is silent, before its head or after it', () => {
  overServers(mount => {
    it.each([false, true])(
      'is given up for the next target while nothing was sent, stream: %s',
      async stream => {
        const silent = await upstreamDuring(steps.hang(), [steps.head(), steps.hang()])
        const next = await upstreamDuring(steps.answer())
        const { site, end } = await startService(mount, {
          models: { m: [silent, silent, next].map(targetAt) },
          timeouts,
          stream: { holdMs: 50 },
        })
        const answered = await site.chat({ model: 'm', stream })
        expect(answered.status).toBe(200)
        expect(answered.body).toContain('Hello')
        if (stream) expect((await readSse(answered.bytes)).comments).toEqual([])
        expect(await end()).toMatchObject({
          outcome: 'completed',
          attempts: [
            { called: true, error: { kind: stream ? 'first_byte_timeout' : 'response_timeout' } },
            { called: true, error: { kind: stream ? 'idle_timeout' : 'response_timeout' } },
            { called: true, error: undefined },
          ],
        })
        // Not left open: both calls were closed.
        await silent.waitForIdle()
        expect(silent.requests).toHaveLength(2)
      },
    )

    it('is given up before a head or a comment is sent, however soon those are due', async () => {
      const silent = await upstreamDuring(steps.hang())
      const next = await upstreamDuring(steps.answer())
      const { site, end } = await startService(mount, {
        models: { m: [silent, silent, next].map(targetAt) },
        timeouts,
        retry: {},
        stream: { holdMs: 20, keepAliveMs: 20 },
      })
      const answered = await site.chat({ model: 'm', stream: true })
      const { done, text } = await readSse(answered.bytes)
      expect({ status: answered.status, done, text }).toEqual({ status: 200, done: true, text: 'Hello' })
      // Whoever has sent anything asks nobody else.
      expect((await end()).attempts).toMatchObject([
        { why: 'first' },
        { why: 'fallback' },
        { why: 'fallback' },
      ])
    })

    it('is waited for, with comments, once it has sent its own head: it is at work', async () => {
      const silent = await upstreamDuring([steps.head(), steps.hang()])
      const next = await upstreamDuring(steps.answer())
      const { site, end } = await startService(mount, {
        models: { m: [silent, next].map(targetAt) },
        timeouts,
        stream: { holdMs: 20, keepAliveMs: 50 },
      })
      const { chunks, comments, done } = await readSse((await site.chat({ model: 'm', stream: true })).bytes)
      expect([comments.length > 0, done]).toEqual([true, false])
      expect(chunks).toMatchObject([timeout])
      expect((await end()).attempts).toMatchObject([{ error: { kind: 'idle_timeout' } }])
      expect(next.requests).toHaveLength(0)
    })

    it.each([false, true])('is a 504 where there is no other, in time, stream: %s', async stream => {
      const silent = await upstreamDuring(steps.hang())
      const { site, end } = await startService(mount, { models: { m: silent }, timeouts })
      const before = performance.now()
      expect(await site.chat({ model: 'm', stream })).toMatchObject({ status: 504, json: timeout })
      expect(performance.now() - before).toBeLessThan(3_000)
      expect(await end()).toMatchObject({
        outcome: 'upstream_failed',
        status: 504,
        // The upstream may have made all of the answer.
        usage: { completion_tokens: 4_096 },
        usageEstimated: true,
      })
      await silent.waitForIdle()
    })

    it('is told in the stream where its head was sent, and nothing is asked again', async () => {
      const silent = await upstreamDuring(
        [steps.head(), steps.hang()],
        [steps.stream(events.slice(0, 3)), steps.hang()],
      )
      const next = await upstreamDuring(steps.answer())
      const { site, end } = await startService(mount, {
        models: { m: [silent, next].map(targetAt), alone: silent },
        timeouts,
        stream: { holdMs: 50 },
      })
      for (const [n, model, said] of [
        [1, 'alone', ''],
        [2, 'm', 'one two'],
      ] as const) {
        const answered = await site.chat({ model, stream: true })
        expect(answered).toMatchObject({ status: 200, complete: true })
        const { chunks, done, text } = await readSse(answered.bytes)
        expect({ done, text }).toEqual({ done: false, text: said })
        expect(chunks.at(-1)).toMatchObject(timeout)
        expect(await end(n)).toMatchObject({
          outcome: 'upstream_failed',
          attempts: [{ called: true, error: { kind: 'idle_timeout' } }],
        })
      }
      expect(next.requests).toHaveLength(0)
      await silent.waitForIdle()
    })

    it('is bridged by comments where there is no other, and nothing is asked again after them', async () => {
      const silent = await upstreamDuring(steps.hang())
      const { site, end } = await startService(mount, {
        models: { m: silent },
        retry: {},
        timeouts,
        stream: { keepAliveMs: 50 },
      })
      const answered = await site.chat({ model: 'm', stream: true })
      expect(answered.status).toBe(200)
      const { chunks, comments, done } = await readSse(answered.bytes)
      expect(done).toBe(false)
      expect(comments.length).toBeGreaterThan(0)
      expect(chunks).toMatchObject([timeout])
      expect((await end()).attempts).toMatchObject([{ error: { kind: 'first_byte_timeout' } }])
      expect(silent.requests).toHaveLength(1)
    })

    it.each([
      ['its request', steps.hang()],
      ['its head', [steps.head(), steps.hang()]],
    ])('is not waited for any more, where it was silent before, after %s', async (_, script) => {
      const silent = await upstreamDuring(script)
      const next = await upstreamDuring(steps.answer())
      const { site, end } = await startService(mount, {
        models: { m: [silent, next].map(targetAt) },
        timeouts,
        retry: {},
        breaker: { failures: 1 },
      })
      for (const n of [1, 2, 3]) {
        expect((await site.chat({ model: 'm', stream: true })).body).toContain('[DONE]')
        expect((await end(n)).attempts).toHaveLength(n === 1 ? 2 : 1)
      }
      expect(silent.requests).toHaveLength(1)
    })

    it('is not asked again, however short its silence: it would be as long again', async () => {
      const silent = await upstreamDuring(steps.hang())
      const { site, end } = await startService(mount, { models: { m: silent }, timeouts, retry: {} })
      expect((await site.chat({ model: 'm', stream: true })).status).toBe(504)
      expect((await end()).attempts).toMatchObject([{ error: { kind: 'first_byte_timeout' } }])
      expect(silent.requests).toHaveLength(1)
    })

    it('is not what a slow upstream is, whose pauses are each shorter', async () => {
      const pause = steps.wait(200)
      const slow = await upstreamDuring(
        [pause, steps.head(), ...events.flatMap(event => [pause, steps.stream([event])])],
        [pause, steps.reply(completion(), { split: { seed: 1, max: 200 }, delay: 50 })],
      )
      const { site } = await startService(mount, {
        models: { m: slow },
        timeouts: { firstByteMs: 1_000, responseMs: 1_000, idleMs: 1_000 },
      })
      const { done, text } = await readSse((await site.chat({ model: 'm', stream: true })).bytes)
      expect({ done, text }).toEqual({ done: true, text: 'one two three' })
      expect((await site.chat({ model: 'm' })).status).toBe(200)
    })

    const json = { headers: { 'content-type': 'application/json' } }
    const complete = steps.body(JSON.stringify(completion()))

    it.each([
      ['its head', [steps.wait(400), steps.reply(completion())]],
      ['its body', [steps.head(json), steps.wait(400), complete]],
    ])(
      'is not what an upstream is that sends %s when a non-streamed answer is complete',
      async (_, script) => {
        const slow = await upstreamDuring(script)
        const next = await upstreamDuring(steps.answer())
        const { site, end } = await startService(mount, {
          models: { m: [slow, next].map(targetAt) },
          timeouts: { firstByteMs: 100, idleMs: 100 },
        })
        expect(await site.chat({ model: 'm' })).toMatchObject({ status: 200 })
        expect((await end()).attempts).toMatchObject([{ error: undefined }])
        expect(next.requests).toHaveLength(0)
      },
    )

    it.each([
      [
        'goes on too long',
        [steps.head(json), steps.drip(' '.repeat(10_000), 20)],
        { responseMs: 300 },
        'response_timeout',
      ],
      ['stops midway', [steps.head(json), steps.body('{'), steps.hang()], { idleMs: 100 }, 'idle_timeout'],
    ])('is given up for the next where a non-streamed answer %s', async (_, script, timeouts, kind) => {
      const endless = await upstreamDuring(script)
      const next = await upstreamDuring(steps.answer())
      const { site, end } = await startService(mount, {
        models: { m: [endless, next].map(targetAt) },
        timeouts,
      })
      expect(await site.chat({ model: 'm' })).toMatchObject({ status: 200 })
      expect((await end()).attempts).toMatchObject([{ error: { kind } }, { error: undefined }])
      await endless.waitForIdle()
    })

    it('goes on without end until the total deadline, which leaves no time for another target', async () => {
      const endless = await upstreamDuring([
        steps.head(),
        ...Array.from({ length: 100 }, () => [steps.wait(50), steps.stream([': wait\n\n'])]).flat(),
      ])
      const next = await upstreamDuring(steps.answer())
      const { site, end } = await startService(mount, {
        models: { m: [endless, next].map(targetAt) },
        timeouts: { totalMs: 600 },
      })
      expect(await site.chat({ model: 'm' })).toMatchObject({ status: 504, json: timeout })
      expect((await end()).attempts).toMatchObject([{ error: { kind: 'total_timeout' } }])
      expect(next.requests).toHaveLength(0)
      await endless.waitForIdle()
    })
  })
})

import { answer, chunks, completion, hang, head, readSse, reply, sse, stream, wait } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { targetAt } from './harness/target-at.ts'
import { upstreamDuring } from './harness/upstream.ts'

const events = sse(chunks({ text: 'one two three' }))
const timeouts = { firstByteMs: 300, idleMs: 300 }
const timeout = { error: { code: 'timeout', type: 'server_error', param: null } }

describe('F40 the upstream takes the request and is silent, before its head or after it', () => {
  overServers(mount => {
    it.each([false, true])(
      'is given up for the next target while nothing was sent, stream: %s',
      async stream => {
        const silent = await upstreamDuring(hang(), [head(), hang()])
        const next = await upstreamDuring(answer())
        const { site, end } = await startService(mount, {
          models: { m: [silent, silent, next].map(targetAt) },
          timeouts,
          // Longer than `idleMs`: no head is sent before the upstream is given up.
          stream: { holdMs: 5_000 },
        })
        const answered = await site.chat({ model: 'm', stream })
        expect(answered.status).toBe(200)
        expect(answered.body).toContain('Hello')
        expect(await end()).toMatchObject({
          outcome: 'completed',
          attempts: [
            { called: true, error: { kind: 'first_byte_timeout' } },
            { called: true, error: { kind: 'idle_timeout' } },
            { called: true, error: undefined },
          ],
        })
        // Not left open: both calls were closed.
        await silent.waitForIdle()
        expect(silent.requests).toHaveLength(2)
      },
    )

    it.each([false, true])('is a 504 where there is no other, in time, stream: %s', async stream => {
      const silent = await upstreamDuring(hang())
      const { site, end } = await startService(mount, { models: { m: silent }, timeouts })
      const before = performance.now()
      expect(await site.chat({ model: 'm', stream })).toMatchObject({ status: 504, json: timeout })
      expect(performance.now() - before).toBeLessThan(3_000)
      expect(await end()).toMatchObject({ outcome: 'upstream_failed', status: 504, usage: undefined })
      await silent.waitForIdle()
    })

    it('is told in the stream where its head was sent, and no other target is asked', async () => {
      const silent = await upstreamDuring([head(), hang()], [stream(events.slice(0, 3)), hang()])
      const next = await upstreamDuring(answer())
      const { site, end } = await startService(mount, {
        models: { m: [silent, next].map(targetAt) },
        timeouts,
        stream: { holdMs: 50 },
      })
      for (const [n, said] of [
        [1, ''],
        [2, 'one two'],
      ] as const) {
        const answered = await site.chat({ model: 'm', stream: true })
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

    it('is bridged by comments, after which no other target is asked', async () => {
      const silent = await upstreamDuring(hang())
      const next = await upstreamDuring(answer())
      const { site, end } = await startService(mount, {
        models: { m: [silent, next].map(targetAt) },
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
      expect(next.requests).toHaveLength(0)
    })

    it('is not what a slow upstream is, whose pauses are each shorter', async () => {
      const pause = wait(200)
      const slow = await upstreamDuring(
        [pause, head(), ...events.flatMap(event => [pause, stream([event])])],
        [pause, reply(completion(), { split: { seed: 1, max: 200 }, delay: 50 })],
      )
      const { site } = await startService(mount, {
        models: { m: slow },
        timeouts: { firstByteMs: 1_000, idleMs: 1_000 },
      })
      const { done, text } = await readSse((await site.chat({ model: 'm', stream: true })).bytes)
      expect({ done, text }).toEqual({ done: true, text: 'one two three' })
      expect((await site.chat({ model: 'm' })).status).toBe(200)
    })

    it('goes on without end until the total deadline, which leaves no time for another target', async () => {
      const endless = await upstreamDuring([
        head(),
        ...Array.from({ length: 100 }, () => [wait(50), stream([': wait\n\n'])]).flat(),
      ])
      const next = await upstreamDuring(answer())
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

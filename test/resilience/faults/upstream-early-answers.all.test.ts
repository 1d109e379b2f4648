import { chunks, completion, sse, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { overEveryServer } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { targetAt } from './harness/target-at.ts'
import { upstreamDuring } from './harness/upstream.ts'

/** 10 MB, more than what lies in the kernel's buffers. */
const messages = Array.from({ length: 2 }, () => ({ role: 'user', content: 'x'.repeat(5_000_000) }))
const asked = { model: 'm', messages }
const error = { error: { message: 'No.', type: 'x', param: null, code: null } }
const keepAlive = { headers: { connection: 'keep-alive' } }

describe('F90 the upstream answers, or resets, before 10 MB of request were sent', () => {
  overEveryServer(mount => {
    it.each([
      [413, 413],
      [429, 429],
      [401, 502],
      [500, 502],
      [503, 503],
    ])('with %i, which the caller is told as %i', async (status, told) => {
      const upstream = await upstreamDuring(steps.early(steps.reply(error, { status })))
      const { site, end } = await startService(mount, { models: { m: upstream } })
      for (const [n, stream] of [
        [1, false],
        [2, true],
      ] as const) {
        expect(await site.chat({ ...asked, stream })).toMatchObject({ status: told, json: { error: {} } })
        expect(await end(n)).toMatchObject({
          outcome: 'upstream_failed',
          status: told,
          usage: undefined,
          attempts: [{ called: true, error: { kind: 'refused', status } }],
        })
      }
      await upstream.waitForIdle()
    })

    it('with a reset, before or behind an answer: a real status, or the next target', async () => {
      const upstream = await upstreamDuring(
        steps.early(steps.reset(), 'leave'),
        steps.early(steps.reset({ after: 0 }), 'leave'),
      )
      const next = await upstreamDuring(steps.answer())
      const { site, ends } = await startService(mount, {
        models: { m: upstream, list: [upstream, next].map(targetAt) },
      })
      expect(await site.chat(asked)).toMatchObject({ status: 502, json: { error: { code: 'bad_gateway' } } })
      expect((await site.chat({ ...asked, model: 'list' })).status).toBe(200)
      expect(ends).toMatchObject([
        {
          outcome: 'upstream_failed',
          attempts: [{ error: { kind: 'unreachable', staleConnection: false } }],
        },
        { outcome: 'completed', attempts: [{ error: { kind: 'unreachable' } }, { error: undefined }] },
      ])
      expect(next.requests[0]?.bytes.length).toBeGreaterThan(10_000_000)
      // The reset may overtake the answer.
      upstream.respondWith(steps.early([steps.reply(error, { status: 413 }), steps.reset()], 'leave'))
      expect([413, 502]).toContain((await site.chat(asked)).status)
      await upstream.waitForIdle()
    })

    it('with a right answer, without having read: it counts, and the rest is not sent', async () => {
      const upstream = await upstreamDuring(
        steps.early([steps.reply(completion(), keepAlive), steps.hang()], 'leave'),
        steps.early([steps.stream(sse(chunks()), keepAlive), steps.hang()], 'leave'),
        steps.answer(),
      )
      const { site, end } = await startService(mount, { models: { m: upstream } })
      expect(await site.chat(asked)).toMatchObject({ status: 200, complete: true })
      // The next one does not wait behind the rest of the first.
      expect((await site.chat({ ...asked, stream: true })).body).toContain('[DONE]')
      expect((await site.chat({ model: 'm' })).status).toBe(200)
      expect(await end(3)).toMatchObject({ outcome: 'completed', attempts: [{ error: undefined }] })
      expect(upstream.connections.total).toBe(3)
    })
  })
})

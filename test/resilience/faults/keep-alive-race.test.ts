import { completion, type Script, startFaultProxy, steps } from '@sluice/testing'
import { describe, expect, it, onTestFinished } from 'vitest'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { targetAt } from './harness/target-at.ts'
import { upstreamDuring } from './harness/upstream.ts'

const lost = { called: true, error: { kind: 'unreachable', staleConnection: true } }
const answered = { called: true, error: undefined }

const closes: Record<string, Script> = {
  'by FIN': steps.cut(),
  'by reset': steps.reset(),
  'by reset, without having read the request': steps.early(steps.reset(), 'leave'),
}

describe('F54 an idle upstream connection is closed as the next request is sent on it', () => {
  overServers(mount => {
    it.each(Object.entries(closes))('is asked once more, %s', async (_, close) => {
      const upstream = await upstreamDuring(steps.answer(), close, steps.answer(), close, steps.answer())
      const { site, end, events } = await startService(mount, { models: { m: upstream } })
      expect((await site.chat({ model: 'm' })).status).toBe(200)
      expect((await site.chat({ model: 'm' })).status).toBe(200)
      expect((await site.chat({ model: 'm', stream: true })).body).toContain('[DONE]')
      expect((await end(1)).attempts).toMatchObject([answered])
      for (const n of [2, 3]) {
        expect(await end(n)).toMatchObject({ outcome: 'completed', attempts: [lost, answered] })
      }
      expect(events.filter(({ type }) => type === 'attempt_failed')).toHaveLength(2)
      expect(upstream.requests).toHaveLength(5)
    })

    it('where FIN and request cross on the wire', async () => {
      const upstream = await upstreamDuring(
        [steps.reply(completion()), steps.end(), steps.wait(20), steps.cut()],
        steps.answer(),
      )
      const proxy = await startFaultProxy({ target: upstream })
      onTestFinished(() => proxy.close())
      const { site, ends } = await startService(mount, {
        models: { m: targetAt({ baseURL: `${proxy.url}/v1` }) },
      })
      expect((await site.chat({ model: 'm' })).status).toBe(200)
      proxy.set({ freeze: true }, 'down')
      const sent = proxy.bytes.up
      const crossing = site.chat({ model: 'm' })
      await expect.poll(() => proxy.bytes.up).toBeGreaterThan(sent)
      proxy.set({})
      expect((await crossing).status).toBe(200)
      expect(ends[1]).toMatchObject({ outcome: 'completed', attempts: [lost, answered] })
      expect(proxy.connections.total).toBe(2)
    })

    it('is asked once more only once, then the next target is', async () => {
      const upstream = await upstreamDuring()
      const second = await upstreamDuring()
      const { site, end } = await startService(mount, {
        models: { m: [upstream, second].map(targetAt) },
      })
      await Promise.all([site.chat({ model: 'm' }), site.chat({ model: 'm' })])
      upstream.respondWith(steps.cut())
      expect((await site.chat({ model: 'm' })).status).toBe(200)
      expect((await end(3)).attempts).toMatchObject([lost, { called: true, error: {} }, answered])
      expect(upstream.requests).toHaveLength(4)
      expect(second.requests).toHaveLength(1)
    })

    it('is nobody’s fault: it takes no leave for a repeat, and the upstream is not left alone for it', async () => {
      const upstream = await upstreamDuring(
        steps.answer(),
        steps.cut(),
        steps.answer(),
        steps.cut(),
        steps.answer(),
      )
      const { site, ends, events } = await startService(mount, {
        models: { m: upstream },
        breaker: { failures: 1 },
        retry: { budget: 0, minBudget: 0 },
      })
      for (let n = 0; n < 3; n++) expect((await site.chat({ model: 'm' })).status).toBe(200)
      expect(ends.slice(1)).toMatchObject([{ attempts: [lost, answered] }, { attempts: [lost, answered] }])
      expect(ends[1]?.attempts[1]).toMatchObject({ why: 'retry', waitedMs: 0 })
      expect(events.filter(({ type }) => type === 'target')).toEqual([])
    })

    it('is not asked again by a connection that was new, after a byte of an answer, or beyond maxAttempts', async () => {
      const upstream = await upstreamDuring(steps.cut())
      const { site, end } = await startService(mount, { models: { m: upstream } })
      expect((await site.chat({ model: 'm' })).status).toBe(502)
      expect((await end()).attempts).toMatchObject([{ error: { staleConnection: false } }])
      upstream.respondWith(steps.answer(), [steps.raw('HTTP/1.1 200 OK\r\n'), steps.cut()])
      await site.chat({ model: 'm' })
      expect((await site.chat({ model: 'm' })).status).toBe(502)
      expect((await end(3)).attempts).toMatchObject([{ error: { staleConnection: false } }])
      expect(upstream.requests).toHaveLength(3)

      upstream.respondWith(steps.answer(), steps.cut(), steps.answer())
      const once = await startService(mount, { models: { m: upstream }, maxAttempts: 1 })
      await once.site.chat({ model: 'm' })
      expect((await once.site.chat({ model: 'm' })).status).toBe(502)
      expect((await once.end(2)).attempts).toMatchObject([lost])
      expect(upstream.requests).toHaveLength(5)
    })

    it('is not kept longer than the upstream says that it keeps it', async () => {
      const keeping = (seconds: number) =>
        steps.reply(completion(), { headers: { 'keep-alive': `timeout=${seconds}` } })
      const upstream = await upstreamDuring(keeping(3))
      const { site } = await startService(mount, { models: { m: upstream } })
      await site.chat({ model: 'm' })
      expect(await upstream.waitForClose(1, 2_900)).toBeGreaterThan(500)
      // So short that the next request would race with it.
      upstream.respondWith(keeping(1))
      await site.chat({ model: 'm' })
      expect(await upstream.waitForClose(2)).toBeLessThan(900)
    })
  })
})

import type { BreakerOptions, TargetEvent } from '@sluice/core'
import { chunks, completion, type Script, sse, steps } from '@sluice/testing'
import { describe, expect, it, vi } from 'vitest'
import type { Mount } from '../../e2e/mounts/mounts.ts'
import { asking } from './harness/crowd.ts'
import { overServers } from './harness/servers.ts'
import { startService } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const crowded = 500
const openMs = 60
/** 500 at once have taken a busy machine more than 10 s. */
const patient = { firstByteMs: 50_000, responseMs: 50_000, idleMs: 50_000 }
const busy = steps.reply({ error: { message: 'busy' } }, { status: 503 })
const limited = steps.reply(
  { error: { message: 'slow down' } },
  { status: 429, headers: { 'retry-after': '1' } },
)
const breaker: Partial<BreakerOptions> = { failures: 2, openMs, maxOpenMs: openMs }

/** What an upstream says when it is told to, and not before. */
function held() {
  let say: (script: steps.ReplyStep) => void = () => {}
  const said = new Promise<steps.ReplyStep>(resolve => {
    say = resolve
  })
  const script: Script = () => said
  return { script, say: (it: steps.ReplyStep) => say(it) }
}

/** A service whose one upstream has `first` under way before it fails until it is left alone. */
async function opened(mount: Mount, ...first: Script[]) {
  const upstream = await upstreamDuring(...first, busy)
  // Without chance it stays open for as long as it is told to.
  const service = await startService(mount, {
    models: { m: upstream },
    breaker,
    random: () => 0.5,
    timeouts: patient,
  })
  const ask = (fields: object = {}) => service.site.chat({ model: 'm', ...fields })
  const states = () =>
    service.events.filter((it): it is TargetEvent => it.type === 'target').map(({ state }) => state)
  const early = first.map(() => ask())
  if (first.length > 0) await upstream.waitForRequest(first.length)
  for (let n = 0; n < 2; n++) expect((await ask()).status).toBe(503)
  expect(states()).toEqual(['open'])
  const calls = () => upstream.requests.length
  const over = () => new Promise(resolve => setTimeout(resolve, openMs + 5))
  return { ...service, upstream, ask, states, early, calls, over }
}

describe('F60 a failing upstream may be tried again, and 500 clients ask at once', () => {
  overServers(mount => {
    it('is tried by one of them, and the others are refused without a call', async () => {
      const { upstream, ask, states, calls, over } = await opened(mount)
      const before = calls()
      await over()
      const probe = held()
      upstream.respondWith(probe.script, steps.answer())
      let refused = 0
      const asked = Array.from({ length: crowded }, async () => {
        const answered = await ask()
        if (answered.status === 503) refused++
        return answered
      })
      await vi.waitFor(() => expect(refused).toBe(crowded - 1), 40_000)
      expect(calls()).toBe(before + 1)
      probe.say(steps.reply(completion()))
      const answers = await Promise.all(asked)
      expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
      for (const { status, headers } of answers) {
        if (status === 503) expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1)
      }
      expect(states()).toEqual(['open', 'half_open', 'closed'])
      expect(await Promise.all([ask(), ask()])).toMatchObject([{ status: 200 }, { status: 200 }])
    })

    it('is left alone again where the one fails, whoever asks', async () => {
      const { upstream, ask, states, calls, over } = await opened(mount)
      await over()
      expect((await ask()).status).toBe(503)
      expect([calls(), states()]).toEqual([3, ['open', 'half_open', 'open']])
      upstream.respondWith(steps.answer())
      await over()
      expect((await ask({ stream: true })).body).toContain('[DONE]')
      expect(states().slice(3)).toEqual(['half_open', 'closed'])
    })

    it('is well again with the first content of a stream, which goes on', async () => {
      const { upstream, site, ask, states, over } = await opened(mount)
      await over()
      const begun = sse(chunks({ text: 'one two' })).slice(0, 3)
      upstream.respondWith([steps.stream(begun), steps.hang()], steps.answer())
      const client = await asking(site, { model: 'm', stream: true })
      await client.waitFor('one')
      expect(states()).toEqual(['open', 'half_open', 'closed'])
      expect((await ask()).status).toBe(200)
      client.reset()
      await upstream.waitForClose(3)
    })

    it.each([
      ['good', steps.reply(completion())],
      ['bad', busy],
    ])('hears nothing of a call from before, which comes to a %s end', async (_, late) => {
      const before = held()
      const { upstream, ask, states, early, calls, over } = await opened(mount, before.script)
      await over()
      const probe = held()
      upstream.respondWith(probe.script, steps.answer())
      const probing = ask()
      await upstream.waitForRequest(4)
      expect(states()).toEqual(['open', 'half_open'])
      before.say(late)
      expect((await early[0])?.status).toBe(late === busy ? 503 : 200)
      // Neither closed nor opened by it: the probe is still the only one.
      expect([states(), (await ask()).status, calls()]).toEqual([['open', 'half_open'], 503, 4])
      probe.say(steps.reply(completion()))
      expect((await probing).status).toBe(200)
      expect([states(), (await ask()).status]).toEqual([['open', 'half_open', 'closed'], 200])
    })

    it('hears nothing of failures from before it was well again', async () => {
      const before = [held(), held(), held()]
      const { upstream, ask, states, early, over } = await opened(mount, ...before.map(it => it.script))
      await over()
      upstream.respondWith(steps.answer())
      expect((await ask()).status).toBe(200)
      for (const { say } of before) say(busy)
      for (const answered of early) expect((await answered).status).toBe(503)
      expect([states(), (await ask()).status]).toEqual([['open', 'half_open', 'closed'], 200])
    })

    it('is tried by the next one where the client of the first has left', async () => {
      const { upstream, site, ask, end, states, calls, over } = await opened(mount)
      await over()
      upstream.respondWith(steps.hang(), steps.answer())
      const client = await asking(site, { model: 'm' })
      await upstream.waitForRequest(3)
      expect((await ask()).status).toBe(503)
      client.reset()
      expect(await end(4)).toMatchObject({ outcome: 'client_disconnected' })
      expect((await ask()).status).toBe(200)
      expect([calls(), states()]).toEqual([4, ['open', 'half_open', 'closed']])
    })

    it.each([
      ['a 400', steps.reply({ error: { message: 'no' } }, { status: 400 }), 400, 0],
      ['a 429, after its pause', limited, 429, 1_000],
    ])('is tried by the next one where the first gets %s', async (_, script, status, pauseMs) => {
      const { upstream, ask, states, calls, over } = await opened(mount)
      await over()
      upstream.respondWith(script, steps.answer())
      expect((await ask()).status).toBe(status)
      if (pauseMs > 0) {
        expect((await ask()).status).toBe(429)
        await new Promise(resolve => setTimeout(resolve, pauseMs))
      }
      await vi.waitFor(async () => expect((await ask()).status).toBe(200), 2_000)
      expect(calls()).toBe(4)
      // Neither counts as a failure: it was not opened again.
      expect(states().filter(state => state === 'open')).toHaveLength(1)
      expect(states().at(-1)).toBe('closed')
    })
  })
})

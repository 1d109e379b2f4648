import { openaiCompatible } from '@sluice/providers'
import { chunks, completion, readSse, sse, steps } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { asking } from './harness/crowd.ts'
import { overHosts } from './harness/servers.ts'
import { startService, upstreamKey } from './harness/service.ts'
import { upstreamDuring } from './harness/upstream.ts'

const events = sse(chunks({ text: 'one two three' }))
const pacing = { keepAliveMs: 30, holdMs: 10 }

describe('F35 the first token takes minutes', () => {
  overHosts(mount => {
    const late = {
      'before the head': [steps.wait(200), steps.stream(events)],
      'before the first token': [steps.head(), steps.wait(200), steps.stream(events)],
      'between tokens': [steps.stream(events.slice(0, 2)), steps.wait(200), steps.stream(events.slice(2))],
    }

    it.each(Object.entries(late))('sends comments while it waits %s', async (_, script) => {
      const upstream = await upstreamDuring(script)
      const { site, end } = await startService(mount, { models: { m: upstream }, stream: pacing })
      const answer = await site.chat({ model: 'm', stream: true })
      const { comments, text, done } = await readSse(answer.bytes)
      expect(comments.length).toBeGreaterThanOrEqual(2)
      expect(new Set(comments)).toEqual(new Set([' keep-alive']))
      expect([text, done]).toEqual(['one two three', true])
      expect(await end()).toMatchObject({ outcome: 'completed', status: 200 })
    })

    it('sends comments while it waits in a queue', async () => {
      const upstream = await upstreamDuring(steps.hang(), steps.stream(events))
      const vendor = openaiCompatible({
        name: 'vendor',
        baseURL: upstream.baseURL,
        apiKey: upstreamKey,
        maxConcurrent: 1,
      })
      const { site, end } = await startService(mount, { models: { m: vendor('its-model') }, stream: pacing })
      const first = await asking(site, { model: 'm' })
      await upstream.waitForRequest()
      const second = await asking(site, { model: 'm', stream: true })
      await second.waitFor(': keep-alive')
      first.reset()
      const { text, done } = await readSse((await second.response())?.bytes ?? '')
      expect([text, done]).toEqual(['one two three', true])
      expect((await end(2)).timings.queue).toBeGreaterThan(20)
    })

    it('never puts a comment within an event, however slowly that comes', async () => {
      const [first = '', second = '', ...rest] = events
      const upstream = await upstreamDuring([
        steps.head(),
        steps.stream([first, second.slice(0, 40)]),
        steps.wait(100),
        steps.drip(second.slice(40, 60), 10),
        steps.stream([second.slice(60), ...rest]),
      ])
      const { site } = await startService(mount, { models: { m: upstream }, stream: { keepAliveMs: 5 } })
      // The strict reader throws where a comment stands anywhere but between two events.
      const { comments, text, done } = await readSse((await site.chat({ model: 'm', stream: true })).bytes)
      expect(comments.length).toBeGreaterThan(2)
      expect([text, done]).toEqual(['one two three', true])
    })

    it('sends nothing before a whole answer', async () => {
      const upstream = await upstreamDuring([steps.wait(150), steps.reply(completion({ text: 'whole' }))])
      const { site } = await startService(mount, { models: { m: upstream }, stream: { keepAliveMs: 5 } })
      const answer = await site.chat({ model: 'm' })
      expect(answer.body.startsWith('{')).toBe(true)
      expect(answer.body).not.toContain('keep-alive')
      expect(answer.json?.choices).toMatchObject([{ message: { content: 'whole' } }])
    })
  })
})

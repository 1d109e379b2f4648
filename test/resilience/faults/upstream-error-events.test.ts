import type { Target } from '@sluice/core'
import { anthropic, gemini } from '@sluice/providers'
import { chunks, readSse, sse, steps } from '@sluice/testing'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { overServers } from './harness/servers.ts'
import { startService, upstreamKey } from './harness/service.ts'
import { targetAt } from './harness/target-at.ts'
import { upstreamDuring } from './harness/upstream.ts'

const secret = 'the words of the vendor'
const opening = sse(chunks({ text: 'one' }), { done: false }).slice(0, 1)
const begun = sse(chunks({ text: 'one two' }), { done: false }).slice(0, 3)

interface Case {
  /** Events: the vendor's own opening, and its error. */
  readonly events: readonly string[]
  readonly status: number
  readonly code: string
  target(origin: { url: string; baseURL: string }): Target
}

const errorOf = (error: object) => sse([{ error: { message: secret, ...error } }], { done: false })

const cases: Record<string, Case> = {
  overloaded: {
    events: errorOf({ type: 'overloaded_error' }),
    status: 503,
    code: 'server_is_overloaded',
    target: targetAt,
  },
  'a number for a code': {
    events: errorOf({ code: 429 }),
    status: 429,
    code: 'rate_limit_exceeded',
    target: targetAt,
  },
  'behind the chunk with the role': {
    events: [...opening, ...errorOf({ code: 503 })],
    status: 503,
    code: 'server_is_overloaded',
    target: targetAt,
  },
  'within a chunk, beside choices': {
    events: sse(
      [
        {
          id: 'gen-1',
          object: 'chat.completion.chunk',
          error: { code: 429, message: secret },
          choices: [{ index: 0, delta: { content: '' }, finish_reason: 'error' }],
        },
      ],
      { done: false },
    ),
    status: 429,
    code: 'rate_limit_exceeded',
    target: targetAt,
  },
  'an event called error': {
    events: [`event: error\ndata: ${JSON.stringify({ message: secret, code: 'server_error' })}\n\n`],
    status: 502,
    code: 'bad_gateway',
    target: targetAt,
  },
  'with [DONE] behind it': {
    events: [...errorOf({ type: 'rate_limit_exceeded' }), 'data: [DONE]\n\n'],
    status: 429,
    code: 'rate_limit_exceeded',
    target: targetAt,
  },
  "Anthropic's overloaded_error": {
    events: [
      `event: error\ndata: ${JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: secret } })}\n\n`,
    ],
    status: 503,
    code: 'server_is_overloaded',
    target: ({ url }) => anthropic({ apiKey: upstreamKey, baseURL: `${url}/v1` })('m'),
  },
  "Gemini's RESOURCE_EXHAUSTED": {
    events: sse([{ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: secret } }], { done: false }),
    status: 429,
    code: 'rate_limit_exceeded',
    target: ({ url }) => gemini({ apiKey: upstreamKey, baseURL: `${url}/v1beta` })('m'),
  },
}

describe('F43 the first event of a 200 is an error', () => {
  overServers(mount => {
    it.each(Object.entries(cases))('is a real status: %s', async (_, { events, status, code, target }) => {
      const upstream = await upstreamDuring(steps.stream(events))
      const { site, end } = await startService(mount, { models: { m: target(upstream) } })
      const answered = await site.chat({ model: 'm', stream: true })
      expect(answered).toMatchObject({ status, json: { error: { code } } })
      expect(answered.headers['content-type']).toBe('application/json')
      expect(answered.body).not.toContain(secret)
      expect(await end()).toMatchObject({
        outcome: 'upstream_failed',
        status,
        usage: undefined,
        attempts: [{ called: true, error: { kind: 'refused' } }],
      })
      expect(upstream.requests).toHaveLength(1)
    })

    it.each(Object.entries(cases))('is left for the next target: %s', async (_, { events, target }) => {
      const upstream = await upstreamDuring(steps.stream(events))
      const next = await upstreamDuring(steps.answer())
      const { site, end } = await startService(mount, {
        models: { m: [target(upstream), targetAt(next)] },
      })
      const { done, text } = await readSse((await site.chat({ model: 'm', stream: true })).bytes)
      expect({ done, text }).toEqual({ done: true, text: 'Hello' })
      expect(await end()).toMatchObject({
        outcome: 'completed',
        attempts: [{ error: { kind: 'refused' } }, {}],
      })
      expect(next.requests).toHaveLength(1)
    })

    it.each(Object.entries(cases))(
      'counts as one of its status: it is left alone, and asked no more: %s',
      async (_, { events: script, status, target }) => {
        const upstream = await upstreamDuring(steps.stream(script))
        const next = await upstreamDuring(steps.answer())
        const { site, end, events } = await startService(mount, {
          models: { m: [target(upstream), targetAt(next)] },
          breaker: { failures: 2 },
        })
        const times = status === 429 ? 1 : 2
        for (let n = 1; n <= times + 1; n++) {
          expect((await site.chat({ model: 'm', stream: true })).body).toContain('[DONE]')
          await end(n)
        }
        expect([upstream.requests.length, next.requests.length]).toEqual([times, times + 1])
        const state = status === 429 ? 'cooldown' : 'open'
        expect(events.filter(({ type }) => type === 'target')).toMatchObject([{ state }])
      },
    )

    it('is an error event once content was sent, or the head was; until then another target is asked', async () => {
      const error = errorOf({ type: 'overloaded_error' })
      const upstream = await upstreamDuring(
        [steps.stream(begun), steps.stream(error)],
        // All in one packet: what came before the error is sent.
        steps.stream([...begun, ...error], { split: 'whole' }),
        [steps.stream(opening), steps.wait(400), steps.stream(error)],
      )
      const next = await upstreamDuring(steps.answer())
      const { site, end } = await startService(mount, {
        models: { m: [upstream, next].map(targetAt), alone: upstream },
        stream: { holdMs: 50 },
      })
      for (const [n, model, said] of [
        [1, 'm', 'one two'],
        [2, 'm', 'one two'],
        [3, 'alone', ''],
      ] as const) {
        const answered = await site.chat({ model, stream: true })
        expect(answered.status).toBe(200)
        const { chunks, done, text } = await readSse(answered.bytes)
        expect({ done, text }).toEqual({ done: false, text: said })
        expect(chunks.at(-1)).toMatchObject({ error: { code: 'server_is_overloaded' } })
        expect(answered.body).not.toContain(secret)
        expect(await end(n)).toMatchObject({ outcome: 'upstream_failed', status: 200 })
      }
      expect(next.requests).toHaveLength(0)
      // The head waits for content while another target could be asked.
      expect((await site.chat({ model: 'm', stream: true })).body).toContain('Hello')
      expect((await end(4)).attempts).toMatchObject([{ error: { kind: 'refused' } }, { why: 'fallback' }])
    })

    it('raises in the official client, with its status before content and without one after it', async () => {
      const error = errorOf({ type: 'overloaded_error' })
      const upstream = await upstreamDuring(steps.stream(error), [steps.stream(begun), steps.stream(error)])
      const { site } = await startService(mount, { models: { m: upstream } })
      const client = new OpenAI({ apiKey: 'good-key', baseURL: site.place.baseURL, maxRetries: 0 })
      const heard: string[] = []
      const ask = async () => {
        const messages = [{ role: 'user' as const, content: 'x' }]
        const stream = await client.chat.completions.create({ model: 'm', messages, stream: true })
        for await (const { choices } of stream) heard.push(choices[0]?.delta.content ?? '')
      }
      await expect(ask()).rejects.toMatchObject({ status: 503, code: 'server_is_overloaded' })
      expect(heard).toEqual([])
      await expect(ask()).rejects.toMatchObject({ status: undefined, code: 'server_is_overloaded' })
      expect(heard.join('')).toBe('one two')
    })
  })
})

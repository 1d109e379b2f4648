import type { Target } from '@sluice/core'
import { anthropic, gemini } from '@sluice/providers'
import { chunks, readSse, sse, steps } from '@sluice/testing'
import OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { overServers } from './harness/servers.ts'
import { startService, upstreamKey } from './harness/service.ts'
import { targetAt } from './harness/target-at.ts'
import { upstreamDuring } from './harness/upstream.ts'

interface Vendor {
  /** A whole answer: its last event is the end mark, or holds it. */
  readonly events: readonly string[]
  target(origin: { url: string; baseURL: string }): Target
}

const vendors: Record<string, Vendor> = {
  'chat completions': {
    // Without `[DONE]`, which some servers leave out: the finish_reason is the end.
    events: sse(chunks({ text: 'one two three' }), { done: false }),
    target: targetAt,
  },
  'chat completions, two choices': {
    events: sse(chunks({ choices: [{ text: 'one two' }, { text: 'eins zwei' }] }), { done: false }),
    target: targetAt,
  },
  Anthropic: {
    events: [
      {
        type: 'message_start',
        message: { id: 'msg_1', role: 'assistant', content: [], usage: { input_tokens: 3 } },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'one two' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: ' three' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 5 } },
      { type: 'message_stop' },
    ].map(event => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`),
    target: ({ url }) => anthropic({ apiKey: upstreamKey, baseURL: `${url}/v1` })('m'),
  },
  Gemini: {
    events: sse(
      [
        { candidates: [{ content: { role: 'model', parts: [{ text: 'one two' }] } }] },
        { candidates: [{ content: { role: 'model', parts: [{ text: ' three' }] } }] },
        { candidates: [{ content: { role: 'model', parts: [] }, finishReason: 'STOP' }] },
      ],
      { done: false },
    ),
    target: ({ url }) => gemini({ apiKey: upstreamKey, baseURL: `${url}/v1beta` })('m'),
  },
}

describe('F42 the upstream ends its body in good order, but without its end mark', () => {
  overServers(mount => {
    it.each(Object.entries(vendors))(
      'is a broken answer wherever it ends: %s',
      async (_, { events, target }) => {
        const upstream = await upstreamDuring()
        const { site, end } = await startService(mount, { models: { m: target(upstream) } })
        const client = new OpenAI({ apiKey: 'good-key', baseURL: site.place.baseURL, maxRetries: 0 })
        const texts: string[] = []
        for (let length = 0; length <= events.length; length++) {
          upstream.respondWith(steps.stream(events.slice(0, length)))
          const answer = await site.chat({ model: 'm', stream: true, n: choicesOf(events) })
          const record = await end(2 * length + 1)
          const raised = await allOf(client, choicesOf(events)).catch((error: unknown) => error)
          await end(2 * length + 2)
          if (length === events.length) {
            expect((await readSse(answer.bytes)).done).toBe(true)
            expect(record).toMatchObject({ outcome: 'completed', attempts: [{ error: undefined }] })
            expect(raised).toBeUndefined()
            continue
          }
          expect(record).toMatchObject({
            outcome: 'upstream_failed',
            attempts: [{ error: { kind: 'truncated' } }],
          })
          expect(raised).toBeInstanceOf(OpenAI.APIError)
          expect(answer.body).not.toContain('[DONE]')
          if (answer.status === 200) {
            const { chunks, text } = await readSse(answer.bytes)
            expect(chunks.at(-1)).toMatchObject({ error: { code: 'bad_gateway' } })
            texts.push(text)
          } else {
            // Nothing of the answer had come: a real status.
            expect(answer).toMatchObject({ status: 502, json: { error: { code: 'bad_gateway' } } })
            expect(record.usage).toBeUndefined()
          }
        }
        // What came is passed on, and never less than before.
        expect(texts.length).toBeGreaterThan(0)
        expect(texts).toEqual(texts.toSorted((a, b) => a.length - b.length))
        expect(upstream.requests).toHaveLength(2 * events.length + 2)
      },
    )

    it('is the next target where nothing came before it', async () => {
      const upstream = await upstreamDuring(
        steps.stream([]),
        steps.stream([': hello\n\n']),
        steps.stream(sse(chunks()).slice(0, 1)),
      )
      const next = await upstreamDuring(steps.answer())
      const { site, ends } = await startService(mount, { models: { m: [upstream, next].map(targetAt) } })
      for (let n = 1; n <= 3; n++) {
        const { done, text } = await readSse((await site.chat({ model: 'm', stream: true })).bytes)
        expect({ done, text }).toEqual({ done: true, text: 'Hello' })
        expect(next.requests).toHaveLength(n)
      }
      expect(ends.map(({ attempts }) => attempts.length)).toEqual([2, 2, 2])
    })
  })
})

function choicesOf(events: readonly string[]): number {
  return events.some(event => event.includes('"index":1')) ? 2 : 1
}

async function allOf(client: OpenAI, n: number): Promise<void> {
  const messages = [{ role: 'user' as const, content: 'x' }]
  const stream = await client.chat.completions.create({ model: 'm', messages, n, stream: true })
  for await (const _ of stream);
}

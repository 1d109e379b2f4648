import OpenAI from 'openai'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { usage } from './bodies.ts'
import { answer, body, early, wait } from './steps.ts'
import { startUpstream, type Upstream } from './upstream.ts'

let upstream: Upstream
let client: OpenAI
const messages = [{ role: 'user', content: 'hi' }] as const

beforeAll(async () => {
  upstream = await startUpstream()
  client = new OpenAI({ baseURL: upstream.baseURL, apiKey: 'k', maxRetries: 0 })
})
afterAll(() => upstream.close())

test('the official client reads a whole answer', async () => {
  upstream.respondWith(answer({ text: 'Good day', usage: usage(1, 2) }))
  const got = await client.chat.completions.create({ model: 'm', messages: [...messages] })
  expect(got.choices[0]?.message.content).toBe('Good day')
  expect(got.usage?.total_tokens).toBe(3)
  expect(upstream.requests.at(-1)).toMatchObject({
    path: '/v1/chat/completions',
    headers: { authorization: 'Bearer k' },
    json: { model: 'm', messages },
  })
})

test('the official client assembles a streamed answer with text, tool calls and usage', async () => {
  upstream.respondWith(answer({ text: 'Let me see.', toolCalls: [{ name: 'add', arguments: { a: 1 } }] }))
  const runner = client.chat.completions.stream({
    model: 'm',
    messages: [...messages],
    stream_options: { include_usage: true },
  })
  const got = await runner.finalChatCompletion()
  expect(got.choices[0]).toMatchObject({
    finish_reason: 'tool_calls',
    message: {
      role: 'assistant',
      content: 'Let me see.',
      tool_calls: [{ id: 'call_0', function: { name: 'add', arguments: '{"a":1}' } }],
    },
  })
  expect(got.usage?.total_tokens).toBe(21)
})

test('an answer is a step: others may stand before and after it, and it is plain data', async () => {
  expect(answer({ text: 'a' })).toEqual({ do: 'answer', content: { text: 'a' } })
  upstream.respondWith([wait(1), [answer({ text: 'After a wait' })]])
  const got = await client.chat.completions.create({ model: 'm', messages: [...messages] })
  expect(got.choices[0]?.message.content).toBe('After a wait')

  upstream.respondWith([answer({ text: 'Streamed' }), body(': and on\n\n')])
  const streamed = await fetch(`${upstream.baseURL}/chat/completions`, {
    method: 'POST',
    body: JSON.stringify({ model: 'm', messages, stream: true }),
  })
  expect(await streamed.text()).toMatch(/"Streamed".*data: \[DONE\]\n\n: and on\n\n$/s)

  upstream.respondWith(early(answer({ text: 'At once' })))
  const soon = await client.chat.completions.create({ model: 'm', messages: [...messages] })
  expect(soon.choices[0]?.message.content).toBe('At once')
})

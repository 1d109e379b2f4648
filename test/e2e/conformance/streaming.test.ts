import { type FakeReply, local } from '@sluice/providers/local'
import { type RawExchange, readSse, type SseTranscript } from '@sluice/testing'
import { expect, it } from 'vitest'
import { choiceOf } from './completion-of.ts'
import { overMounts } from './over-mounts.ts'
import { testGateway } from './test-gateway.ts'

const replies: Record<string, FakeReply> = {
  caller: { toolCalls: [{ name: 'get_weather', arguments: { city: 'Paris', unit: 'celsius' } }] },
  'two-calls': {
    toolCalls: [
      { name: 'get_weather', arguments: { city: 'Paris' } },
      { name: 'get_weather', arguments: { city: 'Rome' } },
    ],
  },
  emoji: { chunks: ['Grüße, ', '世', '界 👩‍👩', '‍👧 \ud834', '\udd1e!'] },
}
const emoji = 'Grüße, 世界 👩‍👩‍👧 𝄞!'
const scripted = local({ script: request => replies[request.model] ?? 'no such script' })
const makeGateway = () =>
  testGateway(Object.fromEntries(Object.keys(replies).map(name => [name, scripted(name)])))

/** The strictly read stream of an answer. */
async function streamOf(answer: RawExchange): Promise<SseTranscript> {
  expect(answer.status, answer.body).toBe(200)
  expect(answer.complete).toBe(true)
  return readSse(answer.bytes)
}

overMounts(makeGateway, site => {
  const stream = (fields: object = {}) => site.chat({ stream: true, ...fields }).then(streamOf)
  const choicesOf = ({ chunks }: SseTranscript) => chunks.flatMap(({ choices }) => choices ?? [])

  it('C85 streams events', async () => {
    const { status, headers } = await site.chat({ stream: true })
    expect(status).toBe(200)
    expect(headers['content-type']).toBe('text/event-stream; charset=utf-8')
    expect(headers['cache-control']).toMatch(/no-cache|no-store/)
    expect(headers).not.toHaveProperty('content-length')
    expect(headers['x-accel-buffering']).toBe('no')
    expect(headers['x-request-id']).toMatch(/^req_/)
  })

  it('C86 sends one data line an event, and nothing else', async () => {
    const { lines, events } = await stream()
    expect(lines).toEqual([...events.flatMap(({ data }) => [`data: ${data}`, '']), ''].slice(0, lines.length))
    expect(lines.filter(line => line !== '')).toHaveLength(events.length)
  })

  it('C87 ends with [DONE]', async () => {
    const { events, done } = await stream()
    expect(events.at(-1)?.data).toBe('[DONE]')
    expect(done).toBe(true)
  })

  it('C88 is one answer in all of its chunks', async () => {
    const { chunks } = await stream({ n: 2 })
    expect(chunks.length).toBeGreaterThan(4)
    expect(new Set(chunks.map(({ object }) => object))).toEqual(new Set(['chat.completion.chunk']))
    for (const key of ['id', 'created', 'model'] as const) {
      expect(new Set(chunks.map(chunk => chunk[key])).size, key).toBe(1)
    }
    expect(chunks[0]?.id).toMatch(/^chatcmpl-/)
    expect(chunks[0]?.model).toBe('local')
  })

  it('C89 tells the role once, and first', async () => {
    const [first, ...later] = choicesOf(await stream())
    expect(first?.delta).toEqual({ role: 'assistant', content: '', refusal: null })
    for (const { delta } of later) expect(delta).not.toHaveProperty('role')
  })

  it('C90 says what the whole answer says', async () => {
    const whole = choiceOf(await site.chat()).message.content
    expect((await stream()).text).toBe(whole)
  })

  it('C91 finishes once, with nothing else in that chunk', async () => {
    for (const fields of [{}, { max_tokens: 2 }, { model: 'caller' }]) {
      const choices = choicesOf(await stream(fields))
      const finishes = choices.filter(({ finish_reason }) => finish_reason !== null)
      expect(finishes).toHaveLength(1)
      expect(choices.at(-1)).toBe(finishes[0])
      expect(finishes[0]?.delta).toEqual({})
    }
  })

  it('C92 counts tokens in a chunk of its own where that was asked', async () => {
    const { chunks } = await stream({ stream_options: { include_usage: true } })
    for (const chunk of chunks.slice(0, -1)) expect(chunk).toHaveProperty('usage', null)
    const last = chunks.at(-1)
    expect(last?.choices).toEqual([])
    expect(last?.usage).toEqual((await site.chat()).json?.usage)
  })

  it('C93 tells no counts where they were not asked', async () => {
    for (const stream_options of [undefined, null, {}, { include_usage: false }]) {
      const { chunks } = await stream({ stream_options })
      for (const chunk of chunks) {
        expect(chunk).not.toHaveProperty('usage')
        expect(chunk.choices).toHaveLength(1)
      }
    }
  })

  it('C94 streams several choices', async () => {
    const choices = choicesOf(await stream({ n: 2 }))
    for (const index of [0, 1]) {
      const own = choices.filter(choice => choice.index === index)
      expect(own[0]?.delta.role).toBe('assistant')
      expect(own.filter(({ delta }) => delta.role !== undefined)).toHaveLength(1)
      expect(own.filter(({ finish_reason }) => finish_reason !== null)).toHaveLength(1)
      expect(own.at(-1)?.finish_reason).toBe('stop')
    }
    expect(choices.every(({ index }) => index === 0 || index === 1)).toBe(true)
  })

  it('C95 streams a tool call', async () => {
    const choices = choicesOf(await stream({ model: 'caller' }))
    const pieces = choices.flatMap(({ delta }) => delta.tool_calls ?? [])
    expect(pieces[0]).toEqual({
      index: 0,
      id: expect.stringMatching(/^call_\w+$/),
      type: 'function',
      function: { name: 'get_weather', arguments: expect.any(String) },
    })
    for (const piece of pieces.slice(1)) {
      expect(piece).toEqual({ index: 0, function: { arguments: expect.any(String) } })
    }
    const text = pieces.map(piece => piece.function?.arguments).join('')
    expect(JSON.parse(text)).toEqual({ city: 'Paris', unit: 'celsius' })
    expect(choices.at(-1)?.finish_reason).toBe('tool_calls')
  })

  it('C96 streams two tool calls, one after the other', async () => {
    const pieces = choicesOf(await stream({ model: 'two-calls' })).flatMap(
      ({ delta }) => delta.tool_calls ?? [],
    )
    const openers = pieces.filter(({ id }) => id !== undefined)
    expect(openers.map(({ index }) => index)).toEqual([0, 1])
    expect(new Set(openers.map(({ id }) => id)).size).toBe(2)
    const order = pieces.map(({ index }) => index)
    expect(order).toEqual([...order].sort())
    for (const [index, city] of ['Paris', 'Rome'].entries()) {
      const own = pieces.filter(piece => piece.index === index)
      expect(JSON.parse(own.map(piece => piece.function?.arguments).join(''))).toEqual({ city })
    }
  })

  it('C102 streams whatever the caller accepts', async () => {
    for (const accept of ['application/json', '*/*', 'text/html', 'image/png']) {
      const answer = await site.chat({ stream: true }, { headers: { accept } })
      expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8')
      const whole = await site.chat({}, { headers: { accept: 'text/event-stream' } })
      expect(whole.headers['content-type']).toMatch(/^application\/json/)
    }
  })

  it('C113 keeps what is not ASCII, also where it is split', async () => {
    expect(choiceOf(await site.chat({ model: 'emoji' })).message.content).toBe(emoji)
    const { text, lines } = await stream({ model: 'emoji' })
    expect(text).toBe(emoji)
    expect(lines.join('')).not.toContain('\ufffd')
    const messages = [{ role: 'user', content: `Repeat after me: ${emoji}` }]
    const asked = choiceOf(await site.chat({ messages })).message.content
    expect((await stream({ messages })).text).toBe(asked)
    expect(asked).toContain('𝄞')
  })
})

import { requests, type Target } from '@sluice/core'
import { chunks, connectRawClient, requestBytes, sse, steps, usage } from '@sluice/testing'
import { expect, it } from 'vitest'
import { baseMessage, eventsOf, expectMessagesError, messageFrom } from './inbound-site.ts'
import { memoryLedger } from './memory-ledger.ts'
import { familyNames, type Open, overPlaces, startRawVendor, startVendors } from './over-places.ts'

const tools = [{ name: 'get_weather', input_schema: { type: 'object' } }]
const chunk = (delta: object, finish_reason: string | null = null) => ({
  ...chunks()[0]!,
  choices: [{ index: 0, delta, finish_reason }],
})
const callDelta = (index: number, text: string, id?: string) =>
  chunk({
    tool_calls: [
      {
        index,
        ...(id && { id, type: 'function' }),
        function: { ...(id && { name: 'get_weather' }), arguments: text },
      },
    ],
  })

/** A model of two targets: two models of one vendor. */
const twice = (target: Target): readonly Target[] => [target, { ...target, model: 'second-model' }]

/** The events of a message of a vendor with chat completions that streams these chunks. */
async function streamed(open: Open, list: readonly object[], fields: object = {}, options = {}) {
  const { table } = await startRawVendor(steps.stream(sse(list)))
  const site = await open(table, options)
  return eventsOf(await site.message({ stream: true, ...fields }))
}

overPlaces(open => {
  it.each(familyNames)(
    'M30 M31 T10 T11 has its events in order, and one block at a time: %s',
    async model => {
      const { table } = await startVendors(() => ({
        thought: { text: 'Let me see.', signature: 'c2lnbmVk' },
        text: 'I look at both.',
        calls: [
          { id: 'call_1', name: 'get_weather', input: { city: 'Paris' } },
          { id: 'call_2', name: 'get_weather', input: { city: 'Rome' } },
        ],
      }))
      const site = await open(table)
      const answer = await site.message({ model, stream: true, tools })
      expect(answer.body).not.toContain('[DONE]')
      const events = await eventsOf(answer)
      const types = events.map(({ type }) => type)
      expect(types.filter(type => type === 'message_start')).toHaveLength(1)
      expect(types.slice(-2)).toEqual(['message_delta', 'message_stop'])
      if (model !== 'anthropic') expect(types.indexOf('ping')).toBe(2)
      const { content } = messageFrom(events)
      expect(content.map(({ type }) => type).filter(type => type !== 'redacted_thinking')).toEqual([
        'thinking',
        'text',
        'tool_use',
        'tool_use',
      ])
      expect(content.find(({ type }) => type === 'thinking')?.thinking).toBe('Let me see.')
      expect(content.filter(({ type }) => type === 'tool_use').map(({ input }) => input)).toEqual([
        { city: 'Paris' },
        { city: 'Rome' },
      ])
    },
  )

  it('M31 T10 changes the block where the kind of content changes', async () => {
    const events = await streamed(open, [
      chunk({ role: 'assistant', reasoning_content: 'a' }),
      chunk({ content: 'b' }),
      chunk({ reasoning_content: 'c', content: 'd' }),
      chunk({ content: 'e' }),
      chunk({}, 'stop'),
    ])
    const { content } = messageFrom(events)
    expect(content.map(({ type, text, thinking }) => [type, text ?? thinking])).toEqual([
      ['thinking', 'a'],
      ['text', 'b'],
      ['thinking', 'c'],
      ['text', 'de'],
    ])
  })

  it('M32 T11 lets calls wait whose pieces come in turns', async () => {
    const events = await streamed(
      open,
      [
        callDelta(0, '', 'a'),
        callDelta(1, '{"n"', 'b'),
        callDelta(0, '{"city":'),
        callDelta(1, ':2}'),
        callDelta(0, '"}\\""}'),
        callDelta(2, '{}', 'c'),
        chunk({}, 'tool_calls'),
      ],
      { tools },
    )
    const { content } = messageFrom(events)
    expect(content.map(({ id, input }) => [id, input])).toEqual([
      ['a', { city: '}"' }],
      ['b', { n: 2 }],
      ['c', {}],
    ])
  })

  it('M33 T14 keeps arguments that come with the first piece of a call', async () => {
    const events = await streamed(open, [callDelta(0, '{"city":"Paris"}', 'a'), chunk({}, 'tool_calls')], {
      tools,
    })
    const start = events.find(({ type }) => type === 'content_block_start')
    expect(start?.content_block).toEqual({ type: 'tool_use', id: 'a', name: 'get_weather', input: {} })
    expect(messageFrom(events).content).toMatchObject([{ input: { city: 'Paris' } }])
    const none = await streamed(open, [callDelta(0, '', 'a'), chunk({}, 'tool_calls')], { tools })
    expect(messageFrom(none)).toMatchObject({
      content: [{ type: 'tool_use', input: {} }],
      stop_reason: 'tool_use',
    })
  })

  it('M34 T15 has numbers from the start, and the true ones at the end', async () => {
    const { ledger, closings } = memoryLedger()
    const text = 'word '.repeat(300)
    const events = await streamed(
      open,
      chunks({ text: 'Yes', usage: usage(1_234, 5, 34) }),
      { messages: [{ role: 'user', content: text }] },
      { ledger },
    )
    const [start] = events
    const estimate = start!.message!.usage.input_tokens as number
    expect(estimate).toBeGreaterThan(150)
    expect(estimate).toBeLessThan(900)
    const end = events.find(({ type }) => type === 'message_delta')
    expect(end!.usage).toMatchObject({ input_tokens: 1_200, cache_read_input_tokens: 34, output_tokens: 5 })
    expect((await closings(1))[0]).toMatchObject({
      estimated: false,
      charge: { promptTokens: 1_234, completionTokens: 5 },
    })
  })

  it('M34 T15 takes the last of counts that grow', async () => {
    const list = chunks({ text: 'one two three' }).map((each, at) => ({ ...each, usage: usage(50, at + 1) }))
    const events = await streamed(open, list)
    expect(events.find(({ type }) => type === 'message_delta')!.usage).toMatchObject({
      input_tokens: 50,
      output_tokens: list.length,
    })
  })

  it('M35 has a block for reasoning that has no text', async () => {
    const { table } = await startVendors(() => ({ thought: { text: '', signature: 'c2lnbmVk' }, text: 'x' }))
    const site = await open(table)
    const events = await eventsOf(await site.message({ model: 'anthropic', stream: true }))
    expect(messageFrom(events).content[0]).toEqual({ type: 'thinking', thinking: '', signature: 'c2lnbmVk' })
    const encrypted = await streamed(open, [
      chunk({
        role: 'assistant',
        reasoning_details: [{ type: 'reasoning.encrypted', data: 'eHh4', format: 'other-v1' }],
      }),
      chunk({ content: 'x' }),
      chunk({}, 'stop'),
    ])
    const redacted = messageFrom(encrypted).content.find(({ type }) => type === 'redacted_thinking')
    expect(redacted?.data).toMatch(/^[\x21-\x7e]+$/)
  })

  it.each<[string, readonly string[]]>([
    ['cut off', sse(chunks({ text: 'one two three' }), { done: false }).slice(0, 3)],
    ['without a finish', sse(chunks({ text: 'one two three' }).slice(0, 3), { done: false })],
    [
      'an error',
      [
        ...sse(chunks({ text: 'one two three' }), { done: false }).slice(0, 3),
        ...sse([{ error: { message: 'at 10.1.2.3', code: 500 } }], { done: false }),
      ],
    ],
    [
      'no JSON',
      [...sse(chunks({ text: 'one two three' }), { done: false }).slice(0, 3), 'data: {"choices"\n\n'],
    ],
  ])('M36 T9 K28 ends a stream that breaks with an error that a client sees: %s', async (_, list) => {
    const { table } = await startRawVendor(steps.stream(list))
    const { ledger, closings } = memoryLedger()
    const site = await open(table, { ledger })
    const answer = await site.message({ stream: true })
    const events = await eventsOf(answer)
    expect(events.at(-1)).toEqual({
      type: 'error',
      error: {
        type: expect.stringMatching(/^(api|overloaded|timeout)_error$/),
        message: expect.stringMatching(/\S/),
      },
      request_id: answer.headers['request-id'],
    })
    const types = events.map(({ type }) => type)
    expect(types[0]).toBe('message_start')
    expect(types).not.toContain('message_delta')
    expect(types).not.toContain('message_stop')
    expect(answer.body).not.toContain('10.1.2.3')
    expect((await closings(1))[0]).toMatchObject({ outcome: 'upstream_failed' })
  })

  it('G11 writes each event whole, with a line for its name and one for its data', async () => {
    const { table } = await startRawVendor(
      steps.stream(sse(chunks({ text: 'one two three four', usage: usage(1, 2) })), { delay: 5 }),
    )
    const site = await open(table)
    const answer = await site.message({ stream: true })
    expect(answer.headers['content-type']).toBe('text/event-stream; charset=utf-8')
    expect(answer.body).toMatch(/^(?:event: \w+\ndata: \{.*\}\n\n)+$/)
    // Each write is a chunk of the body, and ends where an event ends.
    let end = 0
    for (const size of answer.chunkSizes) {
      end += size
      expect(answer.body.slice(0, end)).toMatch(/\n\n$/)
    }
    expect(answer.chunkSizes.length).toBeGreaterThan(3)
  })

  it('G11 keeps a connection alive with comments', async () => {
    const { table } = await startRawVendor([
      steps.stream(sse(chunks({ text: 'one' }), { done: false }).slice(0, 2)),
      steps.wait(90),
      steps.stream(sse(chunks({ text: 'two' })).slice(1)),
    ])
    const site = await open(table, { stream: { keepAliveMs: 20 } })
    const answer = await site.message({ stream: true })
    expect(answer.body).toMatch(/\n\n:[^\n]*\n\n/)
    expect(messageFrom(await eventsOf(answer)).content).toMatchObject([{ text: 'onetwo' }])
  })

  it('G12 holds the status back until the first content', async () => {
    const busy = steps.reply({ error: { message: 'busy' } }, { status: 503 })
    const broken = steps.stream([
      ...sse([chunk({ role: 'assistant', content: '' })], { done: false }),
      'data: {"error":{"message":"x"}}\n\n',
    ])
    const { table, upstream } = await startRawVendor(busy, steps.answer({ text: 'again' }), broken)
    const site = await open({ ...table, two: twice(table.chat as Target) })
    const retried = await site.message({ model: 'two', stream: true })
    expect(messageFrom(await eventsOf(retried)).content).toEqual([{ type: 'text', text: 'again' }])
    expect(upstream.requests).toHaveLength(2)
    expectMessagesError(await site.message({ stream: true }), 502, 'api_error')
  })

  it('G12 G13 opens the message where the wait is long, and keeps its id', async () => {
    const slow = [steps.head(), steps.wait(60), steps.stream(sse(chunks({ text: 'late' })))]
    const never = [steps.head(), steps.wait(60), steps.body('data: {"error":{"message":"x","code":500}}\n\n')]
    const { table } = await startRawVendor(slow, never)
    const site = await open(table, { stream: { keepAliveMs: 10, holdMs: 10 } })
    const events = await eventsOf(await site.message({ stream: true }))
    expect(events.filter(({ type }) => type === 'message_start')).toHaveLength(1)
    expect(messageFrom(events)).toMatchObject({ model: 'chat', content: [{ text: 'late' }] })
    const failed = await eventsOf(await site.message({ stream: true }))
    expect(failed.map(({ type }) => type)).toEqual(['message_start', 'error'])
  })

  it.each(['first', 'second'])('G13 keeps model and id whichever target answers: %s', async which => {
    const open1 = [steps.head(), steps.wait(40)]
    const { table, upstream } = await startRawVendor(
      which === 'first'
        ? [...open1, steps.stream(sse(chunks({ text: 'x', id: 'chatcmpl-1', model: 'other' })))]
        : [steps.head(), steps.cut()],
      steps.stream(sse(chunks({ text: 'x', id: 'chatcmpl-2', model: 'other' }))),
    )
    const site = await open({ two: twice(table.chat as Target) }, { stream: { keepAliveMs: 10, holdMs: 10 } })
    const answer = await site.message({ model: 'two', stream: true })
    const events = await eventsOf(answer)
    const message = messageFrom(events)
    expect(message.model).toBe('two')
    expect(message.id).toMatch(/^msg_[0-9a-f]+$/)
    expect(answer.body).not.toMatch(/chatcmpl|"other"/)
    expect(upstream.requests).toHaveLength(which === 'first' ? 1 : 2)
  })

  it.each(['chat', 'native'])('G14 cancels the upstream of a caller who goes away: %s', async model => {
    const native = [
      'event: message_start\ndata: {"type":"message_start","message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"usage":{"input_tokens":7,"output_tokens":1}}}\n\n',
      'event: content_block_start\ndata: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}\n\n',
      'event: content_block_delta\ndata: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"some words"}}\n\n',
    ]
    const { table, upstream } = await startRawVendor(({ path }) => [
      steps.stream(
        path.endsWith('/messages')
          ? native
          : sse(chunks({ text: 'some words' }), { done: false }).slice(0, 3),
      ),
      steps.hang(),
    ])
    const { ledger, closings } = memoryLedger()
    const site = await open(table, { ledger, limits: [requests(1_000).per('hour')] })
    const client = await connectRawClient({ port: site.port })
    const body = { ...baseMessage, model, stream: true }
    await client.send(
      requestBytes({ path: site.pathOf('/messages'), headers: { authorization: 'Bearer good-key' }, body }),
    )
    await client.waitFor('some')
    client.reset()
    await upstream.waitForClose(1)
    const [closing] = await closings(1)
    expect(closing).toMatchObject({ outcome: 'client_disconnected' })
    expect(closing!.charge!.promptTokens).toBeGreaterThan(0)
    await client.close()
  })

  it.each(familyNames)('T9 tells of a failure within a stream as an event with its name: %s', async model => {
    const { table } = await startVendors(() => ({ text: 'word '.repeat(400), cutAfter: 2_500 }))
    const site = await open(table)
    const events = await eventsOf(await site.message({ model, stream: true }))
    expect(events.at(-1)?.type).toBe('error')
  })
})

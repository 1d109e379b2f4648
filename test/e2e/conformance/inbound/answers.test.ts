import { anthropic, bedrock, vllm } from '@sluice/providers'
import { chunks, completion, sse, steps, usage } from '@sluice/testing'
import { describe, expect, it } from 'vitest'
import { used } from '../../families/family.ts'
import { eventsOf, expectMessagesError, type Message, messageFrom, messageOf } from './inbound-site.ts'
import { memoryLedger } from './memory-ledger.ts'
import { familyNames, type Open, overPlaces, startRawVendor, startVendors } from './over-places.ts'

type Content = Parameters<typeof completion>[0]

/** A vendor with chat completions that gives one answer, whole or streamed, and the messages that come of it. */
async function both(open: Open, content: Content, fields: object = {}): Promise<readonly Message[]> {
  const counts = usage(30, 12, 8, 5)
  const { table } = await startRawVendor(({ json }) =>
    json?.stream === true
      ? steps.stream(sse(chunks({ usage: counts, ...content })))
      : steps.reply(completion({ usage: counts, ...content })),
  )
  const site = await open(table)
  return [
    messageOf(await site.message(fields)),
    messageFrom(await eventsOf(await site.message({ ...fields, stream: true }))),
  ]
}

const tools = [{ name: 'get_weather', input_schema: { type: 'object' } }]

overPlaces(open => {
  it.each<[string, Content, string]>([
    ['its end', { text: 'x' }, 'end_turn'],
    ['a length', { text: 'x', finishReason: 'length' }, 'max_tokens'],
    ['calls', { toolCalls: [{ name: 'get_weather' }] }, 'tool_use'],
    [
      'calls that the vendor calls a stop',
      { toolCalls: [{ name: 'get_weather' }], finishReason: 'stop' },
      'tool_use',
    ],
    ['a filter', { text: 'I', finishReason: 'content_filter' }, 'refusal'],
  ])('M20 T13 tells why an answer ended: %s', async (_, content, expected) => {
    for (const message of await both(open, content, { tools })) {
      expect(message).toMatchObject({ stop_reason: expected, stop_sequence: null })
      if (expected !== 'refusal') expect(message.stop_details).toBeNull()
    }
  })

  it('M20 T31 tells of a refusal, and keeps its text', async () => {
    for (const message of await both(open, { refusal: 'I do not do that.' })) {
      expect(message).toMatchObject({
        content: [{ type: 'text', text: 'I do not do that.' }],
        stop_reason: 'refusal',
        stop_details: { type: 'refusal', category: null, explanation: 'I do not do that.' },
      })
    }
  })

  it('M20 tells the stop sequence where the vendor does', async () => {
    const { upstream } = await startRawVendor(({ json }) => {
      const whole = completion({ text: 'one ' })
      const choice = { ...whole.choices[0]!, stop_reason: 'END' }
      return json?.stream === true
        ? steps.stream(
            sse([
              ...chunks({ text: 'one ' }).slice(0, -1),
              {
                ...chunks({ text: 'x' }).at(-1)!,
                choices: [{ index: 0, delta: {}, finish_reason: 'stop', stop_reason: 'END' }],
              },
            ]),
          )
        : steps.reply({ ...whole, choices: [choice] })
    })
    const site = await open({ chat: vllm({ baseURL: upstream.baseURL })('m') })
    const fields = { stop_sequences: ['END', 'STOP'] }
    for (const message of [
      messageOf(await site.message(fields)),
      messageFrom(await eventsOf(await site.message({ ...fields, stream: true }))),
    ]) {
      expect(message).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'END' })
    }
    expect(messageOf(await site.message())).toMatchObject({ stop_reason: 'end_turn', stop_sequence: null })
  })

  it.each(['anthropic', 'bedrock'])('M20 names the stop sequence through a translation: %s', async vendor => {
    const { upstream } = await startRawVendor(({ json }) =>
      vendor === 'bedrock'
        ? steps.reply({
            output: { message: { role: 'assistant', content: [{ text: 'one ' }] } },
            stopReason: 'stop_sequence',
            ...((json as Record<string, unknown>).additionalModelResponseFieldPaths !== undefined && {
              additionalModelResponseFields: { stop_sequence: 'END' },
            }),
            usage: { inputTokens: 1, outputTokens: 1, totalTokens: 2 },
          })
        : json?.stream === true
          ? steps.stream(
              sse(
                [
                  { type: 'message_start', message: { id: 'm', model: 'm', usage: { input_tokens: 1 } } },
                  { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
                  { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'one ' } },
                  { type: 'content_block_stop', index: 0 },
                  {
                    type: 'message_delta',
                    delta: { stop_reason: 'stop_sequence', stop_sequence: 'END' },
                    usage: { output_tokens: 1 },
                  },
                  { type: 'message_stop' },
                ],
                { done: false },
              ),
            )
          : steps.reply({
              type: 'message',
              id: 'm',
              role: 'assistant',
              model: 'm',
              content: [{ type: 'text', text: 'one ' }],
              stop_reason: 'stop_sequence',
              stop_sequence: 'END',
              usage: { input_tokens: 1, output_tokens: 1 },
            }),
    )
    const { baseURL, url } = upstream
    const target =
      vendor === 'anthropic'
        ? anthropic({ apiKey: 'k', baseURL, speaks: [] })('claude-opus-4-1')
        : bedrock({ region: 'us-east-1', bearerToken: 'k', baseURL: url, speaks: [] })(
            'us.anthropic.claude-opus-4-1-v1:0',
          )
    const site = await open({ chat: target })
    const fields = { stop_sequences: ['END', 'STOP'] }
    const whole = messageOf(await site.message(fields))
    const streamed =
      vendor === 'anthropic' && messageFrom(await eventsOf(await site.message({ ...fields, stream: true })))
    for (const message of streamed ? [whole, streamed] : [whole]) {
      expect(message).toMatchObject({ stop_reason: 'stop_sequence', stop_sequence: 'END' })
    }
  })

  describe.each(familyNames)('of %s', model => {
    it('M20 M21 M22 T37 is a message, whole and streamed', async () => {
      const { table } = await startVendors(({ tools: offered }) =>
        offered.length > 0
          ? {
              text: 'I look.',
              calls: [
                { id: 'call_1', name: 'get_weather', input: { city: 'Paris', days: [1, 2] } },
                { id: 'call_2', name: 'get_weather', input: {} },
              ],
            }
          : { text: 'Hello you' },
      )
      const site = await open(table)
      for (const fields of [{ model }, { model, tools }]) {
        const whole = messageOf(await site.message(fields))
        const streamed = messageFrom(await eventsOf(await site.message({ ...fields, stream: true })))
        for (const message of [whole, streamed]) {
          expect(message).toMatchObject({ type: 'message', role: 'assistant', model, stop_sequence: null })
          expect(message.id).toMatch(/^msg_/)
          const [text, ...calls] = message.content
          if (fields.tools === undefined)
            expect(message.content).toEqual([{ type: 'text', text: 'Hello you' }])
          else {
            expect(text).toEqual({ type: 'text', text: 'I look.' })
            expect(calls.map(({ type, name, input }) => [type, name, input])).toEqual([
              ['tool_use', 'get_weather', { city: 'Paris', days: [1, 2] }],
              ['tool_use', 'get_weather', {}],
            ])
            expect(new Set(calls.map(({ id }) => id)).size).toBe(2)
          }
          expect(message.stop_reason).toBe(fields.tools === undefined ? 'end_turn' : 'tool_use')
          expect(message.usage).toMatchObject({
            input_tokens: used.prompt - used.cached,
            cache_read_input_tokens: used.cached,
            cache_creation_input_tokens: 0,
            output_tokens: used.completion,
          })
        }
      }
    })

    it('M37 K28 is whole without a stream, also when it is long', async () => {
      const text = 'word '.repeat(60_000)
      const { table } = await startVendors(() => ({ text }))
      const site = await open(table)
      const message = messageOf(await site.message({ model, max_tokens: 64_000 }))
      expect(message.content).toEqual([{ type: 'text', text }])
    })
  })

  it('M21 puts thoughts first, and has no empty text', async () => {
    const said = {
      reasoning_content: 'Hm.',
      content: '',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'get_weather', arguments: '{}' } }],
    }
    const { table } = await startRawVendor(({ json }) => {
      const whole = completion({ text: null })
      if (json?.stream !== true)
        return steps.reply({
          ...whole,
          choices: [{ index: 0, finish_reason: 'tool_calls', message: { role: 'assistant', ...said } }],
        })
      const chunk = (delta: object, finish_reason: string | null = null) => ({
        ...chunks()[0]!,
        choices: [{ index: 0, delta, finish_reason }],
      })
      return steps.stream(
        sse([
          chunk({ role: 'assistant', content: '' }),
          chunk({ reasoning_content: 'H' }),
          chunk({ reasoning_content: 'm.', content: '' }),
          chunk({ content: '', tool_calls: [{ index: 0, ...said.tool_calls[0] }] }),
          chunk({}, 'tool_calls'),
        ]),
      )
    })
    const site = await open(table)
    for (const message of [
      messageOf(await site.message({ tools })),
      messageFrom(await eventsOf(await site.message({ tools, stream: true }))),
    ]) {
      expect(message.content).toEqual([
        { type: 'thinking', thinking: 'Hm.', signature: '' },
        { type: 'tool_use', id: 'c', name: 'get_weather', input: {} },
      ])
    }
  })

  it('M21 fails for arguments that are no JSON object', async () => {
    for (const text of ['[1]', '7', '{"a":', 'no', '{} {}']) {
      const content = { toolCalls: [{ name: 'get_weather', arguments: text }] }
      const { table } = await startRawVendor(({ json }) =>
        json?.stream === true ? steps.stream(sse(chunks(content))) : steps.reply(completion(content)),
      )
      const site = await open(table)
      expectMessagesError(await site.message({ tools }), 502, 'api_error')
      const streamed = await site.message({ tools, stream: true })
      if (streamed.status !== 200) expectMessagesError(streamed, 502, 'api_error')
      else {
        const events = await eventsOf(streamed)
        expect(events.at(-1)).toMatchObject({ type: 'error', error: { type: 'api_error' } })
        expect(events.map(({ type }) => type)).not.toContain('message_stop')
      }
    }
  })

  it('M21 reports links that have no block', async () => {
    const annotations = [
      {
        type: 'url_citation',
        url_citation: { start_index: 0, end_index: 1, url: 'https://a.test/', title: 'A' },
      },
    ]
    const whole = completion({ text: 'x' })
    const message = { ...whole.choices[0]!.message, annotations }
    const [first, ...rest] = chunks({ text: 'x' })
    const { table } = await startRawVendor(({ json }) =>
      json?.stream === true
        ? steps.stream(
            sse([
              { ...first!, choices: [{ ...first!.choices[0]!, delta: { content: 'x', annotations } }] },
              ...rest,
            ]),
          )
        : steps.reply({ ...whole, choices: [{ ...whole.choices[0]!, message }] }),
    )
    const reported: unknown[] = []
    const site = await open(table, {
      observe: event => {
        if (event.type === 'end') reported.push(event.adjustments)
      },
    })
    const answer = await site.message()
    expect(messageOf(answer).content).toEqual([{ type: 'text', text: 'x' }])
    expect(answer.headers['x-sluice-adjustments']).toMatch(/^"content.citations";action=dropped/)
    messageFrom(await eventsOf(await site.message({ stream: true })))
    const lost = expect.objectContaining({ parameter: 'content.citations', action: 'dropped' })
    expect(reported).toEqual([[lost], [lost]])
  })

  it('M21 gives a call that was cut by its length no input', async () => {
    const content = {
      text: 'I',
      toolCalls: [{ name: 'get_weather', arguments: '{"city":"Pa' }],
      finishReason: 'length',
    } as const
    const { table } = await startRawVendor(({ json }) =>
      json?.stream === true ? steps.stream(sse(chunks(content))) : steps.reply(completion(content)),
    )
    const site = await open(table)
    const whole = messageOf(await site.message({ tools }))
    expect(whole).toMatchObject({
      content: [{ type: 'text' }, { type: 'tool_use', input: {} }],
      stop_reason: 'max_tokens',
    })
    const events = await eventsOf(await site.message({ tools, stream: true }))
    expect(events.slice(-2)).toMatchObject([
      { type: 'message_delta', delta: { stop_reason: 'max_tokens' } },
      { type: 'message_stop' },
    ])
  })

  it.each([false, true])('M22 T15 counts what was cached once, stream: %s', async stream => {
    const counts = {
      ...usage(30, 12, 8, 5),
      prompt_tokens_details: { cached_tokens: 8, cache_write_tokens: 4, audio_tokens: 0 },
    }
    const { table } = await startRawVendor(
      stream ? steps.stream(sse(chunks({ usage: counts }))) : steps.reply(completion({ usage: counts })),
    )
    const { ledger, closings } = memoryLedger()
    const site = await open(table, { ledger })
    const answer = await site.message({ stream })
    const message = stream ? messageFrom(await eventsOf(answer)) : messageOf(answer)
    expect(message.usage).toMatchObject({
      input_tokens: 18,
      cache_read_input_tokens: 8,
      cache_creation_input_tokens: 4,
      output_tokens: 12,
      output_tokens_details: { thinking_tokens: 5 },
      service_tier: 'standard',
      server_tool_use: null,
    })
    expect((await closings(1))[0]).toMatchObject({
      estimated: false,
      charge: { promptTokens: 30, cachedTokens: 8, completionTokens: 12, reasoningTokens: 5 },
    })
  })

  it('M22 T15 has no number below zero', async () => {
    for (const { usage: counts } of await both(open, { usage: usage(5, 2, 9) }))
      expect(counts).toMatchObject({ input_tokens: 0, cache_read_input_tokens: expect.any(Number) })
  })

  it.each(['chat', 'native'])('M38 is empty where the vendor said nothing: %s', async model => {
    const empty = {
      id: 'msg_v',
      type: 'message',
      role: 'assistant',
      model: 'vendor-model',
      content: [],
      stop_reason: 'end_turn',
      stop_sequence: null,
      usage: { input_tokens: 3, output_tokens: 1 },
    }
    const events = [
      ['message_start', { message: { ...empty, stop_reason: null } }],
      [
        'message_delta',
        { delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 1 } },
      ],
      ['message_stop', {}],
    ] as const
    const { table } = await startRawVendor(({ path, json }) => {
      if (path.endsWith('/messages'))
        return json?.stream === true
          ? steps.stream(
              events.map(([type, data]) => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`),
            )
          : steps.reply(empty)
      return json?.stream === true
        ? steps.stream(sse(chunks({ text: '' })))
        : steps.reply(completion({ text: '' }))
    })
    const site = await open(table)
    expect(messageOf(await site.message({ model }))).toMatchObject({ content: [], stop_reason: 'end_turn' })
    const streamed = await eventsOf(await site.message({ model, stream: true }))
    expect(streamed.map(({ type }) => type).filter(type => type !== 'ping')).toEqual([
      'message_start',
      'message_delta',
      'message_stop',
    ])
  })
})

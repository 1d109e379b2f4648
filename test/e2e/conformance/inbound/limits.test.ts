import { idempotency, responseCache, tokens } from '@sluice/core'
import { openaiCompatible } from '@sluice/providers'
import { local } from '@sluice/providers/local'
import { chunks, completion, sse, steps, usage } from '@sluice/testing'
import { expect, it } from 'vitest'
import { expectError } from '../expect-error.ts'
import { eventsOf, expectMessagesError, messageFrom, messageOf } from './inbound-site.ts'
import { memoryLedger } from './memory-ledger.ts'
import { overPlaces, startRawVendor } from './over-places.ts'

const either = ({ json }: { readonly json: object | undefined }) =>
  (json as { stream?: boolean }).stream === true
    ? steps.stream(sse(chunks({ usage: usage(40, 10) })))
    : steps.reply(completion({ usage: usage(40, 10) }))

overPlaces(open => {
  it('G5 is of the same pipeline in every dialect', async () => {
    const { table } = await startRawVendor(either)
    const { ledger, entries, closings } = memoryLedger()
    const site = await open({ ...table, e: local()('e') }, { ledger, prices: counts => counts.prompt_tokens })
    await site.message()
    await site.message({ stream: true })
    await site.embed()
    await site.send('/chat/completions', {
      body: { model: 'chat', messages: [{ role: 'user', content: 'Hi' }] },
    })
    await site.respond()
    await site.respond({ stream: true })
    expect(await closings(6)).toMatchObject([
      { status: 200, charge: { promptTokens: 40, completionTokens: 10, cost: 40 } },
      { status: 200, charge: { promptTokens: 40, completionTokens: 10, cost: 40 } },
      { status: 200, charge: { completionTokens: 0 } },
      { status: 200, charge: { promptTokens: 40, completionTokens: 10, cost: 40 } },
      { status: 200, charge: { promptTokens: 40, completionTokens: 10, cost: 40 } },
      { status: 200, charge: { promptTokens: 40, completionTokens: 10, cost: 40 } },
    ])
    expect(entries).toMatchObject([
      { dialect: 'messages', operation: 'generate', model: 'chat', stream: false, principal: 'ann' },
      { dialect: 'messages', operation: 'generate', model: 'chat', stream: true },
      { dialect: 'embeddings', operation: 'embed', model: 'e' },
      { dialect: 'chat', operation: 'generate', model: 'chat' },
      { dialect: 'responses', operation: 'generate', model: 'chat', stream: false },
      { dialect: 'responses', operation: 'generate', model: 'chat', stream: true },
    ])
  })

  it('G15 keeps an answer for the dialect that it was made in', async () => {
    const { table, upstream } = await startRawVendor(either)
    const site = await open(table, { cache: responseCache({ ttlMs: 60_000 }), idempotency: idempotency() })
    const messages = [{ role: 'user', content: 'Hello!' }]
    const keyed = { headers: { 'idempotency-key': 'k' } }
    const first = await site.message({}, keyed)
    const again = await site.message({}, keyed)
    expect(again.body).toBe(first.body)
    expect(again.headers['idempotency-replayed']).toBe('true')
    // A key of one request is not replayed in another dialect.
    const body = { model: 'chat', messages, max_tokens: 1_000 }
    const chat = await site.send('/chat/completions', { body, ...keyed })
    expectError(chat, 422, { code: 'idempotency_key_reused' })
    expectMessagesError(await site.message({ max_tokens: 7 }, keyed), 422, 'invalid_request_error')
    // The cache has both, each in its own shape.
    const calls = upstream.requests.length
    const fields = { temperature: 0 }
    const made = await site.message(fields)
    expect((await site.message(fields)).json).toEqual(made.json)
    const other = await site.send('/chat/completions', { body: { ...body, ...fields } })
    expect(other.json).toMatchObject({ object: 'chat.completion' })
    expect(upstream.requests.length - calls).toBe(2)
    const streamed = await site.message({ ...fields, stream: true })
    const replayed = await site.message({ ...fields, stream: true })
    expect(upstream.requests.length - calls).toBe(3)
    expect(replayed.body).toBe(streamed.body)
    expect(messageFrom(await eventsOf(replayed)).content).toEqual([{ type: 'text', text: 'Hello' }])
  })

  it('G15 replays a response in its own dialect, with the id under which it is stored', async () => {
    const { table, upstream } = await startRawVendor(either)
    const site = await open(table, { cache: responseCache({ ttlMs: 60_000 }), idempotency: idempotency() })
    const keyed = { headers: { 'idempotency-key': 'r' } }
    const first = await site.respond({}, keyed)
    const again = await site.respond({}, keyed)
    expect([again.body, again.headers['idempotency-replayed']]).toEqual([first.body, 'true'])
    const { id } = first.json as { id: string }
    expect((await site.get(`/responses/${id}`)).json).toEqual(first.json)
    expectError(await site.respond({ input: 'other' }, keyed), 422, { code: 'idempotency_key_reused' })
    const calls = upstream.requests.length
    for (const stream of [false, true]) {
      const made = await site.respond({ stream, store: false, temperature: 0 })
      expect((await site.respond({ stream, store: false, temperature: 0 })).body).toBe(made.body)
    }
    expect(upstream.requests.length - calls).toBe(2)
    // A stored response is made anew, because it has an id of its own.
    const ids = [await site.respond({ temperature: 0 }), await site.respond({ temperature: 0 })]
    expect(new Set(ids.map(({ json }) => (json as { id: string }).id)).size).toBe(2)
  })

  it('G16 reserves the input and the bound of the output, and then takes what was used', async () => {
    const { table, upstream } = await startRawVendor(either)
    const site = await open(table, { limits: [tokens(2_000).per('hour')] })
    const long = 'word '.repeat(1_500)
    const refused = [
      { max_tokens: 2_000 },
      { max_tokens: 1_000, system: long },
      { max_tokens: 1_000, system: [{ type: 'text', text: long }] },
      { max_tokens: 1_000, tools: [{ name: 'a', description: long, input_schema: {} }] },
      {
        max_tokens: 1_000,
        messages: [
          { role: 'user', content: 'a' },
          { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'a', input: {} }] },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: long }] },
        ],
      },
    ]
    for (const fields of refused) expectMessagesError(await site.message(fields), 429, 'rate_limit_error')
    expect(upstream.requests).toHaveLength(0)
    for (const _ of [1, 2, 3]) expect((await site.message({ max_tokens: 1_500 })).status).toBe(200)
    const { headers } = await site.message({ max_tokens: 10 })
    expect(Number(headers['anthropic-ratelimit-tokens-remaining'])).toBeGreaterThan(1_700)
  })

  it('K27 tells in known words that a prompt is too long', async () => {
    const { upstream } = await startRawVendor(
      steps.reply(
        {
          error: {
            message:
              "This model's maximum context length is 8192 tokens. However, your messages resulted in 9001 tokens. Please reduce the length of the messages.",
            type: 'invalid_request_error',
            param: 'messages',
            code: 'context_length_exceeded',
          },
        },
        { status: 400 },
      ),
      steps.reply(
        {
          error: {
            message:
              "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (5000 in the messages, 4000 in the completion). Please reduce the length of the messages or completion.",
            type: 'invalid_request_error',
            param: 'messages',
            code: 'context_length_exceeded',
          },
        },
        { status: 400 },
      ),
    )
    const server = openaiCompatible({ name: 'server', baseURL: upstream.baseURL })
    const site = await open({
      chat: server('m'),
      small: local({ contextWindow: 20 })('s'),
    })
    expectMessagesError(
      await site.message(),
      400,
      'invalid_request_error',
      'prompt is too long: 9001 tokens > 8192 maximum',
    )
    expectMessagesError(
      await site.message(),
      400,
      'invalid_request_error',
      'input length and `max_tokens` exceed context limit: 5000 + 4000 > 8192',
    )
    const messages = [{ role: 'user', content: 'word '.repeat(40) }]
    expectMessagesError(
      await site.message({ model: 'small', messages }),
      400,
      'invalid_request_error',
      /^prompt is too long: /,
    )
  })

  it('K21 K43 takes both generations of the client', async () => {
    const { table, upstream } = await startRawVendor(({ path, json }) =>
      path.endsWith('/messages')
        ? steps.reply({
            id: 'msg_v',
            type: 'message',
            role: 'assistant',
            model: 'm',
            content: [],
            stop_reason: 'end_turn',
            stop_sequence: null,
            usage: { input_tokens: 1, output_tokens: 1 },
          })
        : either({ json }),
    )
    const site = await open({ ...table, 'claude-x': table.chat })
    const common = {
      'anthropic-beta':
        'claude-code-20250219,interleaved-thinking-2025-05-14,context-management-2025-06-27,effort-2025-11-24,advanced-tool-use-2025-11-20',
      'x-app': 'cli',
      'user-agent': 'claude-cli/2.1.330',
      'x-claude-code-session-id': '0b6f6a4e',
      'x-stainless-timeout': '600',
      'x-stainless-retry-count': '0',
      'anthropic-dangerous-direct-browser-access': 'true',
    }
    const generations = [
      { authorization: 'Bearer good-key', 'anthropic-version': '2026-10-21', ...common },
      { 'x-api-key': 'good-key', 'anthropic-version': '2023-06-01', ...common },
    ]
    for (const headers of generations) {
      for (const model of ['chat', 'native']) {
        const answer = await site.message({ model }, { key: null, headers })
        expect(answer.status, answer.body).toBe(200)
        expect(answer.headers['request-id']).toMatch(/^req_/)
      }
      const listed = await site.get('/models', { key: null, headers })
      expect(listed.json).toMatchObject({
        data: expect.arrayContaining([expect.objectContaining({ type: 'model', id: 'claude-x' })]),
      })
    }
    for (const { headers } of upstream.requests) {
      expect(headers).not.toHaveProperty('x-app')
      expect(headers).not.toHaveProperty('x-claude-code-session-id')
    }
  })

  it('K28 sends the same request again without a stream', async () => {
    const { table, upstream } = await startRawVendor(
      [steps.stream(sse(chunks({ text: 'one two three' }), { done: false }).slice(0, 3)), steps.cut()],
      [steps.wait(150), steps.reply(completion({ text: 'whole' }))],
    )
    const site = await open(table)
    const fields = { max_tokens: 64_000 }
    expect((await eventsOf(await site.message({ ...fields, stream: true }))).at(-1)!.type).toBe('error')
    expect(messageOf(await site.message(fields)).content).toEqual([{ type: 'text', text: 'whole' }])
    expect(upstream.requests).toHaveLength(2)
  })
})

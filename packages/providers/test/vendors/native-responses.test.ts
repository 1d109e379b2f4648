import type { PartialChunk, UpstreamResponse } from '@sluice/core/provider'
import { foldChunks, UpstreamError } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { openaiCompatible } from '../../src/openai-compatible.ts'
import { type NativeGiven, nativeCall } from '../native-call.ts'

// Requests in the Responses API, passed on to a vendor that speaks it.

const { provider } = openaiCompatible({
  name: 'acme',
  baseURL: 'https://acme.test/v1',
  apiKey: 'k',
  speaks: ['messages', 'responses'],
  encryptedReasoning: true,
})('m')

function callOf(body: object, given: NativeGiven = {}) {
  return nativeCall(JSON.stringify(body), { dialect: 'responses', model: 'm-upstream', ...given })
}

async function sent(body: object, given?: NativeGiven) {
  const request = await provider.encodeNative!(callOf(body, given))
  return { ...request, body: JSON.parse(String(request.body)) }
}

function response(text: string, status = 200): UpstreamResponse {
  const bytes = new TextEncoder().encode(text)
  const body = (async function* () {
    yield bytes
  })()
  return { status, headers: new Headers(), body, text: async () => text } as unknown as UpstreamResponse
}

async function streamed(events: readonly object[]) {
  const text = events.map(event => `data: ${JSON.stringify(event)}\n\n`).join('')
  const reply = await provider.decodeNative!(response(text), callOf({ model: 'm', stream: true }))
  if (reply.kind !== 'stream') throw new Error('Expected a stream.')
  const chunks: PartialChunk[] = []
  const native: string[] = []
  let failure: unknown
  try {
    for await (const batch of reply.chunks) {
      chunks.push(...batch)
      native.push(...(batch.native ?? []).map(({ data }) => data))
    }
  } catch (error) {
    failure = error
  }
  return { chunks, native, failure, completion: foldChunks(chunks) }
}

const usage = {
  input_tokens: 10,
  input_tokens_details: { cached_tokens: 4, cache_write_tokens: 2 },
  output_tokens: 7,
  output_tokens_details: { reasoning_tokens: 3 },
}
const message = {
  type: 'message',
  id: 'msg_1',
  content: [
    {
      type: 'output_text',
      text: 'Hello',
      annotations: [
        { type: 'url_citation', url: 'https://a.test', title: 'A', start_index: 0, end_index: 5 },
      ],
    },
  ],
}
const reasoning = {
  type: 'reasoning',
  id: 'rs_1',
  summary: [{ type: 'summary_text', text: 'Hm' }],
  encrypted_content: 'ENC',
}
const functionCall = { type: 'function_call', id: 'fc_1', call_id: 'call_1', name: 'f', arguments: '{"a":1}' }
const customCall = { type: 'custom_tool_call', id: 'ctc_1', call_id: 'call_2', name: 'patch', input: 'x' }
const output = [reasoning, message, functionCall, customCall]

const expected = {
  model: 'm-1',
  service_tier: 'default',
  usage: {
    prompt_tokens: 10,
    completion_tokens: 7,
    cached_tokens: 4,
    cache_write_tokens: 2,
    reasoning_tokens: 3,
  },
  choices: [
    {
      finish_reason: 'tool_calls',
      message: {
        content: 'Hello',
        reasoning_content: 'Hm',
        reasoning_details: [
          { type: 'reasoning.encrypted', format: 'openai-responses-v1', id: 'rs_1', data: 'ENC', index: 0 },
        ],
        annotations: [
          {
            type: 'url_citation',
            url_citation: { url: 'https://a.test', title: 'A', start_index: 0, end_index: 5 },
          },
        ],
        tool_calls: [
          { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{"a":1}' } },
          { id: 'call_2', type: 'custom', custom: { name: 'patch', input: 'x' } },
        ],
      },
    },
  ],
}

describe('a request in the Responses API', () => {
  it('is passed on with its model, and without state of the vendor', async () => {
    const body = {
      model: 'm',
      input: 'Hi',
      store: true,
      previous_response_id: 'resp_1',
      conversation: 'conv_1',
      unknown: { __proto__x: null },
      include: null,
    }
    const request = await sent(body)
    const { previous_response_id: _, conversation: __, ...rest } = body
    expect(request).toMatchObject({
      url: 'https://acme.test/v1/responses',
      headers: { authorization: 'Bearer k' },
    })
    expect(request.body).toEqual({ ...rest, model: 'm-upstream', store: false })
  })

  it('asks for encrypted reasoning where the model reasons', async () => {
    const capabilities = { reasoning: true }
    const include = async (given: unknown) =>
      (await sent({ model: 'm', include: given }, { capabilities })).body.include
    expect(await include(null)).toEqual(['reasoning.encrypted_content'])
    expect(await include(['file_search_call.results'])).toEqual([
      'file_search_call.results',
      'reasoning.encrypted_content',
    ])
    expect(await include(['reasoning.encrypted_content'])).toEqual(['reasoning.encrypted_content'])
    expect((await sent({ model: 'm' })).body.include).toBeUndefined()
  })

  it('cannot make the vendor store it by an edit', async () => {
    const request = await sent({ model: 'm' }, { edits: [{ path: ['store'], value: true }] })
    expect(request.body.store).toBe(false)
  })
})

describe('an answer of the Responses API', () => {
  it('is read item by item, with the text as it came', async () => {
    const body = { model: 'm-1', status: 'completed', service_tier: 'default', output, usage, error: null }
    const text = JSON.stringify(body)
    const reply = await provider.decodeNative!(response(text), callOf({ model: 'm' }))
    expect(reply).toMatchObject({ kind: 'completion', native: text, completion: expected })
  })

  it('is read from the items of a stream whose last response is empty', async () => {
    const done = output.map((item, output_index) => ({
      type: 'response.output_item.done',
      output_index,
      item,
    }))
    const events = [
      { type: 'response.created', response: { model: 'm-1', output: [] } },
      ...done,
      { type: 'response.completed', response: { output: [], usage, service_tier: 'default' } },
    ]
    const { completion, native, failure } = await streamed(events)
    expect(failure).toBeUndefined()
    expect(completion).toMatchObject(expected)
    expect(native.map(data => JSON.parse(data))).toEqual(events)
  })

  it('counts what deltas brought once, also where ids change', async () => {
    const { completion } = await streamed([
      { type: 'response.output_item.added', output_index: 0, item: { ...message, id: 'a', content: [] } },
      { type: 'response.output_text.delta', output_index: 0, item_id: 'b', delta: 'Hel' },
      { type: 'response.output_text.delta', output_index: 0, item_id: 'c', delta: 'lo' },
      { type: 'response.output_item.done', output_index: 0, item: message },
      { type: 'response.output_item.added', output_index: 1, item: { ...functionCall, arguments: '' } },
      { type: 'response.function_call_arguments.delta', output_index: 1, delta: '{"a":1}' },
      { type: 'response.output_item.done', output_index: 1, item: functionCall },
      { type: 'response.completed', response: { output: [message, functionCall] } },
    ])
    expect(completion.choices[0]?.message.content).toBe('Hello')
    expect(completion.choices[0]?.message.tool_calls).toMatchObject([{ function: { arguments: '{"a":1}' } }])
  })

  it.each([
    ['max_output_tokens', 'length'],
    ['content_filter', 'content_filter'],
  ])('ends incomplete by %s', async (reason, finish_reason) => {
    const end = { status: 'incomplete', incomplete_details: { reason }, output: [] }
    const { completion } = await streamed([{ type: 'response.incomplete', response: end }])
    expect(completion.choices[0]).toMatchObject({ finish_reason })
  })

  it.each([
    [{ type: 'response.failed', response: { error: { code: 'rate_limit_exceeded', message: 'Slow' } } }, 429],
    [{ type: 'response.failed', response: { error: { code: 'server_error', message: 'Oh' } } }, 500],
    [{ type: 'response.failed', response: { error: null } }, 500],
    [{ type: 'error', code: 'invalid_prompt', message: 'No' }, 400],
    [{ type: 'error', error: { code: 'context_length_exceeded', message: 'Long' } }, 400],
  ])('fails by %j', async (event, status) => {
    const { failure, native } = await streamed([{ type: 'response.created', response: {} }, event])
    expect(failure).toMatchObject({ kind: 'refused', status })
    expect(native).toHaveLength(1)
  })

  it('is cut off without its last event', async () => {
    const { failure } = await streamed([{ type: 'response.output_text.delta', output_index: 0, delta: 'a' }])
    expect(failure).toMatchObject({ kind: 'truncated' })
  })

  it.each(['null', '[]', '{}', '{"output":{}}', '{"output":[],"status":"queued"}'])(
    'is garbled: %s',
    async text => {
      const read = async () => provider.decodeNative!(response(text), callOf({ model: 'm' }))
      await expect(read()).rejects.toMatchObject({ kind: 'garbled' })
    },
  )

  it('passes the error of the vendor on under the name of the caller', async () => {
    const error = { message: "Bad 'm-upstream'.", type: 'invalid_request_error', param: 'input', code: 'x' }
    const read = async () =>
      provider.decodeNative!(response(JSON.stringify({ error }), 400), callOf({ model: 'm' }))
    const failure = await read().catch((error: unknown) => error)
    expect(UpstreamError.is(failure) && failure.native).toEqual({
      dialect: 'responses',
      status: 400,
      body: JSON.stringify({ error: { ...error, message: "Bad 'm'." } }),
    })
  })
})

import { describe, expect, it } from 'vitest'
import { openEvents, readResponseStream, responseEvents } from '../../../test/support/read-response-stream.ts'
import { chunk, finish, usage, writerFor, written } from '../../../test/support/written-response.ts'
import type { PartialChunk } from '../../contracts/provider.ts'
import { openReasoning } from '../../conversation/sealed-reasoning.ts'
import { GatewayError } from '../../errors/errors.ts'
import { StreamNormalizer } from '../../normalization/stream.ts'
import type { JsonObject } from '../../protocol/chat.ts'

const text = (content: string) => chunk({ content })
const thought = (reasoning_content: string) => chunk({ reasoning_content })
const call = (index: number, name: string, args = '', id = `call_${index}`) =>
  chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }] })
const piece = (index: number, args: string) =>
  chunk({ tool_calls: [{ index, function: { arguments: args } }] })
const read = (fields: JsonObject, ...chunks: PartialChunk[]) =>
  readResponseStream(
    written(
      chunks.map(each => [each]),
      fields,
    ),
  )

describe('a streamed response', () => {
  it('has the order and the members that clients expect', () => {
    const events = responseEvents(written([[text('Hel')], [text('lo'), finish('stop')]]))
    const part = { type: 'output_text', text: '', annotations: [], logprobs: [] }
    const item = { id: 'msg_id1', type: 'message', status: 'in_progress', role: 'assistant', content: [] }
    const at = { item_id: 'msg_id1', output_index: 0, content_index: 0 }
    expect(events.slice(2, -1)).toEqual([
      { type: 'response.output_item.added', sequence_number: 2, output_index: 0, item },
      { type: 'response.content_part.added', sequence_number: 3, ...at, part },
      { type: 'response.output_text.delta', sequence_number: 4, ...at, delta: 'Hel', logprobs: [] },
      { type: 'response.output_text.delta', sequence_number: 5, ...at, delta: 'lo', logprobs: [] },
      { type: 'response.output_text.done', sequence_number: 6, ...at, text: 'Hello', logprobs: [] },
      { type: 'response.content_part.done', sequence_number: 7, ...at, part: { ...part, text: 'Hello' } },
      {
        type: 'response.output_item.done',
        sequence_number: 8,
        output_index: 0,
        item: { ...item, status: 'completed', content: [{ ...part, text: 'Hello' }] },
      },
    ])
    expect(events.at(-1)).toMatchObject({
      type: 'response.completed',
      response: {
        id: 'resp_1',
        created_at: 1,
        completed_at: 9,
        usage: {
          input_tokens: 100,
          input_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
          output_tokens: 7,
          output_tokens_details: { reasoning_tokens: 3 },
          total_tokens: 107,
        },
      },
    })
  })

  it('has text, calls, and text again as three items', () => {
    const { items } = read({}, text('a'), call(0, 'f', '{}'), text('b'), finish('stop'))
    expect(items.map(({ type }) => type)).toEqual(['message', 'function_call', 'message'])
  })

  it('gives a call without arguments an empty object', () => {
    const { items } = read({}, call(0, 'f'), finish('tool_calls'))
    expect(items).toMatchObject([{ type: 'function_call', call_id: 'call_0', name: 'f', arguments: '{}' }])
  })

  it('streams calls that come in turns, each with its own index', () => {
    const { items, types } = read(
      {},
      call(0, 'f', '{"a"'),
      call(1, 'g', '{"b"'),
      piece(0, ':1}'),
      piece(1, ':2}'),
      finish('tool_calls'),
    )
    expect(items.map(({ arguments: given }) => given)).toEqual(['{"a":1}', '{"b":2}'])
    expect(types.filter(type => type.endsWith('arguments.delta'))).toHaveLength(4)
  })

  it('shows a thought as a summary where one was asked for, and as text otherwise', () => {
    const chunks = [thought('Hm'), thought('m.'), text('Yes'), finish('stop')]
    expect(read({ reasoning: { summary: 'auto' } }, ...chunks).items[0]).toEqual({
      id: 'rs_id1',
      type: 'reasoning',
      summary: [{ type: 'summary_text', text: 'Hmm.' }],
    })
    expect(read({}, ...chunks).items[0]).toEqual({
      id: 'rs_id1',
      type: 'reasoning',
      summary: [],
      content: [{ type: 'reasoning_text', text: 'Hmm.' }],
    })
  })

  it('has what the vendor wants back in the item of the reasoning, only where it was asked for', () => {
    const detail = { type: 'reasoning.text', text: 'Hmm.', signature: 'sig', format: 'acme-v1' }
    const chunks = [thought('Hmm.'), chunk({ reasoning_details: [detail] }), text('Yes'), finish('stop')]
    const [sealed] = read({ include: ['reasoning.encrypted_content'] }, ...chunks).items
    expect(openReasoning(sealed.encrypted_content)).toMatchObject({ realm: 'ab', details: [detail] })
    expect(read({}, ...chunks).items[0]).not.toHaveProperty('encrypted_content')
  })

  const tools: JsonObject = {
    tools: [
      { type: 'namespace', name: 'mcp__fs', tools: [{ type: 'function', name: 'read', parameters: {} }] },
      { type: 'custom', name: 'apply_patch', format: { type: 'grammar', syntax: 'lark', definition: 'x' } },
      {
        type: 'tool_search',
        execution: 'client',
        description: 'Finds tools',
        parameters: { type: 'object' },
      },
      { type: 'local_shell' },
    ],
  }

  it('names calls as the caller knows its tools', () => {
    const { items, types } = read(
      tools,
      call(0, 'mcp__fs__read', '{"path":"a"}'),
      call(1, 'apply_patch', '{"input":"*** Begin\\n'),
      piece(1, 'caf\\u00e9 \\ud83d'),
      piece(1, '\\ude00"}'),
      call(2, 'tool_search', '{"query":"x"}'),
      call(3, 'local_shell', '{"command":["ls"]}'),
      call(4, 'other', '{}'),
      finish('tool_calls'),
    )
    expect(items).toMatchObject([
      { type: 'function_call', name: 'read', namespace: 'mcp__fs', arguments: '{"path":"a"}' },
      { type: 'custom_tool_call', name: 'apply_patch', input: '*** Begin\ncafé 😀', call_id: 'call_1' },
      { type: 'tool_search_call', execution: 'client', arguments: { query: 'x' }, call_id: 'call_2' },
      { type: 'local_shell_call', action: { type: 'exec', command: ['ls'] }, call_id: 'call_3' },
      { type: 'function_call', name: 'other' },
    ])
    expect(types.filter(type => type === 'response.custom_tool_call_input.delta').length).toBeGreaterThan(1)
  })

  it('ends what was cut off as incomplete, and only that', () => {
    const cut = read({}, text('a'), call(0, 'f', '{"a'), finish('length'))
    expect(cut.response).toMatchObject({
      status: 'incomplete',
      completed_at: null,
      incomplete_details: { reason: 'max_output_tokens' },
    })
    expect(cut.items.map(({ status }) => status)).toEqual(['completed', 'incomplete'])
    expect(cut.types.at(-1)).toBe('response.incomplete')
    expect(read({}, text('a'), finish('content_filter')).response.incomplete_details).toEqual({
      reason: 'content_filter',
    })
  })

  it('keeps a refusal apart from text', () => {
    const { items, response } = read({}, text('I'), chunk({ refusal: 'no' }), finish('stop'))
    expect(items[0].content).toMatchObject([{ text: 'I' }, { type: 'refusal', refusal: 'no' }])
    expect(response.status).toBe('completed')
  })

  it('breaks off with an error, and with open items that are incomplete', () => {
    const writer = writerFor()
    const normalizer = new StreamNormalizer(() => 'id', { choices: 1, logprobs: false })
    const out = writer.open() + writer.push(normalizer.push([text('a'), call(0, 'f', '{"a')]))
    const broken = readResponseStream(out + writer.fail(new GatewayError('upstream_error'), usage))
    expect(broken.error).toMatchObject({ code: 'server_error', error: { code: 'server_error' }, param: null })
    expect(broken.response).toMatchObject({
      status: 'failed',
      error: { code: 'server_error' },
      usage: { output_tokens: 7 },
    })
    expect(broken.items.at(-1)).toMatchObject({ type: 'function_call', status: 'incomplete' })
  })

  it('says in a failure how long to wait', () => {
    const error = new GatewayError('rate_limit_exceeded', { headers: { 'retry-after': '7' } })
    const out = readResponseStream(
      writerFor().open() +
        writerFor()
          .fail(error)
          .replace(/"sequence_number":(\d)/g, (_, n) => `"sequence_number":${Number(n) + 2}`),
    )
    expect(out.response.error).toMatchObject({
      code: 'rate_limit_exceeded',
      message: expect.stringContaining('try again in 7s'),
    })
  })
})

describe('a stream of a vendor that speaks the protocol', () => {
  const event = (type: string, more: object = {}) => ({
    event: type,
    data: JSON.stringify({ type, ...more }),
  })
  const response = { id: 'resp_v', model: 'vendor-1', status: 'in_progress', output: [], store: false }
  const message = { id: 'msg_v', type: 'message', status: 'in_progress', role: 'assistant', content: [] }
  const part = { type: 'output_text', text: '', annotations: [], logprobs: [] }
  const at = { item_id: 'msg_v', output_index: 0, content_index: 0 }
  const ended = { ...message, status: 'completed', content: [{ ...part, text: 'Hi' }] }
  const events = [
    event('response.created', { sequence_number: 0, response }),
    event('response.in_progress', { sequence_number: 1, response }),
    event('response.output_item.added', { sequence_number: 2, output_index: 0, item: message }),
    event('response.content_part.added', { sequence_number: 3, ...at, part }),
    event('response.output_text.delta', {
      sequence_number: 4,
      ...at,
      delta: 'Hi',
      logprobs: [],
      obfuscation: 'x',
    }),
    event('response.output_text.done', { sequence_number: 5, ...at, text: 'Hi', logprobs: [] }),
    event('response.content_part.done', { sequence_number: 6, ...at, part: { ...part, text: 'Hi' } }),
    event('response.output_item.done', { sequence_number: 7, output_index: 0, item: ended }),
    event('response.completed', {
      sequence_number: 8,
      response: { ...response, status: 'completed', output: [ended] },
    }),
  ]
  const normalizer = new StreamNormalizer(() => 'id', { choices: 1, logprobs: false })
  const passed = (given: readonly { event: string; data: string }[], opened = false) => {
    const writer = writerFor()
    const opening = writer.open()
    const out = given.map(each => writer.pass([each], opened)).join('')
    return (opened ? opening : '') + out + writer.end([], normalizer, { ...usage })
  }

  it('passes as it is, but for its id and its model', () => {
    expect(responseEvents(passed(events))).toEqual(
      events
        .map(({ data }) => JSON.parse(data))
        .map(each =>
          each.response === undefined
            ? each
            : {
                ...each,
                response: { ...each.response, id: 'resp_1', model: 'public', previous_response_id: null },
              },
        ),
    )
    expect(readResponseStream(passed(events)).items).toEqual([ended])
  })

  it('has no second opening', () => {
    expect(readResponseStream(passed(events, true)).items).toEqual([ended])
  })

  it('gets one id for each item, numbers and an output where the vendor has others', () => {
    let ids = 0
    const odd = events.map(({ event: name, data }) => {
      const { sequence_number: _, ...value } = JSON.parse(data)
      if (value.item_id) value.item_id = `changing-${++ids}`
      if (value.item) value.item = { ...value.item, id: `changing-${++ids}` }
      if (name === 'response.completed') value.response = { ...value.response, output: [] }
      return { event: name, data: JSON.stringify(value) }
    })
    const { items, response: last } = readResponseStream(passed(odd))
    expect(items).toMatchObject([{ content: [{ text: 'Hi' }] }])
    expect(last.output).toEqual(items)
  })

  it('is complete where the vendor sent only the end', () => {
    const { items } = readResponseStream(passed([events[0]!, events[1]!, events.at(-1)!]))
    expect(items).toEqual([ended])
  })

  it('has no text of the vendor that is not that of its messages', () => {
    const last = (output_text: string) =>
      event('response.completed', {
        sequence_number: 8,
        response: { ...response, status: 'completed', output: [ended], output_text },
      })
    const textOf = (output_text: string) =>
      readResponseStream(passed([...events.slice(0, -1), last(output_text)])).response.output_text
    expect(textOf('')).toBeUndefined()
    expect(textOf('Hi')).toBe('Hi')
  })

  it('has items that only the end has behind the others', () => {
    const search = { id: 'ws_v', type: 'web_search_call', status: 'completed' }
    const first = { ...message, id: 'msg_1', status: 'completed', content: [] }
    const last = event('response.completed', {
      response: { ...response, status: 'completed', output: [first, search, ended] },
    })
    const late = events.slice(0, -1).map(({ event: name, data }) => ({
      event: name,
      data: data.replace('"output_index":0', '"output_index":2'),
    }))
    const { items } = readResponseStream(passed([...late, last]))
    expect(items).toEqual([ended, first, search])
  })

  it('tells by its id which item of the end was not streamed, where the vendor numbers them in another way', () => {
    const lost = { ...ended, id: 'msg_1', content: [{ ...part, text: 'Oh' }] }
    const last = event('response.completed', {
      response: { ...response, status: 'completed', output: [lost, ended] },
    })
    const odd = events.slice(0, -1).map(({ event: name, data }) => ({
      event: name,
      data: data.replace('"output_index":0', '"output_index":3'),
    }))
    expect(readResponseStream(passed([...odd, last])).items).toEqual([ended, lost])
  })

  it('throws without an end', () => {
    expect(() => passed(events.slice(0, -1))).toThrow(/ended before/)
  })

  it('has one line of data for each line of the vendor', () => {
    const writer = writerFor()
    const data = JSON.stringify({ type: 'response.created', sequence_number: 0, response }, null, 1)
    expect(openEvents(writer.pass([{ event: 'response.created', data }], false))).toHaveLength(1)
  })
})

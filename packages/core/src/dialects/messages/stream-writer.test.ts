import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { messageEvents, readMessageStream } from '../../../test/support/read-message-stream.ts'
import { chunk, usage } from '../../../test/support/written-response.ts'
import type { PartialChunk } from '../../contracts/provider.ts'
import { openReasoning } from '../../conversation/sealed-reasoning.ts'
import { TurnsGenerateRequest } from '../../conversation/turns-generate-request.ts'
import { GatewayError } from '../../errors/errors.ts'
import { UpstreamError } from '../../errors/upstream-error.ts'
import { StreamNormalizer } from '../../normalization/stream.ts'
import type { FinishReason, JsonObject } from '../../protocol/chat.ts'
import { writtenCallId } from './call-ids.ts'
import { messagesDialect } from './dialect.ts'
import { ownReasoningFormat } from './wire-names.ts'

const identity = { id: 'msg_1', created: 1, model: 'public', requestId: 'req_1', promptTokens: () => 42 }
const newId = () => 'id'
const requestWith = (stop?: readonly string[], body: JsonObject = {}) =>
  new TurnsGenerateRequest({
    dialect: 'messages',
    body,
    settings: { model: 'public', stream: true, ...(stop && { stop }) },
    turns: [],
  })

const text = (content: string) => chunk({ content })
const thought = (reasoning_content: string) => chunk({ reasoning_content })
const call = (index: number, name: string, args = '', id = `call_${index}`) =>
  chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: args } }] })
const piece = (index: number, args: string) =>
  chunk({ tool_calls: [{ index, function: { arguments: args } }] })
const finish = (finish_reason: FinishReason, more: object = {}): PartialChunk => ({
  choices: [{ index: 0, delta: {}, finish_reason, ...more }],
})

/** The stream of a vendor's reads, written as the gateway does. */
function written(
  reads: readonly (readonly PartialChunk[])[],
  stop?: readonly string[],
  body?: JsonObject,
): string {
  let ids = 0
  const normalizer = new StreamNormalizer(() => `id-${++ids}`, { choices: 1, logprobs: false })
  const writer = messagesDialect.stream(identity, requestWith(stop, body), newId)
  let text = writer.open()
  for (const chunks of reads) text += writer.push(normalizer.push(chunks), normalizer)
  return text + writer.end(normalizer.end(), normalizer, usage)
}

const read = (...chunks: PartialChunk[]) => readMessageStream(written(chunks.map(each => [each])))

describe('a streamed message', () => {
  it('has the order and the members that clients expect', () => {
    const events = messageEvents(written([[text('Hel')], [text('lo'), finish('stop')]]))
    expect(events).toEqual([
      {
        type: 'message_start',
        message: {
          id: 'msg_1',
          type: 'message',
          role: 'assistant',
          model: 'public',
          content: [],
          stop_reason: null,
          stop_sequence: null,
          stop_details: null,
          container: null,
          usage: {
            input_tokens: 42,
            cache_creation_input_tokens: 0,
            cache_read_input_tokens: 0,
            output_tokens: 1,
            server_tool_use: null,
            cache_creation: null,
            service_tier: 'standard',
          },
        },
      },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'ping' },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hel' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'lo' } },
      { type: 'content_block_stop', index: 0 },
      {
        type: 'message_delta',
        delta: { stop_reason: 'end_turn', stop_sequence: null, stop_details: null },
        usage: {
          input_tokens: 10,
          cache_creation_input_tokens: 30,
          cache_read_input_tokens: 60,
          output_tokens: 7,
          server_tool_use: null,
          output_tokens_details: { thinking_tokens: 3 },
        },
      },
      { type: 'message_stop' },
    ])
  })

  it('begins with at least one token, also without an estimate', () => {
    const { promptTokens: _, ...rest } = identity
    const opening = messagesDialect.stream(rest, requestWith(), newId).open()
    expect(messageEvents(opening)[0]?.message.usage.input_tokens).toBe(1)
  })

  it('has thought, text and calls, one after the other', () => {
    const message = read(
      thought('Hm'),
      thought('m.'),
      text('I look.'),
      call(0, 'f'),
      piece(0, '{"a"'),
      piece(0, ':1}'),
      call(1, 'g', '{}'),
      finish('tool_calls'),
    )
    expect(message.content).toEqual([
      { type: 'thinking', thinking: 'Hmm.', signature: '' },
      { type: 'text', text: 'I look.' },
      { type: 'tool_use', id: 'call_0', name: 'f', input: { a: 1 } },
      { type: 'tool_use', id: 'call_1', name: 'g', input: {} },
    ])
    expect(message.stop_reason).toBe('tool_use')
  })

  it('sends the signature of a thought that has none, without which clients drop the thought', () => {
    const events = messageEvents(written([[thought('Hm'), thought('m.'), text('a'), finish('stop')]]))
    const deltas = events.filter(({ type }) => type === 'content_block_delta').map(({ delta }) => delta)
    expect(deltas).toEqual([
      { type: 'thinking_delta', thinking: 'Hm' },
      { type: 'thinking_delta', thinking: 'm.' },
      { type: 'signature_delta', signature: '' },
      { type: 'text_delta', text: 'a' },
    ])
  })

  it('has ids of calls that the conversation does not have', () => {
    const earlier = { type: 'tool_use', id: 'call_0', name: 'f', input: {} }
    const body = { messages: [{ role: 'assistant', content: [earlier] }] }
    const chunks = [call(0, 'f', '{}'), call(1, 'f', '{}'), finish('stop')]
    const { content } = readMessageStream(written([chunks], undefined, body))
    expect(content.map(({ id }) => id)).toEqual(['toolu_1_0', 'call_1'])
  })

  it('says that tools were called, whatever the vendor says', () => {
    expect(read(call(0, 'f', '{}'), finish('stop')).stop_reason).toBe('tool_use')
    expect(read(call(0, 'f', '{}', 'functions.f:0'), finish('stop')).content).toMatchObject([
      { id: writtenCallId('functions.f:0') },
    ])
    expect(read(call(0, 'f'), finish('tool_calls')).content).toEqual([
      { type: 'tool_use', id: 'call_0', name: 'f', input: {} },
    ])
  })

  it('sends arguments that came with the first piece of a call', () => {
    expect(read(call(0, 'f', '{"a":1}'), finish('tool_calls')).inputs).toEqual(['{"a":1}'])
  })

  it('sends a call in pieces as they come, and a later one as soon as the first is complete', () => {
    let ids = 0
    const normalizer = new StreamNormalizer(() => `id-${++ids}`, { choices: 1, logprobs: false })
    const writer = messagesDialect.stream(identity, requestWith(), newId)
    const typesOf = (...chunks: PartialChunk[]) =>
      messageEvents(writer.push(normalizer.push(chunks), normalizer)).map(({ type }) => type)
    writer.open()
    expect(typesOf(call(0, 'f', '{"a":'))).toEqual(['content_block_start', 'ping', 'content_block_delta'])
    expect(typesOf(call(1, 'g', '{"b"'), piece(1, ':2}'))).toEqual([])
    expect(typesOf(piece(0, '1}'))).toEqual(['content_block_delta'])
    expect(typesOf(piece(1, ' '))).toEqual([])
  })

  it('ends for the reasons of the protocol', () => {
    expect(read(text('a'), finish('length')).stop_reason).toBe('max_tokens')
    expect(read(call(0, 'f', '{"a":'), finish('length')).stop_reason).toBe('max_tokens')
    expect(read(text('a'), finish('content_filter'))).toMatchObject({
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', category: null, explanation: null },
    })
    expect(read(chunk({ refusal: 'No.' }), finish('stop'))).toMatchObject({
      content: [{ type: 'text', text: 'No.' }],
      stop_reason: 'refusal',
      stop_details: { explanation: 'No.' },
    })
    const stopped = [[text('a'), finish('stop', { provider_specific_fields: { stop_reason: 'END' } })]]
    expect(readMessageStream(written(stopped, ['X', 'END']))).toMatchObject({
      stop_reason: 'stop_sequence',
      stop_sequence: 'END',
    })
    expect(readMessageStream(written(stopped, ['X']))).toMatchObject({
      stop_reason: 'end_turn',
      stop_sequence: null,
    })
  })

  it('may be empty', () => {
    const message = read(finish('stop'))
    expect(message.types).toEqual(['message_start', 'message_delta', 'message_stop'])
  })

  it('ignores other choices', () => {
    const other: PartialChunk = {
      choices: [
        { index: 0, delta: { content: 'a' } },
        { index: 1, delta: { content: 'b' } },
      ],
    }
    const normalizer = new StreamNormalizer(() => 'id', { choices: 2, logprobs: false })
    const writer = messagesDialect.stream(identity, requestWith(), newId)
    const out = writer.open() + writer.push(normalizer.push([other]), normalizer)
    expect(readMessageStream(out + writer.end(normalizer.end(), normalizer, usage)).content).toEqual([
      { type: 'text', text: 'a' },
    ])
  })

  it('has the signature of a thought, if it came with it', () => {
    const own = { type: 'reasoning.text', signature: 'sig', format: ownReasoningFormat }
    expect(
      read(thought('Hm.'), chunk({ reasoning_details: [own] }), text('a'), finish('stop')).content,
    ).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
      { type: 'text', text: 'a' },
    ])
    const secret = { type: 'reasoning.encrypted', data: 'xyz', format: ownReasoningFormat }
    expect(read(chunk({ reasoning_details: [secret] }), text('a'), finish('stop')).content).toEqual([
      { type: 'redacted_thinking', data: 'xyz' },
      { type: 'text', text: 'a' },
    ])
  })

  it('has the signature of a thought that is complete when it ends, and no second one at the end', () => {
    const own = { type: 'reasoning.text', text: 'Hm.', signature: 'sig', format: ownReasoningFormat }
    const hidden = { ...own, text: '', signature: 'hidden', place: { text: 1, calls: 0 } }
    const secret = { type: 'reasoning.encrypted', data: 'xyz', format: ownReasoningFormat }
    const ended = (detail: JsonObject) => chunk({ ended_reasoning: detail })
    const { content } = read(
      ...[thought('H'), thought('m.'), ended(own), thought('Unsigned.'), ended(secret)],
      ...[text('a'), ended(hidden), text('b'), chunk({ reasoning_details: [own, secret, hidden] })],
      finish('stop'),
    )
    expect(content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
      { type: 'thinking', thinking: 'Unsigned.', signature: '' },
      { type: 'redacted_thinking', data: 'xyz' },
      { type: 'text', text: 'a' },
      { type: 'thinking', thinking: '', signature: 'hidden' },
      { type: 'text', text: 'b' },
    ])
    const foreign = { type: 'reasoning.text', text: 'Hm.', signature: 's', format: 'other-v1' }
    const sealed = read(thought('Hm.'), ended(foreign), text('a'), finish('stop')).content
    expect(sealed.map(({ type }) => type)).toEqual(['thinking', 'text'])
    expect(openReasoning(String(sealed[0]?.signature))?.details).toEqual([foreign])
  })

  it('seals what vendors want back, never after the last text', () => {
    const late = { type: 'reasoning.text', text: 'Hm.', signature: 'sig', format: ownReasoningFormat }
    const { content } = read(thought('Hm.'), text('a'), chunk({ reasoning_details: [late] }), finish('stop'))
    expect(content.map(({ type }) => type)).toEqual(['thinking', 'text'])
    const foreign = { type: 'reasoning.encrypted', data: 'abc', format: 'other-v1' }
    const only = read(thought('Hm.'), chunk({ reasoning_details: [foreign] }), finish('stop')).content
    expect(openReasoning(String(only[0]?.signature))?.details).toEqual([foreign])
    const before = read(chunk({ reasoning_details: [foreign] }), text('a'), finish('stop')).content
    expect(before.map(({ type }) => type)).toEqual(['redacted_thinking', 'text'])
    const extra_content = { other: { signature: 's' } }
    const signed = chunk({
      tool_calls: [{ index: 0, id: 'c', function: { name: 'f', arguments: '{}' }, extra_content }],
    })
    const called = read(text('a'), signed, finish('tool_calls')).content
    expect(called.map(({ type }) => type)).toEqual(['text', 'redacted_thinking', 'tool_use'])
    expect(openReasoning(String(called[1]?.data))).toEqual({
      realm: '',
      details: [],
      calls: new Map([['c', extra_content]]),
    })
    const thoughtful = read(thought('Hm.'), signed, call(1, 'g', '{}'), finish('tool_calls')).content
    expect(thoughtful.map(({ type }) => type)).toEqual(['thinking', 'tool_use', 'tool_use'])
    expect(openReasoning(String(thoughtful[0]?.signature))?.calls.size).toBe(1)
    const unchecked = chunk({
      reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', format: 'other-v1' }],
    })
    expect(read(thought('Hm.'), unchecked, finish('stop')).content).toEqual([
      { type: 'thinking', thinking: 'Hm.', signature: '' },
    ])
  })

  it.each([
    ['no JSON', '{"a":}'],
    ['no object', '[1]'],
    ['a text', '"a"'],
    ['more than an object', '{} {}'],
  ])('fails for arguments that are %s', (_, args) => {
    expect(() => read(call(0, 'f', args), finish('tool_calls'))).toThrow(UpstreamError)
    expect(() => read(call(0, 'f'), piece(0, args), call(1, 'g', '{}'), finish('tool_calls'))).toThrow(
      UpstreamError,
    )
  })

  it('fails for arguments that go on after their end, and ignores white space there', () => {
    const calls = [call(0, 'f', '{}'), call(1, 'g', '{"a":1}')]
    expect(() => read(...calls, piece(0, '{}'), finish('tool_calls'))).toThrow(UpstreamError)
    expect(read(...calls, piece(0, ' '), piece(1, '\n'), finish('tool_calls')).inputs).toEqual([
      '{}',
      '{"a":1}',
    ])
  })

  it('fails for a custom tool, and for too much that waits', () => {
    const custom = chunk({
      tool_calls: [{ index: 0, id: 'c', type: 'custom', custom: { name: 'f', input: 'x' } }],
    })
    expect(() => read(custom, finish('stop'))).toThrow(UpstreamError)
    const long = 'x'.repeat(1_000_000)
    expect(() =>
      read(call(0, 'f', '{'), ...Array.from({ length: 9 }, () => text(long)), finish('stop')),
    ).toThrow(UpstreamError)
  })

  it('ends with an error where the vendor fails, and with nothing after it', () => {
    const normalizer = new StreamNormalizer(() => 'id', { choices: 1, logprobs: false })
    const writer = messagesDialect.stream(identity, requestWith(), newId)
    const out = writer.open() + writer.push(normalizer.push([text('a')]), normalizer)
    const message = readMessageStream(
      out + writer.fail(new GatewayError('upstream_error', { message: 'Gone.' })),
    )
    expect(message).toMatchObject({ stop_reason: null, error: { type: 'api_error', message: 'Gone.' } })
    expect(message.types).not.toContain('message_stop')
  })

  it('has the same content in whatever pieces it came', () => {
    const token = fc.oneof(
      fc.record({ kind: fc.constant('text' as const), text: fc.string({ minLength: 1 }) }),
      fc.record({ kind: fc.constant('thought' as const), text: fc.string({ minLength: 1 }) }),
      fc.record({
        kind: fc.constant('calls' as const),
        inputs: fc.array(fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 3 }), {
          minLength: 1,
          maxLength: 3,
        }),
        order: fc.array(fc.nat({ max: 2 }), { maxLength: 30 }),
        size: fc.integer({ min: 1, max: 9 }),
      }),
    )
    fc.assert(
      fc.property(fc.array(token, { maxLength: 6 }), fc.integer({ min: 1, max: 4 }), (tokens, perRead) => {
        const chunks: PartialChunk[] = []
        const expected: { texts: string; thoughts: string; calls: [string, unknown][] } = {
          texts: '',
          thoughts: '',
          calls: [],
        }
        let index = 0
        for (const each of tokens) {
          if (each.kind === 'text') {
            chunks.push(text(each.text))
            expected.texts += each.text
          } else if (each.kind === 'thought') {
            chunks.push(thought(each.text))
            expected.thoughts += each.text
          } else {
            const first = index
            const rests = each.inputs.map(input => JSON.stringify(input))
            for (const input of each.inputs) {
              chunks.push(call(index, `f${index}`))
              expected.calls.push([`call_${index}`, JSON.parse(JSON.stringify(input))])
              index++
            }
            // The vendor sends pieces of the calls in turns, and the rest of each at its end.
            for (const at of [...each.order.map(at => at % rests.length), ...rests.keys()]) {
              const isLast = at >= 0 && each.order.length === 0
              const size = isLast ? rests[at]!.length : each.size
              if (rests[at] !== '') chunks.push(piece(first + at, rests[at]!.slice(0, size)))
              rests[at] = rests[at]!.slice(size)
            }
            for (const [at, rest] of rests.entries()) if (rest !== '') chunks.push(piece(first + at, rest))
          }
        }
        const reads: PartialChunk[][] = []
        for (let at = 0; at < chunks.length; at += perRead) reads.push(chunks.slice(at, at + perRead))
        reads.push([finish('stop')])
        const { content, stop_reason } = readMessageStream(written(reads))
        const joined = (type: string, member: string) =>
          content
            .filter(block => block.type === type)
            .map(block => block[member])
            .join('')
        expect(joined('text', 'text')).toBe(expected.texts)
        expect(joined('thinking', 'thinking')).toBe(expected.thoughts)
        const calls = content.filter(({ type }) => type === 'tool_use').map(({ id, input }) => [id, input])
        expect(calls).toEqual(expected.calls)
        expect(stop_reason).toBe(expected.calls.length > 0 ? 'tool_use' : 'end_turn')
      }),
    )
  })
})

describe('a stream of a vendor that speaks the protocol', () => {
  const event = (type: string, more: object = {}) => ({
    event: type,
    data: JSON.stringify({ type, ...more }),
  })
  const start = event('message_start', {
    message: { id: 'msg_v', model: 'vendor-1', usage: { input_tokens: 3 } },
  })

  it('passes as it is, under the public name of the model', () => {
    const writer = messagesDialect.stream(identity, requestWith(), newId)
    const odd = {
      event: 'content_block_delta',
      data: '{"type":"content_block_delta", "n":12345678901234567890}',
    }
    const out =
      writer.pass!([start, odd], false) + writer.pass!([event('new_event'), event('message_stop')], false)
    const normalizer = new StreamNormalizer(() => 'id', { choices: 1, logprobs: false })
    expect(out + writer.end([], normalizer, usage)).toBe(
      [
        'event: message_start\ndata: {"type":"message_start","message":{"id":"msg_v","model":"public","usage":{"input_tokens":3}}}',
        `event: content_block_delta\ndata: ${odd.data}`,
        'event: new_event\ndata: {"type":"new_event"}',
        'event: message_stop\ndata: {"type":"message_stop"}',
        '',
      ].join('\n\n'),
    )
  })

  it('has no second opening, and no error but that of the gateway', () => {
    const writer = messagesDialect.stream(identity, requestWith(), newId)
    const out = writer.open() + writer.pass!([start, event('ping'), event('error', { error: {} })], true)
    expect(messageEvents(out).map(({ type }) => type)).toEqual(['message_start', 'ping'])
    expect(messageEvents(writer.fail(new GatewayError('overloaded')))).toMatchObject([
      { type: 'error', error: { type: 'overloaded_error' }, request_id: 'req_1' },
    ])
  })

  it('gets the names of its events, and one line for each line of its data', () => {
    const writer = messagesDialect.stream(identity, requestWith(), newId)
    expect(
      writer.pass!([{ data: '{"type":"ping"}' }, { event: 'message', data: '{\n"type":"x"\r\n}' }], false),
    ).toBe('event: ping\ndata: {"type":"ping"}\n\nevent: x\ndata: {\ndata: "type":"x"\ndata: }\n\n')
  })
})

import { describe, expect, it } from 'vitest'
import type { CompleteAnswer } from '../../contracts/dialect.ts'
import type { PartialChunk, PartialMessage } from '../../contracts/provider.ts'
import type { GenerateRequest } from '../../conversation/generate-request.ts'
import { openReasoning } from '../../conversation/sealed-reasoning.ts'
import { TurnsGenerateRequest } from '../../conversation/turns-generate-request.ts'
import { UpstreamError } from '../../errors/upstream-error.ts'
import { normalizeChunks } from '../../normalization/stream.ts'
import type { FinishReason, JsonObject, Usage } from '../../protocol/chat.ts'
import { foldChunks } from '../../usage/fold-chunks.ts'
import { writtenCallId } from './call-ids.ts'
import { countTokensDialect, messagesDialect } from './dialect.ts'
import { ownReasoningFormat } from './wire-names.ts'

const usage: Usage = {
  prompt_tokens: 10,
  completion_tokens: 7,
  total_tokens: 17,
  prompt_tokens_details: { cached_tokens: 40, audio_tokens: 0 },
  completion_tokens_details: {
    reasoning_tokens: 0,
    audio_tokens: 0,
    accepted_prediction_tokens: 0,
    rejected_prediction_tokens: 0,
  },
}

const request = new TurnsGenerateRequest({
  dialect: 'messages',
  body: {},
  settings: { model: 'public', stop: ['END'] },
  turns: [],
})

const delta = (message: PartialMessage): PartialChunk => ({ choices: [{ index: 0, delta: message }] })
const call = (index: number, name: string, args: string, more: object = {}) =>
  delta({ tool_calls: [{ index, id: `c${index}`, function: { name, arguments: args }, ...more }] })

function writtenText(
  chunks: readonly PartialChunk[],
  finish: FinishReason,
  fields?: JsonObject,
  asked: GenerateRequest = request,
): string {
  const last = {
    index: 0,
    delta: {},
    finish_reason: finish,
    ...(fields && { provider_specific_fields: fields }),
  }
  const all = [...chunks, { choices: [last] }]
  let ids = 0
  const answer: CompleteAnswer = {
    usage,
    completion: () => foldChunks(all),
    deltas: () => normalizeChunks(all, () => `id-${++ids}`, { choices: 1, logprobs: false }),
  }
  const identity = { id: 'msg_1', created: 1, model: 'public' }
  return messagesDialect.write(answer, identity, asked, () => `id-${++ids}`)
}

const written = (chunks: readonly PartialChunk[], finish: FinishReason = 'stop', fields?: JsonObject) =>
  JSON.parse(writtenText(chunks, finish, fields))

describe('a message', () => {
  it('has exactly the members of the protocol', () => {
    expect(written([delta({ content: 'Hello' })])).toEqual({
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'public',
      content: [{ type: 'text', text: 'Hello' }],
      stop_reason: 'end_turn',
      stop_sequence: null,
      stop_details: null,
      container: null,
      usage: {
        input_tokens: 0,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 40,
        output_tokens: 7,
        server_tool_use: null,
        cache_creation: null,
        service_tier: 'standard',
      },
    })
  })

  it('keeps the order of text and calls, and has no empty text', () => {
    const chunks = [
      delta({ content: '' }),
      delta({ reasoning_content: 'Hm' }),
      delta({ reasoning_content: 'm.' }),
      delta({ content: 'a' }),
      delta({ content: 'b' }),
      call(0, 'f', '{"n":12345678901234567890}'),
      delta({ content: 'c' }),
      call(1, 'g', ''),
    ]
    const text = writtenText(chunks, 'tool_calls')
    expect(JSON.parse(text)).toMatchObject({
      content: [
        { type: 'thinking', thinking: 'Hmm.', signature: '' },
        { type: 'text', text: 'ab' },
        { type: 'tool_use', id: 'c0', name: 'f' },
        { type: 'text', text: 'c' },
        { type: 'tool_use', id: 'c1', name: 'g', input: {} },
      ],
      stop_reason: 'tool_use',
    })
    expect(text).toContain('"input":{"n":12345678901234567890}')
  })

  it('has ids of calls that a vendor of the protocol takes', () => {
    const called = { index: 0, id: 'functions.f:0', function: { name: 'f', arguments: '{}' } }
    expect(written([delta({ tool_calls: [called] })]).content).toMatchObject([
      { id: writtenCallId('functions.f:0') },
    ])
  })

  it('has ids of calls that the conversation does not have', () => {
    const earlier = { type: 'tool_use', id: 'c0', name: 'f', input: {} }
    const body = { messages: [{ role: 'assistant', content: [earlier] }] }
    const asked = new TurnsGenerateRequest({ dialect: 'messages', body, settings: { model: 'm' }, turns: [] })
    const text = writtenText([call(0, 'f', '{}'), call(1, 'f', '{}')], 'tool_calls', undefined, asked)
    const [first, second] = JSON.parse(text).content
    expect(first.id).toMatch(/^toolu_/)
    expect(second.id).toBe('c1')
  })

  it('says why it ended', () => {
    expect(written([call(0, 'f', '{}')], 'stop').stop_reason).toBe('tool_use')
    expect(written([call(0, 'f', '{"a":')], 'length')).toMatchObject({
      content: [{ type: 'tool_use', input: {} }],
      stop_reason: 'max_tokens',
    })
    expect(written([], 'content_filter')).toMatchObject({
      content: [],
      stop_reason: 'refusal',
      stop_details: { explanation: null },
    })
    expect(written([delta({ refusal: 'No.' })])).toMatchObject({
      content: [{ type: 'text', text: 'No.' }],
      stop_reason: 'refusal',
      stop_details: { type: 'refusal', category: null, explanation: 'No.' },
    })
    expect(written([delta({ content: 'a' })], 'stop', { stop_reason: 'END' })).toMatchObject({
      stop_reason: 'stop_sequence',
      stop_sequence: 'END',
    })
    expect(written([delta({ content: 'a' })], 'stop', { stop_reason: 107 }).stop_reason).toBe('end_turn')
  })

  it.each(['{"a":}', '[1]', '7'])('fails for a call with the arguments %s', args => {
    expect(() => written([call(0, 'f', args)], 'tool_calls')).toThrow(UpstreamError)
  })

  it('fails for an answer without a choice', () => {
    const answer: CompleteAnswer = { usage, completion: () => ({ choices: [] }), deltas: () => [] }
    expect(() =>
      messagesDialect.write(answer, { id: 'msg_1', created: 1, model: 'm' }, request, () => 'id'),
    ).toThrow(UpstreamError)
  })

  it('has thoughts with their signatures, where they were', () => {
    const format = ownReasoningFormat
    const reasoning_details = [
      { type: 'reasoning.text', text: 'one', signature: 's1', format },
      { type: 'reasoning.encrypted', data: 'xyz', format, place: { text: 1, calls: 0 } },
      { type: 'reasoning.text', text: '', signature: 's2', format, place: { text: 2, calls: 0 } },
      { type: 'reasoning.text', text: 'two', signature: 's3', format, place: { text: 2, calls: 1 } },
    ]
    const chunks = [
      delta({ reasoning_content: 'one' }),
      delta({ content: 'ab' }),
      call(0, 'f', '{}'),
      delta({ reasoning_content: 'two' }),
      call(1, 'g', '{}'),
      delta({ reasoning_details }),
    ]
    expect(written(chunks, 'tool_calls').content).toEqual([
      { type: 'thinking', thinking: 'one', signature: 's1' },
      { type: 'text', text: 'a' },
      { type: 'redacted_thinking', data: 'xyz' },
      { type: 'text', text: 'b' },
      { type: 'thinking', thinking: '', signature: 's2' },
      { type: 'tool_use', id: 'c0', name: 'f', input: {} },
      { type: 'thinking', thinking: 'two', signature: 's3' },
      { type: 'tool_use', id: 'c1', name: 'g', input: {} },
    ])
  })

  it('seals what other vendors want back', () => {
    const detail = { type: 'reasoning.encrypted', data: 'abc', format: 'other-v1' }
    const extra_content = { other: { signature: 's' } }
    const thought = written([
      delta({ reasoning_content: 'Hm.' }),
      delta({ content: 'a', reasoning_details: [detail] }),
    ])
    expect(openReasoning(thought.content[0].signature)?.details).toEqual([detail])
    const called = written(
      [delta({ content: 'a' }), call(0, 'f', '{}', { extra_content }), call(1, 'f', '{}')],
      'tool_calls',
    )
    expect(called.content.map(({ type }: { type: string }) => type)).toEqual([
      'text',
      'redacted_thinking',
      'tool_use',
      'tool_use',
    ])
    expect(openReasoning(called.content[1].data)?.calls).toEqual(new Map([['c0', extra_content]]))
    const signed = { type: 'reasoning.text', text: 'And.', signature: 's', format: 'other-v1' }
    const thoughts = written([
      delta({ reasoning_content: 'Hm.' }),
      delta({ content: 'a' }),
      delta({ reasoning_content: 'And.' }),
      delta({ content: 'b', reasoning_details: [signed] }),
    ])
    expect(openReasoning(thoughts.content[2].signature)?.details).toEqual([signed])
  })

  it('passes as it is, under the public name of the model', () => {
    const native =
      '{"model": "vendor-1", "content": [ {"type":"text","text":"\\u0041"} ], "n": 12345678901234567890}'
    const identity = { id: 'msg_1', created: 1, model: 'public' }
    expect(messagesDialect.pass!(native, identity, request)).toBe(native.replace('vendor-1', 'public'))
  })

  it('has an id of the protocol', () => {
    expect(messagesDialect.answerId('0199a-bc')).toBe('msg_0199abc')
  })
})

describe('a count of tokens', () => {
  it('has one member', () => {
    expect(countTokensDialect.write(42)).toBe('{"input_tokens":42}')
  })
})

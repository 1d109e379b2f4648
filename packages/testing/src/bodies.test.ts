import { expect, test } from 'vitest'
import { chunks, completion, sse, usage } from './bodies.ts'

test('a completion has every key of the protocol in its order', () => {
  const whole = completion({ text: 'Hi', usage: usage(3, 4, 1, 2) })
  expect(Object.keys(whole)).toEqual([
    'id',
    'object',
    'created',
    'model',
    'choices',
    'usage',
    'service_tier',
    'system_fingerprint',
  ])
  expect(whole.choices).toEqual([
    {
      index: 0,
      message: { role: 'assistant', content: 'Hi', refusal: null, annotations: [] },
      logprobs: null,
      finish_reason: 'stop',
    },
  ])
  expect(whole.usage).toMatchObject({
    total_tokens: 7,
    prompt_tokens_details: { cached_tokens: 1 },
    completion_tokens_details: { reasoning_tokens: 2 },
  })
})

test('tool calls carry JSON text, an id and their finish reason', () => {
  const call = completion({
    toolCalls: [
      { name: 'add', arguments: { a: 1 } },
      { name: 'raw', arguments: '{', id: 'x' },
    ],
  })
  expect(call.choices[0]?.finish_reason).toBe('tool_calls')
  expect(call.choices[0]?.message).toEqual({
    role: 'assistant',
    content: null,
    refusal: null,
    annotations: [],
    tool_calls: [
      { id: 'call_0', type: 'function', function: { name: 'add', arguments: '{"a":1}' } },
      { id: 'x', type: 'function', function: { name: 'raw', arguments: '{' } },
    ],
  })
})

test('chunks open with a role, add up to the text, and end with a finish', () => {
  for (const text of ['one two  three\n', ' lead', '', 'x', '  ']) {
    const list = chunks({ text })
    expect(list[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '', refusal: null })
    expect(
      list
        .slice(1)
        .map(chunk => chunk.choices[0]?.delta.content ?? '')
        .join(''),
    ).toBe(text)
    expect(list.at(-1)?.choices[0]).toEqual({ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' })
    expect(list.some(chunk => 'usage' in chunk)).toBe(false)
  }
  expect(chunks({ text: 'one two three' })).toHaveLength(5)
})

test('with usage every chunk has the key and an extra one carries it', () => {
  const list = chunks({ usage: usage(1, 2) })
  expect(list.slice(0, -1).every(chunk => chunk.usage === null)).toBe(true)
  expect(list.at(-1)).toMatchObject({ choices: [], usage: { total_tokens: 3 } })
})

test('streamed tool calls: a start without arguments, then pieces that join to them', () => {
  const list = chunks({ toolCalls: [{ name: 'add', arguments: { a: 1 } }, { name: 'now' }] })
  const deltas = list.flatMap(chunk => chunk.choices[0]?.delta.tool_calls ?? [])
  expect(deltas[0]).toEqual({
    index: 0,
    id: 'call_0',
    type: 'function',
    function: { name: 'add', arguments: '' },
  })
  const joined = (slot: number) =>
    deltas
      .filter(delta => delta.index === slot)
      .map(delta => delta.function?.arguments)
      .join('')
  expect(joined(0)).toBe('{"a":1}')
  expect(joined(1)).toBe('{}')
  expect(list[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: null })
  expect(list.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls')
})

test('a streamed refusal and several choices, interleaved', () => {
  const list = chunks({ choices: [{ text: 'a b' }, { refusal: 'No.', finishReason: 'content_filter' }] })
  expect(list.map(chunk => chunk.choices[0]?.index)).toEqual([0, 1, 0, 1, 0, 1, 0])
  expect(list[1]?.choices[0]?.delta).toEqual({ role: 'assistant', content: null, refusal: '' })
  expect(list[3]?.choices[0]?.delta).toEqual({ refusal: 'No.' })
  expect(list[5]?.choices[0]?.finish_reason).toBe('content_filter')
  expect(completion({ choices: [{}, {}] }).choices.map(choice => choice.index)).toEqual([0, 1])
})

test('sse writes data lines, the end mark unless told otherwise, and other line ends', () => {
  expect(sse([{ a: 1 }, 'as it stands'])).toEqual([
    'data: {"a":1}\n\n',
    'data: as it stands\n\n',
    'data: [DONE]\n\n',
  ])
  expect(sse([{ a: 1 }], { done: false, eol: '\r\n' })).toEqual(['data: {"a":1}\r\n\r\n'])
})

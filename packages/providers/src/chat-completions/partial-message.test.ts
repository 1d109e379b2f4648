import { describe, expect, it } from 'vitest'
import { partialMessage } from './partial-message.ts'

describe('partialMessage', () => {
  it('has nothing of what is there and says nothing', () => {
    for (const nothing of [null, [], '', 7]) {
      const message = partialMessage({
        content: nothing,
        refusal: nothing,
        reasoning: nothing,
        reasoning_content: nothing,
        reasoning_details: nothing,
        annotations: nothing,
        tool_calls: nothing,
        function_call: nothing,
        audio: nothing,
      })
      expect(Object.keys(message)).toEqual([])
    }
    const spoken = partialMessage({ content: [{ type: 'text', text: 'a' }] })
    expect(Object.entries(spoken)).toEqual([['content', 'a']])
  })

  it('leaves out of a list what is no object', () => {
    const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }
    const details = [{ type: 'reasoning.text', text: 'hm' }]
    expect(
      partialMessage({
        tool_calls: [null, call, 'x'],
        annotations: [null],
        reasoning_details: [null, ...details],
      }),
    ).toEqual({ tool_calls: [call], reasoning_details: details, reasoning_content: 'hm' })
  })

  it('joins the parts of content that are text or thinking, however they are written, and no others', () => {
    const content = [
      'a',
      null,
      7,
      { type: 'text', text: 'b' },
      { type: 'reference', reference_ids: [1] },
      { type: 'text', text: null },
      { type: 'thinking', thinking: 'h' },
      { type: 'thinking', thinking: ['m', { type: 'text', text: '.' }] },
      { type: 'thinking', thinking: null },
    ]
    expect(partialMessage({ content })).toEqual({ content: 'ab', reasoning_content: 'hm.' })
  })

  it('takes the older form of a call, whole or in pieces', () => {
    const piece = (function_call: object) => partialMessage({ function_call }).function_call
    expect(piece({ name: 'f', arguments: '{"a":1}' })).toEqual({ name: 'f', arguments: '{"a":1}' })
    expect(piece({ name: 'f', arguments: '' })).toEqual({ name: 'f', arguments: '' })
    expect(piece({ arguments: '{"a"' })).toEqual({ arguments: '{"a"' })
    expect(piece({ name: '', arguments: '' })).toBeUndefined()
  })

  it('takes calls of custom tools, and leaves out types that nobody knows', () => {
    const custom = { index: 0, id: 'c', type: 'custom', custom: { name: 'sql', input: 'SELECT 1' } }
    expect(partialMessage({ tool_calls: [custom] }).tool_calls).toEqual([custom])
    const odd = { index: 0, type: 'tool', function: { name: 'f' } }
    expect(partialMessage({ tool_calls: [odd] }).tool_calls).toEqual([{ index: 0, function: { name: 'f' } }])
  })

  const filled = { name: 'f', arguments: '{"a":1}' }
  const query = { name: 'sql', input: 'SELECT 1' }
  it.each<[string, object, object]>([
    [
      'an empty custom',
      { type: 'function', function: filled, custom: { name: '', input: '' } },
      { type: 'function', function: filled },
    ],
    [
      'a custom that is {}',
      { type: 'function', function: filled, custom: {} },
      { type: 'function', function: filled },
    ],
    ['an empty custom, without a type', { function: filled, custom: {} }, { function: filled }],
    [
      'an empty custom and its type',
      { type: 'custom', function: filled, custom: {} },
      { type: 'function', function: filled },
    ],
    [
      'an empty function',
      { type: 'custom', custom: query, function: { name: '', arguments: '' } },
      { type: 'custom', custom: query },
    ],
    [
      'a function that is null',
      { type: 'function', custom: query, function: null },
      { type: 'custom', custom: query },
    ],
    [
      'a function, which the type names',
      { type: 'function', custom: query, function: filled },
      { type: 'function', function: filled },
    ],
    [
      'a custom, which the type names',
      { type: 'custom', custom: query, function: filled },
      { type: 'custom', custom: query },
    ],
    ['nothing in either', { type: 'custom', custom: {}, function: {} }, { type: 'custom', custom: {} }],
    ['nothing but a type', { type: 'function', custom: null, function: null }, { type: 'function' }],
  ])('takes one kind of call where the vendor sends both members: %s', (_, call, expected) => {
    expect(partialMessage({ tool_calls: [call] }).tool_calls).toEqual([expected])
  })

  it('takes the word null for no arguments only beside a name: it may be a piece of longer text', () => {
    const piece = (given: object) => partialMessage({ tool_calls: [{ function: given }] }).tool_calls?.[0]
    expect(piece({ arguments: 'null' })?.function).toEqual({ arguments: 'null' })
    expect(piece({ arguments: null })?.function).toEqual({ arguments: '' })
  })

  it('keeps a piece of audio of which not everything is there', () => {
    const audio = { id: 'audio_1', data: 'aGk=', transcript: '' }
    expect(partialMessage({ audio })).toEqual({ audio })
  })
})

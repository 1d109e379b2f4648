import { describe, expect, it } from 'vitest'
import {
  adjusted,
  answered,
  called,
  encoded,
  hi,
  messagesOf,
  mistral,
  nova2,
  refusal,
  result,
  sonnet4,
  sonnet45,
  sonnet46,
  use,
} from '../../test/bedrock/scripted-request.ts'

describe('messages', () => {
  it('go with system and developer texts in front, wherever they stood', async () => {
    const { body, adjustments } = await encoded({
      messages: [
        { role: 'system', content: 'One.' },
        {
          role: 'developer',
          content: [
            { type: 'text', text: 'Two.' },
            { type: 'text', text: ' ' },
          ],
        },
        hi,
        { role: 'system', content: 'Three.' },
      ],
    })
    expect(body).toEqual({
      system: [{ text: 'One.' }, { text: 'Two.' }, { text: 'Three.' }],
      messages: [{ role: 'user', content: [{ text: 'Hi' }] }],
    })
    expect(adjustments).toEqual([
      { parameter: 'messages[3]', action: 'mapped', detail: 'moved to the front, into the system text' },
    ])
  })

  it('alternate: neighbours of one role are one message, with what tools answered first', async () => {
    expect(
      await messagesOf([
        hi,
        { role: 'user', content: [{ type: 'text', text: 'there' }] },
        {
          role: 'assistant',
          content: 'Wait.',
          tool_calls: [
            { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":1}' } },
            { id: 'b', type: 'function', function: { name: 'g', arguments: '' } },
          ],
        },
        answered('a', 'one'),
        { role: 'user', content: 'And?' },
        answered('b', [
          { type: 'text', text: 'two' },
          { type: 'text', text: 'three' },
        ]),
      ]),
    ).toEqual([
      { role: 'user', content: [{ text: 'Hi' }, { text: 'there' }] },
      { role: 'assistant', content: [{ text: 'Wait.' }, use('a', 'f', { x: 1 }), use('b', 'g')] },
      { role: 'user', content: [result('a', 'one'), result('b', 'two', 'three'), { text: 'And?' }] },
    ])
  })

  it('go without blank texts, also where roles then meet, and trimmed at an end that is the assistant’s', async () => {
    expect(
      await messagesOf(
        [
          hi,
          { role: 'assistant', content: ' \n' },
          {
            role: 'user',
            content: [
              { type: 'text', text: '' },
              { type: 'text', text: 'still' },
            ],
          },
          { role: 'assistant', content: 'It is \n' },
        ],
        sonnet4,
      ),
    ).toEqual([
      { role: 'user', content: [{ text: 'Hi' }, { text: 'still' }] },
      { role: 'assistant', content: [{ text: 'It is' }] },
    ])
    const blankEnd = [hi, { role: 'assistant', content: 'It is ' }, { role: 'user', content: ' ' }]
    expect(await messagesOf(blankEnd, sonnet4)).toMatchObject([{}, { content: [{ text: 'It is' }] }])
    expect(await messagesOf([hi, called('a'), answered('a', '')])).toEqual([
      { role: 'user', content: [{ text: 'Hi' }] },
      { role: 'assistant', content: [use('a')] },
      { role: 'user', content: [result('a')] },
    ])
  })

  it('are refused where a call has no result, or a result no call', async () => {
    const call = {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
    }
    expect(await refusal({ messages: [hi, call, hi] })).toBe('messages[1].tool_calls[0] unsupported_value')
    expect(await refusal({ messages: [hi, answered('a')] })).toBe(
      'messages[1].tool_call_id unsupported_value',
    )
  })

  it.each<[string, unknown[], string, string]>([
    ['nothing', [{ role: 'system', content: 'S' }], sonnet45, 'messages'],
    ['only blanks', [{ role: 'user', content: ' ' }], sonnet45, 'messages'],
    ['the assistant first', [{ role: 'assistant', content: 'A' }, hi], sonnet45, 'messages[0]'],
    ['the assistant last', [hi, { role: 'assistant', content: 'A' }], sonnet46, 'messages[1]'],
    ['the assistant last', [hi, { role: 'assistant', content: 'A' }], nova2, 'messages[1]'],
  ])('are refused with %s', async (_, messages, model, param) => {
    expect(await refusal({ messages }, model)).toBe(`${param} unsupported_value`)
  })

  it('may hold more parts than a function takes arguments', async () => {
    const content = Array.from({ length: 150_000 }, () => ({ type: 'text', text: 'a' }))
    const messages = [hi, { role: 'assistant', content: ' ' }, { role: 'user', content }]
    const [only] = (await messagesOf(messages)) as { content: unknown[] }[]
    expect(only?.content).toHaveLength(150_001)
  })

  it('tell of names, which there is no place for', async () => {
    expect(await adjusted({ messages: [{ ...hi, name: 'Ann' }] })).toEqual(['messages[0].name dropped'])
  })
})

describe('ids of calls', () => {
  const twice = (first: string, second = first) => [
    hi,
    called(first),
    answered(first),
    called(second),
    answered(second),
  ]
  const idsOf = async (messages: readonly unknown[], model?: string) => {
    const all = (await messagesOf(messages, model)) as { content: Record<string, { toolUseId?: string }>[] }[]
    return all.flatMap(({ content }) =>
      content.flatMap(({ toolUse, toolResult }) => (toolUse ?? toolResult)?.toolUseId ?? []),
    )
  }

  it('stay where they fit, and are made to where they do not', async () => {
    expect(await idsOf(twice('tooluse_a-1', 'tooluse_b'))).toEqual([
      'tooluse_a-1',
      'tooluse_a-1',
      'tooluse_b',
      'tooluse_b',
    ])
    expect(await idsOf(twice('functions.f:0', 'functions.f:1'), 'moonshotai.kimi-k2.5')).toEqual([
      'functions.f:0',
      'functions.f:0',
      'functions.f:1',
      'functions.f:1',
    ])
    expect(await idsOf(twice('functions.f:0', 'functions f 0'))).toEqual([
      'functions_f_0',
      'functions_f_0',
      'functions_f_0_1',
      'functions_f_0_1',
    ])
    const long = 'x'.repeat(80)
    const ids = await idsOf(twice(long, `${long}y`))
    expect(ids.map(id => id.length)).toEqual([64, 64, 64, 64])
    expect(new Set(ids).size).toBe(2)
  })

  it('are answered each in its turn, where several calls have one', async () => {
    const both = {
      role: 'assistant',
      content: null,
      tool_calls: ['f', 'g'].map(name => ({
        id: 'x',
        type: 'function',
        function: { name, arguments: '{}' },
      })),
    }
    expect(await messagesOf([hi, both, answered('x', 'one'), answered('x', 'two')])).toEqual([
      { role: 'user', content: [{ text: 'Hi' }] },
      { role: 'assistant', content: [use('x', 'f'), use('x_1', 'g')] },
      { role: 'user', content: [result('x', 'one'), result('x_1', 'two')] },
    ])
  })

  it('are never twice, though a client numbers each turn anew', async () => {
    const ids = await idsOf(twice('call_0'))
    expect(ids[0]).toBe(ids[1])
    expect(ids[2]).toBe(ids[3])
    expect(ids[0]).not.toBe(ids[2])
  })

  it('never run out', async () => {
    const calls = Array.from({ length: 100_001 }, (_, at) => ({
      id: `call_${at}`,
      type: 'function',
      function: { name: 'f', arguments: '{}' },
    }))
    const results = calls.map(({ id }) => answered(id))
    const ids = await idsOf([hi, { role: 'assistant', tool_calls: calls }, ...results], mistral)
    expect(new Set(ids).size).toBe(calls.length)
  })

  it('are nine letters and digits for Mistral', async () => {
    const ids = await idsOf(twice('tooluse_AcB1', 'abcDEF123'), mistral)
    expect(ids.every(id => /^[a-zA-Z0-9]{9}$/.test(id))).toBe(true)
    expect(ids[0]).toBe(ids[1])
    expect(ids.slice(2)).toEqual(['abcDEF123', 'abcDEF123'])
    expect(new Set(await idsOf(twice('tooluse_AcB1', 'tooluse_AcB2'), mistral)).size).toBe(2)
  })
})

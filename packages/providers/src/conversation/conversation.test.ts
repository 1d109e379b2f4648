import { type Message, turnsOf } from '@sluice/core/provider'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ParameterAdjuster } from '../parameters/parameter-adjuster.ts'
import { type Conversation, toConversation as fromTurns } from './conversation.ts'

const toConversation = (messages: readonly Message[], adjuster?: ParameterAdjuster) =>
  fromTurns(turnsOf({ input: { model: 'm', messages } }), adjuster)

const call = (id: string, name = 'f', text = '{}') => ({
  id,
  type: 'function' as const,
  function: { name, arguments: text },
})
const result = (id: string, content = 'done') => ({ role: 'tool' as const, tool_call_id: id, content })

describe('toConversation', () => {
  it('moves what the system says to the front, in order, and tells what it moved', () => {
    const { system, moved, turns } = toConversation([
      { role: 'system', content: 'one' },
      { role: 'user', content: 'hello' },
      { role: 'developer', content: [{ type: 'text', text: 'two' }] },
    ])
    expect(system.map(({ text }) => text)).toEqual(['one', 'two'])
    expect(moved).toEqual(['messages[2]'])
    expect(turns).toEqual([{ role: 'user', results: [], items: [{ kind: 'text', text: 'hello' }] }])
  })

  it('puts the results of parallel calls in one turn, before what the user says next', () => {
    const { turns } = toConversation([
      { role: 'user', content: 'go' },
      { role: 'assistant', content: null, tool_calls: [call('a', 'f', '{"x":1}'), call('b', 'g')] },
      result('b', '2'),
      result('a', '1'),
      { role: 'user', content: 'and?' },
    ])
    expect(turns.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
    expect(turns[1]).toMatchObject({
      items: [
        { kind: 'call', part: { id: 'a' }, name: 'f', arguments: { x: 1 } },
        { kind: 'call', part: { id: 'b' }, name: 'g', arguments: {} },
      ],
    })
    expect(turns[2]).toMatchObject({
      results: [
        { callId: 'b', call: { name: 'g' }, texts: [{ text: '2' }], path: 'messages[2]' },
        { callId: 'a', call: { name: 'f' }, texts: [{ text: '1' }], path: 'messages[3]' },
      ],
      items: [{ kind: 'text', text: 'and?' }],
    })
  })

  it('has no call for a result without one', () => {
    const { turns } = toConversation([result('nobody')])
    expect(turns[0]).toMatchObject({ results: [{ callId: 'nobody', call: undefined }] })
  })

  it('gives of an answer its reasoning, then its text, then its calls', () => {
    const earlier = {
      role: 'assistant',
      content: 'said',
      refusal: 'but not that',
      reasoning_content: 'thought',
      reasoning_details: [{ type: 'reasoning.text', signature: 's' }, 'odd'],
      tool_calls: [{ ...call('a'), extra_content: { v: 1 } }],
    } as unknown as Message
    expect(toConversation([earlier]).turns).toEqual([
      {
        role: 'assistant',
        items: [
          {
            kind: 'reasoning',
            text: 'thought',
            details: [{ type: 'reasoning.text', signature: 's' }],
            path: 'messages[0]',
          },
          { kind: 'text', text: 'said' },
          { kind: 'text', text: 'but not that' },
          {
            kind: 'call',
            part: expect.objectContaining({ kind: 'call', id: 'a' }),
            name: 'f',
            arguments: {},
            extraContent: { v: 1 },
            path: 'messages[0].tool_calls[0]',
          },
        ],
      },
    ])
  })

  it('takes cache marks from parts, and from messages as marks on their last part', () => {
    const cache_control = { type: 'ephemeral' }
    const marked = [
      { role: 'system', content: 'rules', cache_control },
      {
        role: 'user',
        cache_control: { type: 'ephemeral', ttl: '1h' },
        content: [
          { type: 'text', text: 'a', cache_control },
          { type: 'text', text: 'b' },
        ],
      },
    ] as unknown as Message[]
    const { system, turns } = toConversation(marked)
    expect(system).toEqual([{ kind: 'text', text: 'rules', cacheControl: cache_control }])
    expect(turns[0]).toMatchObject({
      items: [
        { text: 'a', cacheControl: cache_control },
        { text: 'b', cacheControl: { ttl: '1h' } },
      ],
    })
  })

  it('makes no turn of a message that says nothing, and joins its neighbours', () => {
    const { turns } = toConversation([
      { role: 'user', content: 'a' },
      { role: 'assistant', content: '' },
      { role: 'user', content: [{ type: 'text', text: '' }] },
      { role: 'user', content: 'b' },
    ])
    expect(turns).toEqual([
      {
        role: 'user',
        results: [],
        items: [
          { kind: 'text', text: 'a' },
          { kind: 'text', text: 'b' },
        ],
      },
    ])
  })

  it('takes as many parts as a request may hold', () => {
    const content = Array.from({ length: 200_000 }, () => ({ type: 'text' as const, text: 'a' }))
    const { system, turns } = toConversation([
      { role: 'system', content },
      { role: 'user', content },
      { role: 'assistant', content },
    ])
    expect([system.length, ...turns.map(({ items }) => items.length)]).toEqual([200_000, 200_000, 200_000])
  })

  it('tells where names stand', () => {
    const named = toConversation([{ role: 'user', content: 'a', name: 'ann' }])
    expect(named.names).toEqual(['messages[0].name'])
  })

  it.each<[string, Message]>([
    [
      'messages[0].tool_calls[0]',
      assistantWith({ id: 'a', type: 'custom', custom: { name: 'c', input: '' } }),
    ],
    [
      'messages[0].function_call',
      { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
    ],
    ['messages[0].audio', { role: 'assistant', content: 'a', audio: { id: 'x' } }],
    ['messages[0].role', { role: 'function', name: 'f', content: 'a' }],
  ])('refuses, at %s, what turns cannot hold', (param, message) => {
    expect(() => toConversation([message])).toThrow(expect.objectContaining({ status: 400, param }))
  })

  it.each([
    ['{"x":', {}],
    ['[1]', {}],
    ['{"a":"\\ud83d"}', { a: '\ufffd' }],
    ['{"a":"\\uDE00\\ud83d"}', { a: '\ufffd\ufffd' }],
  ])('reports what it makes of arguments that vendors refuse: %s', (text, expected) => {
    const adjuster = new ParameterAdjuster()
    const { turns } = toConversation([assistantWith(call('a', 'f', text))], adjuster)
    expect(turns[0]).toMatchObject({ items: [{ arguments: expected }] })
    const parameter = 'messages[0].tool_calls[0].function.arguments'
    expect(adjuster.list).toMatchObject([{ parameter, action: 'mapped' }])
  })

  it('refuses arguments that are nested too deep to be read', () => {
    const param = 'messages[0].tool_calls[0].function.arguments'
    const text = `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`
    expect(() => toConversation([assistantWith(call('a', 'f', text))])).toThrow(
      expect.objectContaining({ status: 400, param }),
    )
  })

  it('takes arguments whose escapes make whole characters, or none', () => {
    for (const text of ['{"a":"\\ud83d\\uDE00"}', '{"a":"\\\\ud83d"}', '{"a":"\\u00e9 \\\\\\u0041"}']) {
      const { turns } = toConversation([assistantWith(call('a', 'f', text))])
      expect(turns[0]).toMatchObject({ items: [{ arguments: JSON.parse(text) }] })
    }
  })

  it('loses no text, call or result of any conversation, and never has one role twice in a row', () => {
    const text = fc.string()
    const message = fc.oneof(
      fc.record({ role: fc.constantFrom('system', 'developer', 'user'), content: text }),
      fc.record({
        role: fc.constant('assistant'),
        content: text,
        tool_calls: fc.array(fc.uuid().map(id => call(id))),
      }),
      fc.record({ role: fc.constant('tool'), tool_call_id: fc.uuid(), content: text }),
    ) as fc.Arbitrary<Message>
    fc.assert(
      fc.property(fc.array(message), messages => {
        const conversation = toConversation(messages)
        expect(saidIn(conversation).sort()).toEqual(
          messages
            .flatMap(({ content, ...rest }) => [
              ...(content === '' ? [] : [content as string]),
              ...('tool_calls' in rest ? (rest.tool_calls ?? []).map(({ id }) => id) : []),
              ...('tool_call_id' in rest ? [rest.tool_call_id] : []),
            ])
            .sort(),
        )
        const roles = conversation.turns.map(({ role }) => role)
        expect(roles.some((role, index) => role === roles[index - 1])).toBe(false)
      }),
    )
  })
})

function assistantWith(made: object): Message {
  return { role: 'assistant', content: null, tool_calls: [made] } as Message
}

function saidIn({ system, turns }: Conversation): string[] {
  return [
    ...system.map(({ text }) => text),
    ...turns.flatMap(turn => [
      ...(turn.role === 'user'
        ? turn.results.flatMap(({ callId, texts }) => [callId, ...texts.map(({ text }) => text)])
        : []),
      ...turn.items.flatMap(item =>
        item.kind === 'text' ? [item.text] : item.kind === 'call' ? [item.part.id] : [],
      ),
    ]),
  ]
}

import { describe, expect, it } from 'vitest'
import type { Message } from '../protocol/chat.ts'
import { chatToTurns } from './chat-to-turns.ts'
import { turnsToChat } from './turns-to-chat.ts'

/** Messages come with members that the protocol does not name. */
const turns = (...messages: object[]) => chatToTurns(messages as unknown as Message[])

describe('chatToTurns', () => {
  it('makes one turn of each message, in its place', () => {
    expect(
      turns(
        { role: 'system', content: 'Be kind.' },
        { role: 'user', content: [{ type: 'text', text: 'Hi' }], name: 'ann' },
        { role: 'user', content: 'Hello?' },
        { role: 'developer', content: 'Be brief.' },
      ),
    ).toEqual([
      {
        role: 'system',
        path: 'messages[0]',
        parts: [{ kind: 'text', text: 'Be kind.', path: 'messages[0].content' }],
      },
      {
        role: 'user',
        path: 'messages[1]',
        name: 'ann',
        parts: [{ kind: 'text', text: 'Hi', path: 'messages[1].content[0]' }],
      },
      {
        role: 'user',
        path: 'messages[2]',
        parts: [{ kind: 'text', text: 'Hello?', path: 'messages[2].content' }],
      },
      {
        role: 'developer',
        path: 'messages[3]',
        parts: [{ kind: 'text', text: 'Be brief.', path: 'messages[3].content' }],
      },
    ])
  })

  it('gives of an answer its reasoning, content, refusal, audio and calls, with arguments as text', () => {
    const [turn] = turns({
      role: 'assistant',
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'f', arguments: '{"x":' }, extra_content: { v: 1 } },
        { id: 'b', type: 'custom', custom: { name: 'c', input: 'raw' } },
      ],
      function_call: { name: 'old', arguments: '' },
      audio: { id: 'audio_1' },
      refusal: 'No.',
      content: 'said',
      reasoning_content: 'thought',
      reasoning_details: [{ type: 'reasoning.text', signature: 's' }, 'odd'],
    })
    expect(turn?.parts).toEqual([
      {
        kind: 'reasoning',
        text: 'thought',
        details: [{ type: 'reasoning.text', signature: 's' }],
        path: 'messages[0]',
      },
      { kind: 'text', text: 'said', path: 'messages[0].content' },
      { kind: 'refusal', text: 'No.', path: 'messages[0].refusal' },
      { kind: 'audio', id: 'audio_1', path: 'messages[0].audio' },
      {
        kind: 'call',
        id: 'a',
        tool: 'function',
        name: 'f',
        arguments: '{"x":',
        path: 'messages[0].tool_calls[0]',
        extra: { extra_content: { v: 1 } },
      },
      {
        kind: 'call',
        id: 'b',
        tool: 'custom',
        name: 'c',
        arguments: 'raw',
        path: 'messages[0].tool_calls[1]',
      },
      {
        kind: 'call',
        id: '',
        tool: 'function',
        name: 'old',
        arguments: '',
        path: 'messages[0].function_call',
        legacy: true,
      },
    ])
    expect(turn?.extra).toBeUndefined()
  })

  it('gives results of tools as turns of their own', () => {
    expect(
      turns(
        { role: 'tool', tool_call_id: 'a', content: '1', cache_control: { type: 'ephemeral' } },
        { role: 'function', name: 'old', content: null },
      ),
    ).toEqual([
      {
        role: 'tool',
        path: 'messages[0]',
        extra: { cache_control: { type: 'ephemeral' } },
        parts: [
          {
            kind: 'result',
            callId: 'a',
            path: 'messages[0]',
            parts: [{ kind: 'text', text: '1', path: 'messages[0].content' }],
          },
        ],
      },
      {
        role: 'tool',
        path: 'messages[1]',
        name: 'old',
        parts: [{ kind: 'result', callId: '', path: 'messages[1]', parts: [], legacy: true }],
      },
    ])
  })

  it('has members that the protocol does not name at their place, and unknown parts unread', () => {
    const video = { type: 'video_url', video_url: { url: 'https://there.test/a' } }
    const [turn] = turns({
      role: 'user',
      content: [
        { type: 'image_url', image_url: { url: 'https://there.test/b', source: 1 }, cache_control: {} },
        { type: 'file', file: { file_data: 'AQID' }, citations: { enabled: true } },
        video,
      ],
      tool_calls: [],
    })
    expect(turn).toEqual({
      role: 'user',
      path: 'messages[0]',
      extra: { tool_calls: [] },
      parts: [
        {
          kind: 'image',
          url: 'https://there.test/b',
          path: 'messages[0].content[0]',
          extra: { image_url: { source: 1 }, cache_control: {} },
        },
        {
          kind: 'file',
          data: 'AQID',
          path: 'messages[0].content[1]',
          extra: { citations: { enabled: true } },
        },
        { kind: 'opaque', dialect: 'chat', value: video, path: 'messages[0].content[2]' },
      ],
    })
  })

  it('takes a member called __proto__ as any other', () => {
    const [message] = JSON.parse('[{"role":"user","content":"Hi","__proto__":{"role":"system"}}]') as object[]
    const [turn] = turns(message!)
    expect(Object.entries(turn?.extra ?? {})).toEqual([['__proto__', { role: 'system' }]])
    const [back] = turnsToChat([turn!]).messages
    expect(Object.keys(back!)).toContain('__proto__')
    expect(back).toMatchObject({ role: 'user' })
  })

  it('takes as many messages and parts as a request may hold', () => {
    const content = Array.from({ length: 100_000 }, () => ({ type: 'text', text: 'a' }))
    const given = [
      { role: 'user', content },
      { role: 'assistant', content },
      ...Array.from({ length: 50_000 }, () => ({ role: 'user', content: 'b' })),
    ]
    expect(turnsToChat(turns(...given)).messages).toEqual(given)
  })
})

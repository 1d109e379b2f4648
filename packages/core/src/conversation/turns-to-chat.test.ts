import { describe, expect, it } from 'vitest'
import type { Turn, TurnPart } from './turns.ts'
import { turnsToChat } from './turns-to-chat.ts'

const user = (path: string, ...parts: TurnPart[]): Turn => ({ role: 'user', parts, path })
const assistant = (path: string, ...parts: TurnPart[]): Turn => ({ role: 'assistant', parts, path })
const text = (text: string, path = 'p'): TurnPart => ({ kind: 'text', text, path })
const call = (id: string, path = 'p'): TurnPart => ({
  kind: 'call',
  id,
  tool: 'function',
  name: 'f',
  arguments: '{}',
  path,
})

describe('turnsToChat', () => {
  it('sends images and files of results in a message of the user, after all results', () => {
    const image = { kind: 'image', url: 'data:image/png;base64,AQID', path: 'input[1].output[1]' } as const
    const file = { kind: 'file', data: 'AQID', filename: 'a.pdf', path: 'input[2].output[0]' } as const
    const chat = turnsToChat([
      assistant('input[0]', call('a'), call('b')),
      {
        role: 'tool',
        path: 'input[1]',
        parts: [
          {
            kind: 'result',
            callId: 'a',
            path: 'input[1]',
            parts: [{ kind: 'text', text: 'one', path: 'input[1].output[0]' }, image],
          },
        ],
      },
      {
        role: 'tool',
        path: 'input[2]',
        parts: [{ kind: 'result', callId: 'b', path: 'input[2]', parts: [file] }],
      },
      user('input[3]', text('and?')),
    ])
    const follows = {
      type: 'text',
      text: 'The images and files of this result follow in the next message of the user.',
    }
    expect(chat.messages.slice(1)).toEqual([
      { role: 'tool', tool_call_id: 'a', content: [{ type: 'text', text: 'one' }, follows] },
      { role: 'tool', tool_call_id: 'b', content: follows.text },
      {
        role: 'user',
        content: [
          { type: 'text', text: "Images and files of the result of the tool call 'a':" },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,AQID' } },
          { type: 'text', text: "Images and files of the result of the tool call 'b':" },
          { type: 'file', file: { file_data: 'AQID', filename: 'a.pdf' } },
        ],
      },
      { role: 'user', content: 'and?' },
    ])
    expect(chat.losses).toEqual([
      { path: image.path, kind: 'mapped', why: 'sent in a message of the user after the results' },
      { path: file.path, kind: 'mapped', why: 'sent in a message of the user after the results' },
    ])
    expect(chat.pathOf('messages[3].content[1].image_url.url')).toBe('input[1].output[1].image_url.url')
    expect(chat.pathOf('messages[3].content[2]')).toBe('input[2]')
    expect(chat.pathOf('messages[4].content')).toBe('p')
  })

  it('ends with the images of the last result, and splits several results of one turn', () => {
    const result = (callId: string): TurnPart => ({
      kind: 'result',
      callId,
      path: `messages[1].content[${callId}]`,
      isError: callId === '1',
      parts: [{ kind: 'image', url: 'https://there.test/a', path: 'p' }],
    })
    const chat = turnsToChat([
      assistant('messages[0]', call('0'), call('1')),
      { role: 'tool', path: 'messages[1]', parts: [result('0'), result('1')] },
    ])
    expect(chat.messages.map(({ role }) => role)).toEqual(['assistant', 'tool', 'tool', 'user'])
    expect(chat.losses).toContainEqual({
      path: 'messages[1].content[1]',
      kind: 'hint',
      why: 'no result of a tool can be marked as failed',
    })
    expect(chat.pathOf('messages[2]')).toBe('messages[1].content[1]')
  })

  it('reports what chat completions cannot express, and makes no message of nothing', () => {
    const chat = turnsToChat([
      { role: 'system', path: 's', parts: [{ kind: 'image', url: 'https://there.test/a', path: 's0' }] },
      user(
        'u',
        text('Look.'),
        { kind: 'image', fileId: 'file-1', path: 'u1' },
        { kind: 'file', url: 'https://there.test/b', path: 'u2' },
        { kind: 'audio', data: 'AQID', format: 'flac', path: 'u3' },
        { kind: 'opaque', dialect: 'messages', value: { type: 'new' }, path: 'u4' },
        call('a', 'u5'),
        { kind: 'image', url: 'https://there.test/c', detail: 'original', path: 'u6' },
      ),
      assistant('a', { kind: 'sealed', family: 'f', value: 'x', path: 'a0' }),
      assistant('b'),
      user('c', { kind: 'opaque', dialect: 'responses', value: null, path: 'c0' }),
      { role: 'tool', path: 'd', parts: [] },
    ])
    expect(chat.messages).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look.' },
          { type: 'image_url', image_url: { url: 'https://there.test/c', detail: 'high' } },
        ],
      },
    ])
    expect(chat.losses.map(({ path, kind }) => `${path} ${kind}`)).toEqual([
      's0 content',
      'u1 content',
      'u2 content',
      'u3 content',
      'u4 content',
      'u5 content',
      'u6.image_url.detail mapped',
      'a0 hint',
      'c0 content',
    ])
  })

  it('moves text after calls before them, and joins reasoning', () => {
    const chat = turnsToChat([
      assistant(
        'a',
        { kind: 'reasoning', text: 'one', details: [{ type: 'x' }], path: 'a0' },
        text('so', 'a1'),
        call('c', 'a2'),
        { kind: 'reasoning', text: 'two', details: [], path: 'a3' },
        text('then', 'a4'),
      ),
    ])
    expect(chat.messages).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'so' },
          { type: 'text', text: 'then' },
        ],
        tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }],
        reasoning_content: 'one\n\ntwo',
        reasoning_details: [{ type: 'x' }],
      },
    ])
    expect(chat.losses).toEqual([{ path: 'a4', why: 'moved before the tool calls', kind: 'mapped' }])
    expect(chat.pathOf('messages[0].content[1]')).toBe('a4')
    expect(chat.pathOf('messages[0].tool_calls[0]')).toBe('a2')
    expect(chat.pathOf('messages[0].reasoning_content')).toBe('a0.reasoning_content')
  })

  it('lets no member of the caller replace one of the protocol', () => {
    const extra = { tool_calls: [{ id: 'made up' }], role: 'system', content: 'no', cache_control: {} }
    const chat = turnsToChat([
      {
        ...assistant('a', { ...text('Hi', 'a0'), extra: { text: 'no', type: 'image_url', more: 1 } }),
        extra,
      },
    ])
    expect(chat.messages).toEqual([
      { role: 'assistant', content: [{ type: 'text', text: 'Hi', more: 1 }], cache_control: {} },
    ])
    expect(chat.losses.map(({ path, kind }) => `${path} ${kind}`)).toEqual([
      'a0.text hint',
      'a0.type hint',
      'a.tool_calls hint',
      'a.role hint',
      'a.content hint',
    ])
  })

  it("names members as the caller's dialect does, and the part itself where it has none", () => {
    const members = { 'image_url.url': 'source.url' }
    const image: TurnPart = {
      kind: 'image',
      url: 'https://there.test/a',
      path: 'content[1]',
      extra: { cache_control: { ttl: '1h' } },
      members,
    }
    const { pathOf } = turnsToChat([user('u', text('Look.'), image)])
    expect(pathOf('messages[0].content[1].image_url.url')).toBe('content[1].source.url')
    expect(pathOf('messages[0].content[1].image_url.detail')).toBe('content[1]')
    expect(pathOf('messages[0].content[1].cache_control.ttl')).toBe('content[1].cache_control.ttl')
    expect(pathOf('messages[0].content[9]')).toBe('u')
    expect(pathOf('messages[9]')).toBe('messages[9]')
    expect(pathOf('temperature')).toBe('temperature')
  })
})

import { describe, expect, it } from 'vitest'
import {
  errorFrom,
  hello,
  invalidType,
  live,
  longText,
  missing,
  passes,
  profiles,
  refuses,
  refusesAll,
  roles,
  strict,
} from '../../../test/validate-cases.ts'

describe('messages', () => {
  it('C48 refuses a request without messages', () => {
    for (const rules of profiles) {
      const error = errorFrom({ model: 'm' }, rules)
      expect(error.toBody().error).toEqual({
        message: "Missing required parameter: 'messages'.",
        type: 'invalid_request_error',
        param: 'messages',
        code: 'missing_required_parameter',
      })
      expect(errorFrom({ model: 'm', messages: undefined }, rules).code).toBe('missing_required_parameter')
    }
  })

  it('C49 refuses empty messages', () => {
    refusesAll([
      [
        { messages: [] },
        'empty_array',
        'messages',
        "Invalid 'messages': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      ],
    ])
  })

  it('C50 refuses messages that are no array of objects', () => {
    refusesAll([
      [
        { messages: 'x' },
        'invalid_type',
        'messages',
        invalidType('messages', 'an array of objects', 'a string'),
      ],
      [
        { messages: {} },
        'invalid_type',
        'messages',
        invalidType('messages', 'an array of objects', 'an object'),
      ],
      [
        { messages: null },
        'invalid_type',
        'messages',
        invalidType('messages', 'an array of objects', 'null'),
      ],
      [
        { messages: [...hello, 'x'] },
        'invalid_type',
        'messages[1]',
        invalidType('messages[1]', 'an object', 'a string'),
      ],
      [
        { messages: [[]] },
        'invalid_type',
        'messages[0]',
        invalidType('messages[0]', 'an object', 'an array'),
      ],
      [{ messages: [null] }, 'invalid_type', 'messages[0]', invalidType('messages[0]', 'an object', 'null')],
    ])
  })

  it('C51 C52 refuses a message without a role, or with an unknown one', () => {
    refusesAll([
      [
        { messages: [{ content: 'x' }] },
        'missing_required_parameter',
        'messages[0].role',
        missing('messages[0].role'),
      ],
      [
        { messages: [...hello, {}] },
        'missing_required_parameter',
        'messages[1].role',
        missing('messages[1].role'),
      ],
      [
        { messages: [{ role: 'bogus', content: 'x' }] },
        'invalid_value',
        'messages[0].role',
        `Invalid value: 'bogus'. Supported values are: ${roles}.`,
      ],
      [
        { messages: [{ role: 'constructor', content: 'x' }] },
        'invalid_value',
        'messages[0].role',
        `Invalid value: 'constructor'. Supported values are: ${roles}.`,
      ],
      [
        { messages: [{ role: 1, content: 'x' }] },
        'invalid_type',
        'messages[0].role',
        invalidType('messages[0].role', 'a string', 'an integer'),
      ],
      [
        { messages: [{ role: longText(5000), content: 'x' }] },
        'invalid_value',
        'messages[0].role',
        `Invalid value: 'kkk...kkk'. Supported values are: ${roles}.`,
      ],
    ])
  })

  it('C53 refuses content of another type', () => {
    const expected = 'one of a string or array of objects'
    refusesAll([
      [
        { messages: [{ role: 'user', content: 7 }] },
        'invalid_type',
        'messages[0].content',
        invalidType('messages[0].content', expected, 'an integer'),
      ],
      [
        { messages: [{ role: 'tool', tool_call_id: 'c', content: {} }] },
        'invalid_type',
        'messages[0].content',
        invalidType('messages[0].content', expected, 'an object'),
      ],
      [
        { messages: [{ role: 'assistant', content: true }] },
        'invalid_type',
        'messages[0].content',
        invalidType('messages[0].content', expected, 'a boolean'),
      ],
      [
        { messages: [{ role: 'user', content: ['x'] }] },
        'invalid_type',
        'messages[0].content[0]',
        invalidType('messages[0].content[0]', 'an object', 'a string'),
      ],
      [
        { messages: [{ role: 'function', name: 'f', content: [] }] },
        'invalid_type',
        'messages[0].content',
        invalidType('messages[0].content', 'a string', 'an array'),
      ],
    ])
  })

  it('C54 refuses a message without content, each profile in its words', () => {
    for (const role of ['user', 'system', 'tool', 'assistant']) {
      const message = { role, tool_call_id: 'c' }
      const error = refuses({ messages: [message] })
      expect(error).toMatchObject({ code: 'missing_required_parameter', param: 'messages[0].content' })
      expect(error.message).toBe(missing('messages[0].content'))
      for (const messages of [
        [...hello, message],
        [...hello, { ...message, content: null }],
      ]) {
        const found = refuses({ messages }, live)
        expect(found).toMatchObject({ status: 400, code: null, param: 'messages.[1].content' })
        expect(found.message).toBe("Invalid value for 'content': expected a string, got null.")
      }
    }
    refusesAll([
      [
        { messages: [{ role: 'developer' }] },
        'missing_required_parameter',
        'messages[0].content',
        missing('messages[0].content'),
      ],
      [
        { messages: [{ role: 'developer', content: null }] },
        'invalid_type',
        'messages[0].content',
        invalidType('messages[0].content', 'one of a string or array of objects', 'null'),
      ],
    ])
    expect(refuses({ messages: [{ role: 'user', content: null }] }).code).toBe('invalid_type')
  })

  const toolTurn = [
    ...hello,
    {
      role: 'assistant',
      content: null,
      tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }],
    },
    { role: 'tool', tool_call_id: 'call_1', content: '42' },
  ]

  it.each([
    ['C55 an answered tool call with content null', toolTurn],
    [
      'C55 an assistant message without content that calls a function',
      [...hello, { role: 'assistant', function_call: { name: 'f', arguments: '{}' } }],
    ],
    ['C56 a developer message', [{ role: 'developer', content: 'x' }, ...hello]],
    ['C57 content in parts', [{ role: 'user', content: [{ type: 'text', text: 'x' }] }]],
    [
      'empty content',
      [
        { role: 'user', content: '' },
        { role: 'assistant', content: [] },
        { role: 'system', content: '' },
      ],
    ],
    [
      'a refusal',
      [
        ...hello,
        { role: 'assistant', refusal: 'no' },
        { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] },
      ],
    ],
    ['an audio answer', [...hello, { role: 'assistant', audio: { id: 'a' } }]],
    ['a function message', [...hello, { role: 'function', name: 'f', content: null }]],
    [
      'a custom tool call',
      [
        ...hello,
        { role: 'assistant', tool_calls: [{ id: 'c', type: 'custom', custom: { name: 'f', input: 'x' } }] },
        { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: 'x' }] },
      ],
    ],
    [
      'all parts',
      [
        {
          role: 'user',
          name: 'ann',
          content: [
            {
              type: 'image_url',
              image_url: { url: 'https://example.com/a.png', detail: 'low' },
              prompt_cache_breakpoint: { mode: 'explicit' },
            },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } },
            { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } },
            { type: 'file', file: { file_id: 'file-1' } },
            { type: 'file', file: { file_data: 'AAAA', filename: 'a.pdf' } },
          ],
        },
      ],
    ],
  ])('passes %s', (_, messages) => {
    for (const rules of profiles) expect(passes({ messages }, rules).messages).toEqual(messages)
  })

  it('takes the fields of vendors, and hands them on', () => {
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'x', cache_control: { type: 'ephemeral' } }] },
      {
        role: 'assistant',
        content: 'x',
        reasoning_details: [{ type: 'y' }],
        tool_calls: [
          {
            id: 'c',
            type: 'function',
            function: { name: 'f', arguments: '' },
            extra_content: { google: { thought_signature: 's' } },
          },
        ],
      },
      { role: 'tool', tool_call_id: 'c', content: 'x', cache_control: {} },
    ]
    for (const rules of [...profiles, strict]) expect(passes({ messages }, rules).messages).toBe(messages)
  })

  it('C58 refuses unknown parts', () => {
    const part = (role: string, given: object) => ({
      messages: [{ role, tool_call_id: 'c', content: [given] }],
    })
    refusesAll([
      [
        part('user', { type: 'video' }),
        'invalid_value',
        'messages[0].content[0].type',
        "Invalid value: 'video'. Supported values are: 'text', 'image_url', 'input_audio', and 'file'.",
      ],
      [
        part('assistant', { type: 'image_url' }),
        'invalid_value',
        'messages[0].content[0].type',
        "Invalid value: 'image_url'. Supported values are: 'text' and 'refusal'.",
      ],
      [
        part('system', { type: 'image_url' }),
        'invalid_value',
        'messages[0].content[0].type',
        "Invalid value: 'image_url'. Supported values are: 'text'.",
      ],
      [
        part('tool', {}),
        'missing_required_parameter',
        'messages[0].content[0].type',
        missing('messages[0].content[0].type'),
      ],
      [
        part('user', { type: 'text' }),
        'missing_required_parameter',
        'messages[0].content[0].text',
        missing('messages[0].content[0].text'),
      ],
      [
        part('user', { type: 'text', text: null }),
        'invalid_type',
        'messages[0].content[0].text',
        invalidType('messages[0].content[0].text', 'a string', 'null'),
      ],
      [
        part('user', { type: 'image_url' }),
        'missing_required_parameter',
        'messages[0].content[0].image_url',
        missing('messages[0].content[0].image_url'),
      ],
      [
        part('user', { type: 'image_url', image_url: 'https://x' }),
        'invalid_type',
        'messages[0].content[0].image_url',
        invalidType('messages[0].content[0].image_url', 'an object', 'a string'),
      ],
      [
        part('user', { type: 'image_url', image_url: { url: 'file:///etc/passwd' } }),
        'invalid_value',
        'messages[0].content[0].image_url.url',
        "Invalid 'messages[0].content[0].image_url.url': expected an http or https URL, or a data URL.",
      ],
      [
        part('user', { type: 'image_url', image_url: { url: 'https://x', detail: 'x' } }),
        'invalid_value',
        'messages[0].content[0].image_url.detail',
        "Invalid value: 'x'. Supported values are: 'auto', 'low', and 'high'.",
      ],
      [
        part('user', { type: 'input_audio', input_audio: { data: '', format: 'ogg' } }),
        'invalid_value',
        'messages[0].content[0].input_audio.format',
        "Invalid value: 'ogg'. Supported values are: 'wav' and 'mp3'.",
      ],
      [
        part('user', { type: 'file', file: { file_id: 1 } }),
        'invalid_type',
        'messages[0].content[0].file.file_id',
        invalidType('messages[0].content[0].file.file_id', 'a string', 'an integer'),
      ],
    ])
  })

  it('refuses broken tool messages and tool calls', () => {
    const calls = (tool_calls: unknown) => ({ messages: [{ role: 'assistant', content: 'x', tool_calls }] })
    refusesAll([
      [
        { messages: [{ role: 'tool', content: 'x' }] },
        'missing_required_parameter',
        'messages[0].tool_call_id',
        missing('messages[0].tool_call_id'),
      ],
      [
        { messages: [{ role: 'function', content: 'x' }] },
        'missing_required_parameter',
        'messages[0].name',
        missing('messages[0].name'),
      ],
      [
        { messages: [{ role: 'function', name: 'f' }] },
        'missing_required_parameter',
        'messages[0].content',
        missing('messages[0].content'),
      ],
      [
        calls([{ type: 'function', function: { name: 'f', arguments: '' } }]),
        'missing_required_parameter',
        'messages[0].tool_calls[0].id',
        missing('messages[0].tool_calls[0].id'),
      ],
      [
        calls([{ id: 'c', type: 'function', function: { name: 'f', arguments: {} } }]),
        'invalid_type',
        'messages[0].tool_calls[0].function.arguments',
        invalidType('messages[0].tool_calls[0].function.arguments', 'a string', 'an object'),
      ],
      [
        calls([{ id: 'c', type: 'x' }]),
        'invalid_value',
        'messages[0].tool_calls[0].type',
        "Invalid value: 'x'. Supported values are: 'function' and 'custom'.",
      ],
      [
        calls('x'),
        'invalid_type',
        'messages[0].tool_calls',
        invalidType('messages[0].tool_calls', 'an array of objects', 'a string'),
      ],
    ])
  })

  it('treats empty tool calls as none, and refuses them in the live profile', () => {
    const message = { role: 'assistant', content: 'x', tool_calls: [] }
    expect(passes({ messages: [message] }).messages).toEqual([{ role: 'assistant', content: 'x' }])
    expect(message).toHaveProperty('tool_calls')
    expect(refuses({ messages: [message] }, live).toBody().error).toEqual({
      message:
        "Invalid 'messages[0].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      type: 'invalid_request_error',
      param: 'messages[0].tool_calls',
      code: 'empty_array',
    })
    const silent = { messages: [{ role: 'assistant', tool_calls: [] }] }
    expect(refuses(silent)).toMatchObject({
      code: 'missing_required_parameter',
      param: 'messages[0].content',
    })
  })

  it('bounds names and lengths in the live profile only', () => {
    const named = { messages: [{ role: 'user', content: 'x', name: 'Ann Lee' }] }
    expect(passes(named).messages).toBe(named.messages)
    expect(refuses(named, live)).toMatchObject({ code: 'invalid_value', param: 'messages[0].name' })
    const long = { messages: [{ role: 'user', content: 'x'.repeat(10_485_761) }] }
    expect(passes(long).messages).toBe(long.messages)
    const error = refuses(long, live)
    expect(error).toMatchObject({ code: 'string_above_max_length', param: 'messages[0].content' })
    expect(error.message).toContain('maximum length 10485760, but got a string with length 10485761')
  })

  describe('[L] tool pairing', () => {
    const call = (...ids: string[]) => ({
      role: 'assistant',
      content: null,
      tool_calls: ids.map(id => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
    })
    const answer = (tool_call_id: string) => ({ role: 'tool', tool_call_id, content: 'x' })
    const orphan =
      "Invalid parameter: messages with role 'tool' must be a response to a preceeding message with 'tool_calls'."
    const unanswered =
      "An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. The following tool_call_ids did not have response messages: "

    it.each([
      ['no call', [...hello, answer('a')], 'messages.[1].role', orphan],
      ['a call of another id', [...hello, call('a'), answer('b')], 'messages.[2].role', orphan],
      [
        'a call that is over',
        [...hello, call('a'), answer('a'), ...hello, answer('a')],
        'messages.[4].role',
        orphan,
      ],
      ['a call without an answer', [...hello, call('a'), ...hello], 'messages.[2].role', `${unanswered}a`],
      [
        'one answer of two',
        [...hello, call('a', 'b', 'c'), answer('b'), ...hello],
        'messages.[3].role',
        `${unanswered}a, c`,
      ],
      ['a call at the end', [...hello, call('a')], 'messages.[1].role', `${unanswered}a`],
    ])('refuses %s', (_, messages, param, message) => {
      expect(refuses({ messages }, live).toBody().error).toEqual({
        message,
        type: 'invalid_request_error',
        param,
        code: null,
      })
      expect(passes({ messages }).messages).toBe(messages)
    })

    it('takes answers in any order, and several turns', () => {
      const messages = [...hello, call('a', 'b'), answer('b'), answer('a'), call('c'), answer('c'), ...hello]
      expect(passes({ messages }, live).messages).toBe(messages)
    })

    it('does not list calls without end', () => {
      const messages = [call(...Array.from({ length: 5000 }, (_, i) => `${i}${longText(100)}`))]
      const { message } = refuses({ messages }, live)
      expect(message.length).toBeLessThan(400)
      expect(message).toMatch(/ and 4990 more$/)
    })
  })
})

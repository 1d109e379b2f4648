import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { GatewayError } from '../errors.ts'
import type { JsonObject } from '../protocol/chat.ts'
import { parseJson } from '../protocol/json.ts'
import type { Capabilities, Provider, Target } from '../provider.ts'
import { capableTargets, type ValidationRules, validate } from './validate.ts'

const provider: Provider = {
  name: 'test',
  encode: () => ({ method: 'POST', url: 'http://127.0.0.1', headers: {} }),
  decode: () => ({ kind: 'completion', completion: { choices: [] } }),
}
const target = (capabilities?: Capabilities): Target =>
  capabilities === undefined ? { provider, model: 'm' } : { provider, model: 'm', capabilities }

const schema: ValidationRules = { profile: 'schema', unknownParameters: 'pass' }
const live: ValidationRules = { profile: 'live', unknownParameters: 'pass' }
const strict: ValidationRules = { profile: 'schema', unknownParameters: 'reject' }
const profiles = [schema, live] as const

const hello = [{ role: 'user', content: 'Hello!' }]
const base = { model: 'm', messages: hello }

function check(body: object, rules = schema, targets: readonly Target[] = [target()]) {
  const model = 'model' in body ? String(body.model) : 'm'
  return validate({ model, body: body as JsonObject, bytes: 1 }, targets, rules)
}

const passes = (extra: object, rules = schema) => check({ ...base, ...extra }, rules).input

function refusalOf(body: object, rules = schema, targets: readonly Target[] = [target()]): GatewayError {
  try {
    check(body, rules, targets)
  } catch (error) {
    if (error instanceof GatewayError) return error
    throw error
  }
  throw new Error(`nothing was refused of ${JSON.stringify(body).slice(0, 200)}`)
}

const refuses = (extra: object, rules = schema) => refusalOf({ ...base, ...extra }, rules)

type Row = readonly [body: object, code: string | null, param: string, message: string]

/** Each row is refused in both profiles, with exactly this answer. */
function refusesAll(rows: readonly Row[], rules: readonly ValidationRules[] = profiles): void {
  for (const [body, code, param, message] of rows) {
    for (const profile of rules) {
      const error = refuses(body, profile)
      expect(error.toBody()).toEqual({ error: { message, type: 'invalid_request_error', param, code } })
      expect(error.status).toBe(400)
    }
  }
}

const longText = (length: number) => 'k'.repeat(length)
const invalidType = (param: string, expected: string, got: string) =>
  `Invalid type for '${param}': expected ${expected}, but got ${got} instead.`
const missing = (param: string) => `Missing required parameter: '${param}'.`
const roles = "'system', 'assistant', 'user', 'function', 'tool', and 'developer'"

describe('messages', () => {
  it('C48 refuses a request without messages', () => {
    for (const rules of profiles) {
      const error = refusalOf({ model: 'm' }, rules)
      expect(error.toBody().error).toEqual({
        message: "Missing required parameter: 'messages'.",
        type: 'invalid_request_error',
        param: 'messages',
        code: 'missing_required_parameter',
      })
      expect(refusalOf({ model: 'm', messages: undefined }, rules).code).toBe('missing_required_parameter')
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
        calls([]),
        'empty_array',
        'messages[0].tool_calls',
        "Invalid 'messages[0].tool_calls': empty array. Expected an array with minimum length 1, but got an empty array instead.",
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

describe('numbers and switches', () => {
  it('C60 bounds temperature', () => {
    for (const temperature of [0, 2, 0.5, -0])
      expect(passes({ temperature }, live).temperature).toBe(temperature)
    refusesAll([
      [
        { temperature: 2.1 },
        'decimal_above_max_value',
        'temperature',
        "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 2.1 instead.",
      ],
      [
        { temperature: 3 },
        'decimal_above_max_value',
        'temperature',
        "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3 instead.",
      ],
      [
        { temperature: -0.1 },
        'decimal_below_min_value',
        'temperature',
        "Invalid 'temperature': decimal below minimum value. Expected a value >= 0, but got -0.1 instead.",
      ],
      [
        { temperature: 1e308 },
        'decimal_above_max_value',
        'temperature',
        "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 1e+308 instead.",
      ],
    ])
  })

  it('C61 refuses a temperature that is no number', () => {
    for (const [value, got] of [
      ['hot', 'a string'],
      [true, 'a boolean'],
      [[], 'an array'],
      [{}, 'an object'],
    ] as const) {
      refusesAll([
        [{ temperature: value }, 'invalid_type', 'temperature', invalidType('temperature', 'a decimal', got)],
      ])
    }
  })

  it('C62 C74 bounds top_p and the penalties', () => {
    for (const top_p of [0, 1]) expect(passes({ top_p }).top_p).toBe(top_p)
    for (const penalty of [-2, 2]) passes({ presence_penalty: penalty, frequency_penalty: penalty })
    expect(refuses({ top_p: 1.1 })).toMatchObject({ code: 'decimal_above_max_value', param: 'top_p' })
    expect(refuses({ top_p: -0.1 })).toMatchObject({ code: 'decimal_below_min_value', param: 'top_p' })
    for (const field of ['presence_penalty', 'frequency_penalty']) {
      expect(refuses({ [field]: 2.1 })).toMatchObject({ code: 'decimal_above_max_value', param: field })
      expect(refuses({ [field]: -2.1 })).toMatchObject({ code: 'decimal_below_min_value', param: field })
    }
  })

  it('C63 refuses token limits that are no whole number', () => {
    for (const field of ['max_tokens', 'max_completion_tokens']) {
      refusesAll([
        [{ [field]: '5' }, 'invalid_type', field, invalidType(field, 'an integer', 'a string')],
        [{ [field]: 1.5 }, 'invalid_type', field, invalidType(field, 'an integer', 'a decimal number')],
      ])
      expect(refuses({ [field]: -1 })).toMatchObject({ code: 'integer_below_min_value', param: field })
      expect(refuses({ [field]: -1 }).message).toBe(
        `Invalid '${field}': integer below minimum value. Expected a value >= 0, but got -1 instead.`,
      )
    }
  })

  it('C64 takes max_tokens 0 in the schema profile, not in the live one', () => {
    expect(passes({ max_tokens: 0 }).max_tokens).toBe(0)
    expect(refuses({ max_tokens: 0 }, live).message).toBe(
      "Invalid 'max_tokens': integer below minimum value. Expected a value >= 1, but got 0 instead.",
    )
    expect(refuses({ max_completion_tokens: 0 }, live).code).toBe('integer_below_min_value')
  })

  it('C65 refuses switches that are no boolean', () => {
    for (const field of ['stream', 'logprobs', 'store', 'parallel_tool_calls']) {
      refusesAll([[{ [field]: 'yes' }, 'invalid_type', field, invalidType(field, 'a boolean', 'a string')]])
    }
  })

  it('C66 C75 bounds n, top_logprobs and seed', () => {
    refusesAll([
      [
        { n: 0 },
        'integer_below_min_value',
        'n',
        "Invalid 'n': integer below minimum value. Expected a value >= 1, but got 0 instead.",
      ],
      [
        { n: 129 },
        'integer_above_max_value',
        'n',
        "Invalid 'n': integer above maximum value. Expected a value <= 128, but got 129 instead.",
      ],
      [
        { top_logprobs: 21, logprobs: true },
        'integer_above_max_value',
        'top_logprobs',
        "Invalid 'top_logprobs': integer above maximum value. Expected a value <= 20, but got 21 instead.",
      ],
      [
        { top_logprobs: -1 },
        'integer_below_min_value',
        'top_logprobs',
        "Invalid 'top_logprobs': integer below minimum value. Expected a value >= 0, but got -1 instead.",
      ],
      [{ seed: 1.5 }, 'invalid_type', 'seed', invalidType('seed', 'an integer', 'a decimal number')],
    ])
    for (const seed of [0, -7, Number.MAX_SAFE_INTEGER]) expect(passes({ seed }).seed).toBe(seed)
    for (const n of [1, 128]) expect(passes({ n }).n).toBe(n)
  })
})

describe('lists, maps and choices', () => {
  it('C67 bounds stop', () => {
    const expected = 'one of a string or array of strings'
    refusesAll([
      [
        { stop: ['a', 'b', 'c', 'd', 'e'] },
        'array_above_max_length',
        'stop',
        "Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length 5 instead.",
      ],
      [
        { stop: [] },
        'empty_array',
        'stop',
        "Invalid 'stop': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      ],
      [{ stop: 5 }, 'invalid_type', 'stop', invalidType('stop', expected, 'an integer')],
      [{ stop: ['a', 5] }, 'invalid_type', 'stop[1]', invalidType('stop[1]', 'a string', 'an integer')],
    ])
    for (const stop of ['', 'x', ['a'], ['a', 'b', 'c', 'd']]) expect(passes({ stop }, live).stop).toBe(stop)
  })

  const tool = (definition: object) => ({ tools: [{ type: 'function', function: definition }] })

  it('C68 bounds tools and functions', () => {
    const many = Array.from({ length: 129 }, (_, i) => ({ type: 'function', function: { name: `f${i}` } }))
    refusesAll([
      [
        { tools: many },
        'array_above_max_length',
        'tools',
        "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 129 instead.",
      ],
      [
        { functions: many.map(({ function: f }) => f) },
        'array_above_max_length',
        'functions',
        "Invalid 'functions': array too long. Expected an array with maximum length 128, but got an array with length 129 instead.",
      ],
      [
        { functions: [] },
        'empty_array',
        'functions',
        "Invalid 'functions': empty array. Expected an array with minimum length 1, but got an empty array instead.",
      ],
      [{ tools: {} }, 'invalid_type', 'tools', invalidType('tools', 'an array of objects', 'an object')],
    ])
    expect(passes({ tools: many.slice(1) }, live).tools).toHaveLength(128)
    expect(passes({ tools: [] }).tools).toEqual([])
    expect(refuses({ tools: [] }, live).code).toBe('empty_array')
  })

  it('C69 bounds the names of functions', () => {
    const param = 'tools[0].function.name'
    refusesAll([
      [
        tool({ name: 'a b' }),
        'invalid_value',
        param,
        `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      ],
      [
        tool({ name: '' }),
        'invalid_value',
        param,
        `Invalid '${param}': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.`,
      ],
      [
        tool({ name: 'a'.repeat(65) }),
        'string_above_max_length',
        param,
        `Invalid '${param}': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.`,
      ],
      [tool({}), 'missing_required_parameter', param, missing(param)],
    ])
    expect(passes(tool({ name: 'a'.repeat(64) }), live).tools).toHaveLength(1)
  })

  it('C70 refuses broken tools', () => {
    refusesAll([
      [
        { tools: [{ type: 'function' }] },
        'missing_required_parameter',
        'tools[0].function',
        missing('tools[0].function'),
      ],
      [{ tools: [{}] }, 'missing_required_parameter', 'tools[0].type', missing('tools[0].type')],
      [
        { tools: [{ type: 'retrieval' }] },
        'invalid_value',
        'tools[0].type',
        "Invalid value: 'retrieval'. Supported values are: 'function' and 'custom'.",
      ],
      [
        tool({ name: 'f', parameters: [] }),
        'invalid_type',
        'tools[0].function.parameters',
        invalidType('tools[0].function.parameters', 'an object', 'an array'),
      ],
      [
        tool({ name: 'f', strict: 'yes' }),
        'invalid_type',
        'tools[0].function.strict',
        invalidType('tools[0].function.strict', 'a boolean', 'a string'),
      ],
      [
        {
          tools: [
            {
              type: 'custom',
              custom: { name: 'c', format: { type: 'grammar', grammar: { definition: 'x', syntax: 'bnf' } } },
            },
          ],
        },
        'invalid_value',
        'tools[0].custom.format.grammar.syntax',
        "Invalid value: 'bnf'. Supported values are: 'lark' and 'regex'.",
      ],
    ])
    const tools = [
      { type: 'custom', custom: { name: 'c', format: { type: 'text' } }, cache_control: {} },
      {
        type: 'function',
        function: {
          name: 'f',
          description: 'd',
          parameters: { type: 'object', pattern: '(a+)+$' },
          strict: null,
        },
      },
    ]
    expect(passes({ tools }, live).tools).toBe(tools)
  })

  it('C71 bounds tool_choice', () => {
    const tools = [{ type: 'function', function: { name: 'f' } }]
    refusesAll([
      [
        { tools, tool_choice: 'bogus' },
        'invalid_value',
        'tool_choice',
        "Invalid value: 'bogus'. Supported values are: 'none', 'auto', and 'required'.",
      ],
      [
        { tools, tool_choice: 5 },
        'invalid_type',
        'tool_choice',
        invalidType('tool_choice', 'one of a string or object', 'an integer'),
      ],
      [
        { tools, tool_choice: { type: 'x' } },
        'invalid_value',
        'tool_choice.type',
        "Invalid value: 'x'. Supported values are: 'function', 'custom', and 'allowed_tools'.",
      ],
      [
        { tools, tool_choice: { type: 'function' } },
        'missing_required_parameter',
        'tool_choice.function',
        missing('tool_choice.function'),
      ],
      [
        { tools, tool_choice: { type: 'allowed_tools', allowed_tools: { mode: 'none', tools: [] } } },
        'invalid_value',
        'tool_choice.allowed_tools.mode',
        "Invalid value: 'none'. Supported values are: 'auto' and 'required'.",
      ],
    ])
    for (const tool_choice of [
      'none',
      'auto',
      'required',
      { type: 'function', function: { name: 'f' } },
      { type: 'custom', custom: { name: 'f' } },
      { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [{ type: 'function', name: 'f' }] } },
    ]) {
      expect(passes({ tools, tool_choice }, live).tool_choice).toBe(tool_choice)
    }
  })

  it('[L] refuses tool_choice without tools', () => {
    refusesAll(
      [
        [
          { tool_choice: 'auto' },
          null,
          'tool_choice',
          "Invalid value for 'tool_choice': 'tool_choice' is only allowed when 'tools' are specified.",
        ],
      ],
      [live],
    )
    expect(passes({ tool_choice: 'auto' }).tool_choice).toBe('auto')
  })

  it('C72 bounds response_format', () => {
    refusesAll([
      [
        { response_format: { type: 'json_schema' } },
        'missing_required_parameter',
        'response_format.json_schema',
        missing('response_format.json_schema'),
      ],
      [
        { response_format: {} },
        'missing_required_parameter',
        'response_format.type',
        missing('response_format.type'),
      ],
      [
        { response_format: { type: 'xml' } },
        'invalid_value',
        'response_format.type',
        "Invalid value: 'xml'. Supported values are: 'text', 'json_object', and 'json_schema'.",
      ],
      [
        { response_format: 'text' },
        'invalid_type',
        'response_format',
        invalidType('response_format', 'an object', 'a string'),
      ],
      [
        { response_format: { type: 'json_schema', json_schema: {} } },
        'missing_required_parameter',
        'response_format.json_schema.name',
        missing('response_format.json_schema.name'),
      ],
      [
        { response_format: { type: 'json_schema', json_schema: { name: 'a', schema: [] } } },
        'invalid_type',
        'response_format.json_schema.schema',
        invalidType('response_format.json_schema.schema', 'an object', 'an array'),
      ],
    ])
    for (const response_format of [
      { type: 'text' },
      { type: 'json_schema', json_schema: { name: 'a', schema: {}, strict: false } },
    ]) {
      expect(passes({ response_format }, live).response_format).toBe(response_format)
    }
  })

  it('C73 bounds metadata', () => {
    const pairs = Object.fromEntries(Array.from({ length: 17 }, (_, i) => [`k${i}`, 'v']))
    refusesAll([
      [
        { metadata: pairs },
        'object_above_max_properties',
        'metadata',
        "Invalid 'metadata': too many properties. Expected an object with at most 16 properties, but got an object with 17 properties instead.",
      ],
      [
        { metadata: { [longText(70)]: 'v' } },
        'property_name_above_max_length',
        'metadata.kkk...kkk',
        "Invalid property name in 'metadata': 'kkk...kkk' is too long. Expected a string with maximum length 64, but got a string with length 70 instead.",
      ],
      [
        { metadata: { k: 'v'.repeat(600) } },
        'string_above_max_length',
        'metadata.k',
        "Invalid 'metadata.k': string too long. Expected a string with maximum length 512, but got a string with length 600 instead.",
      ],
      [
        { metadata: { k: 5 } },
        'invalid_type',
        'metadata.k',
        invalidType('metadata.k', 'a string', 'an integer'),
      ],
      [{ metadata: [] }, 'invalid_type', 'metadata', invalidType('metadata', 'an object', 'an array')],
    ])
    const metadata = { [longText(64)]: 'v'.repeat(512) }
    expect(passes({ metadata }, live).metadata).toBe(metadata)
  })

  it('bounds logit_bias', () => {
    refusesAll([
      [
        { logit_bias: { 50256: 101 } },
        'integer_above_max_value',
        'logit_bias.50256',
        "Invalid 'logit_bias.50256': integer above maximum value. Expected a value <= 100, but got 101 instead.",
      ],
      [
        { logit_bias: { 50256: 'x' } },
        'invalid_type',
        'logit_bias.50256',
        invalidType('logit_bias.50256', 'an integer', 'a string'),
      ],
      [{ logit_bias: [] }, 'invalid_type', 'logit_bias', invalidType('logit_bias', 'an object', 'an array')],
    ])
    expect(passes({ logit_bias: { foo: 0 } }).logit_bias).toEqual({ foo: 0 })
    expect(refuses({ logit_bias: { foo: 0 } }, live)).toMatchObject({
      code: 'invalid_value',
      param: 'logit_bias',
    })
    expect(passes({ logit_bias: { 50256: -100 } }, live).logit_bias).toEqual({ 50256: -100 })
  })

  it.each([
    ['reasoning_effort', "'none', 'minimal', 'low', 'medium', 'high', 'xhigh', and 'max'"],
    ['verbosity', "'low', 'medium', and 'high'"],
    ['service_tier', "'auto', 'default', 'flex', 'scale', 'priority', and 'fast'"],
    ['prompt_cache_retention', "'in_memory', 'in-memory', and '24h'"],
  ])('takes only the values of %s', (field, values) => {
    refusesAll([
      [
        { [field]: 'bogus' },
        'invalid_value',
        field,
        `Invalid value: 'bogus'. Supported values are: ${values}.`,
      ],
      [{ [field]: 5 }, 'invalid_type', field, invalidType(field, 'a string', 'an integer')],
    ])
    for (const [, value] of values.matchAll(/'([^']+)'/g))
      expect(passes({ [field]: value }, live)[field]).toBe(value)
  })

  it('bounds the other fields', () => {
    refusesAll([
      [
        { safety_identifier: longText(65) },
        'string_above_max_length',
        'safety_identifier',
        "Invalid 'safety_identifier': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
      ],
      [{ user: 5 }, 'invalid_type', 'user', invalidType('user', 'a string', 'an integer')],
      [
        { modalities: ['video'] },
        'invalid_value',
        'modalities[0]',
        "Invalid value: 'video'. Supported values are: 'text' and 'audio'.",
      ],
      [{ audio: { voice: 'v' } }, 'missing_required_parameter', 'audio.format', missing('audio.format')],
      [
        { audio: { voice: 5, format: 'wav' } },
        'invalid_type',
        'audio.voice',
        invalidType('audio.voice', 'one of a string or object', 'an integer'),
      ],
      [
        { prediction: { type: 'content', content: 5 } },
        'invalid_type',
        'prediction.content',
        invalidType('prediction.content', 'one of a string or array of objects', 'an integer'),
      ],
      [
        { stream: true, stream_options: { include_usage: 'x' } },
        'invalid_type',
        'stream_options.include_usage',
        invalidType('stream_options.include_usage', 'a boolean', 'a string'),
      ],
      [
        { web_search_options: { search_context_size: 'x' } },
        'invalid_value',
        'web_search_options.search_context_size',
        "Invalid value: 'x'. Supported values are: 'low', 'medium', and 'high'.",
      ],
      [
        { prompt_cache_options: { mode: 'x' } },
        'invalid_value',
        'prompt_cache_options.mode',
        "Invalid value: 'x'. Supported values are: 'implicit' and 'explicit'.",
      ],
      [{ moderation: {} }, 'missing_required_parameter', 'moderation.model', missing('moderation.model')],
      [
        { function_call: 'x' },
        'invalid_value',
        'function_call',
        "Invalid value: 'x'. Supported values are: 'none' and 'auto'.",
      ],
    ])
    expect(passes({ prompt_cache_key: longText(65) }).prompt_cache_key).toHaveLength(65)
    expect(refuses({ prompt_cache_key: longText(65) }, live).code).toBe('string_above_max_length')
  })
})

describe('what may be absent or unknown', () => {
  const optional = [
    'temperature',
    'top_p',
    'max_tokens',
    'max_completion_tokens',
    'n',
    'stream',
    'stream_options',
    'stop',
    'presence_penalty',
    'frequency_penalty',
    'logit_bias',
    'logprobs',
    'top_logprobs',
    'seed',
    'response_format',
    'tools',
    'tool_choice',
    'parallel_tool_calls',
    'functions',
    'function_call',
    'reasoning_effort',
    'verbosity',
    'service_tier',
    'metadata',
    'store',
    'user',
    'safety_identifier',
    'prompt_cache_key',
    'prompt_cache_retention',
    'prompt_cache_options',
    'modalities',
    'audio',
    'prediction',
    'web_search_options',
    'moderation',
  ]

  it.each(optional)('C76 takes null for %s as absent', field => {
    for (const rules of [...profiles, strict]) {
      const input = passes({ [field]: null }, rules)
      expect(Object.keys(input)).toEqual(['model', 'messages'])
      expect(JSON.stringify(input)).toBe(JSON.stringify(base))
    }
  })

  it('C76 leaves out null inside the fields that the protocol knows, and nowhere else', () => {
    const given = {
      messages: [
        {
          role: 'user',
          name: null,
          content: [
            { type: 'image_url', image_url: { url: 'https://x', detail: null }, vendor: null },
            { type: 'file', file: { file_id: 'f', filename: null } },
          ],
        },
        {
          role: 'assistant',
          content: null,
          refusal: null,
          tool_calls: null,
          function_call: null,
          audio: null,
        },
      ],
      tools: [
        {
          type: 'function',
          function: { name: 'f', description: null, parameters: { default: null }, strict: null },
        },
        { type: 'custom', custom: { name: 'c', format: null } },
      ],
      functions: [{ name: 'f', parameters: null }],
      response_format: { type: 'json_schema', json_schema: { name: 'n', schema: null } },
      stream_options: { include_usage: null },
      top_k: null,
    }
    const before = structuredClone(given)
    expect(JSON.parse(JSON.stringify(passes(given)))).toEqual({
      model: 'm',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'image_url', image_url: { url: 'https://x' }, vendor: null },
            { type: 'file', file: { file_id: 'f' } },
          ],
        },
        { role: 'assistant', content: null, refusal: null, function_call: null, audio: null },
      ],
      tools: [
        { type: 'function', function: { name: 'f', parameters: { default: null }, strict: null } },
        { type: 'custom', custom: { name: 'c' } },
      ],
      functions: [{ name: 'f' }],
      response_format: { type: 'json_schema', json_schema: { name: 'n' } },
      stream_options: {},
    })
    expect(given).toEqual(before)
  })

  it('C77 passes unknown fields, or refuses them', () => {
    expect(passes({ top_k: 5, thinking: { type: 'enabled' } })).toMatchObject({
      top_k: 5,
      thinking: { type: 'enabled' },
    })
    const error = refuses({ foo: 1 }, strict)
    expect(error.toBody().error).toEqual({
      message: "Unknown parameter: 'foo'.",
      type: 'invalid_request_error',
      param: 'foo',
      code: 'unknown_parameter',
    })
    expect(refuses({ toString: 1 }, strict).param).toBe('toString')
    expect(refuses({ [longText(9000)]: 1 }, strict).param).toBe('kkk...kkk')
    for (const field of optional) expect(() => passes({ [field]: null }, strict)).not.toThrow()
  })

  it('C78 takes stream_options without stream in the schema profile only', () => {
    const given = { stream_options: { include_usage: true } }
    for (const stream of [undefined, false]) {
      expect(passes({ ...given, stream }).stream_options).toBe(given.stream_options)
      refusesAll(
        [
          [
            { ...given, stream },
            null,
            'stream_options',
            "The 'stream_options' parameter is only allowed when 'stream' is enabled.",
          ],
        ],
        [live],
      )
    }
    expect(passes({ ...given, stream: true }, live).stream).toBe(true)
  })

  it('[L] refuses unknown members of stream_options', () => {
    const given = { stream: true, stream_options: { foo: 1 } }
    expect(passes(given).stream_options).toBe(given.stream_options)
    refusesAll(
      [[given, 'unknown_parameter', 'stream_options.foo', "Unknown parameter: 'stream_options.foo'."]],
      [live],
    )
  })

  it('takes what the official clients send in one request', () => {
    const given = {
      max_tokens: 0,
      max_completion_tokens: 0,
      logit_bias: { foo: 0 },
      stream: false,
      stream_options: { include_usage: true, include_obfuscation: true },
      functions: [{ name: 'name', parameters: { foo: 'bar' } }],
      function_call: 'none',
      tools: [{ type: 'function', function: { name: 'name' } }],
      web_search_options: {
        search_context_size: 'low',
        user_location: { approximate: { city: 'city' }, type: 'approximate' },
      },
      audio: { format: 'wav', voice: 'string' },
      moderation: { model: 'model' },
      modalities: ['text'],
      prediction: { content: 'string', type: 'content' },
    }
    const { max_tokens, ...rest } = { ...base, ...given }
    expect(max_tokens).toBe(0)
    expect({ ...passes(given) }).toEqual(rest)
  })

  it('C120 takes the deprecated functions', () => {
    const given = { functions: [{ name: 'f', parameters: {} }], function_call: { name: 'f' } }
    for (const rules of profiles) expect(passes(given, rules)).toMatchObject(given)
  })

  it('F92 does not see what another library added to Object.prototype', () => {
    Object.assign(Object.prototype, { stream: true, temperature: 'polluted', tool_choice: 'x' })
    try {
      for (const rules of profiles) {
        const input = passes({}, rules)
        expect(input.stream).toBeUndefined()
        expect(Object.keys(input)).toEqual(['model', 'messages'])
      }
    } finally {
      for (const key of ['stream', 'temperature', 'tool_choice'])
        Reflect.deleteProperty(Object.prototype, key)
    }
  })

  it('F19 keeps __proto__ as data', () => {
    const text =
      '{"model":"m","messages":[{"role":"user","content":"x"}],"__proto__":{"stream":true},"metadata":{"__proto__":"v"}}'
    const body = parseJson(new TextEncoder().encode(text), { maxDepth: 64, maxElements: 100 })
    const { input } = check(body as object)
    expect(input.stream).toBeUndefined()
    expect(JSON.parse(JSON.stringify(input))).toEqual(JSON.parse(text))
    expect('stream' in {}).toBe(false)
    expect(refusalOf(body as object, strict).param).toBe('__proto__')
  })
})

describe('C79 one fault of several', () => {
  const faults: readonly (readonly [string, object])[] = [
    ['messages', { messages: 'x' }],
    ['functions', { functions: 'x' }],
    ['tools', { tools: 'x' }],
    ['parallel_tool_calls', { parallel_tool_calls: 'x' }],
    ['max_completion_tokens', { max_completion_tokens: 'x' }],
    ['n', { n: 0 }],
    ['temperature', { temperature: 3 }],
    ['top_p', { top_p: 3 }],
    ['presence_penalty', { presence_penalty: 3 }],
    ['frequency_penalty', { frequency_penalty: 3 }],
    ['logprobs', { logprobs: 'x' }],
    ['top_logprobs', { top_logprobs: 'x' }],
    ['user', { user: 5 }],
    ['seed', { seed: 'x' }],
    ['safety_identifier', { safety_identifier: 5 }],
    ['prompt_cache_key', { prompt_cache_key: 5 }],
    ['service_tier', { service_tier: 'x' }],
    ['stream', { stream: 'x' }],
    ['store', { store: 'x' }],
    ['metadata', { metadata: 'x' }],
    ['verbosity', { verbosity: 'x' }],
  ]

  it('is the first in the order of the protocol, however they are sent', () => {
    fc.assert(
      fc.property(
        fc.shuffledSubarray(faults.slice(), { minLength: 1 }),
        fc.constantFrom(...profiles),
        (subset, rules) => {
          const error = refuses(Object.assign({}, ...subset.map(([, body]) => body)), rules)
          expect(error.param).toBe(faults.find(fault => subset.includes(fault))?.[0])
        },
      ),
    )
  })

  it('is the missing messages, then the unknown field, then the rest', () => {
    expect(refusalOf({ model: 'm', foo: 1, temperature: 3 }, strict).param).toBe('messages')
    expect(refuses({ messages: 'x', foo: 1 }, strict).param).toBe('foo')
  })

  it('is a field before the model, and the model before the conversation', () => {
    const reasoning = [target({ reasoning: true })]
    const orphan = [{ role: 'tool', tool_call_id: 'x', content: 'x' }]
    const given = { ...base, messages: orphan, max_tokens: 5 }
    expect(refusalOf({ ...given, verbosity: 'x' }, live, reasoning).param).toBe('verbosity')
    expect(refusalOf(given, live, reasoning).param).toBe('max_tokens')
    expect(refusalOf({ ...base, messages: orphan }, live, reasoning).param).toBe('messages.[0].role')
  })

  it('is the first message with a fault', () => {
    expect(refuses({ messages: [{ role: 'user', content: 7 }, { role: 'x' }] }).param).toBe(
      'messages[0].content',
    )
  })
})

describe('[L] rules between fields', () => {
  it('takes one token limit', () => {
    const both = { max_tokens: 5, max_completion_tokens: 7 }
    refusesAll(
      [
        [
          both,
          'invalid_parameter_combination',
          'max_tokens',
          "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
        ],
      ],
      [live],
    )
    const input = passes(both)
    expect(input.max_completion_tokens).toBe(7)
    expect(Object.keys(input)).not.toContain('max_tokens')
    expect(both.max_tokens).toBe(5)
    expect(passes({ max_tokens: 5, max_completion_tokens: null }).max_tokens).toBe(5)
  })

  it('takes top_logprobs only with logprobs', () => {
    for (const logprobs of [undefined, false]) {
      refusesAll(
        [
          [
            { top_logprobs: 2, logprobs },
            null,
            'top_logprobs',
            "The 'top_logprobs' parameter is only allowed when 'logprobs' is enabled.",
          ],
        ],
        [live],
      )
    }
    expect(passes({ top_logprobs: 2 }).top_logprobs).toBe(2)
    expect(passes({ top_logprobs: 2, logprobs: true }, live).top_logprobs).toBe(2)
  })

  it('takes json_object only where the messages speak of JSON', () => {
    const response_format = { type: 'json_object' }
    refusesAll(
      [
        [
          { response_format },
          null,
          'messages',
          "'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.",
        ],
      ],
      [live],
    )
    expect(passes({ response_format }).response_format).toBe(response_format)
    for (const content of [
      'as JSON',
      [
        { type: 'text', text: 'x' },
        { type: 'text', text: 'jSoN!' },
      ],
    ]) {
      expect(
        passes({ response_format, messages: [...hello, { role: 'user', content }] }, live).messages,
      ).toHaveLength(2)
    }
  })

  it('takes audio answers only with their format', () => {
    expect(refuses({ modalities: ['text', 'audio'] }, live)).toMatchObject({
      code: 'missing_required_parameter',
      param: 'audio',
    })
    passes({ modalities: ['text', 'audio'], audio: { voice: 'v', format: 'wav' } }, live)
  })

  describe('strict schemas', () => {
    const format = (value: object) => ({
      response_format: { type: 'json_schema', json_schema: { name: 'x', schema: value, strict: true } },
    })
    const closed = { additionalProperties: false }
    const text = (context: string) =>
      `Invalid schema for response_format 'x': In context=${context}, 'additionalProperties' is required to be supplied and to be false.`

    it.each([
      ['an open object', { type: 'object', properties: {} }, text('()')],
      [
        'an object that is said to be open',
        { type: ['object', 'null'], additionalProperties: true },
        text('()'),
      ],
      [
        'an open object in a property',
        { type: 'object', ...closed, required: ['a'], properties: { a: { type: 'object' } } },
        text("('properties', 'a')"),
      ],
      ['an open object in a list', { type: 'array', items: { type: 'object' } }, text("('items')")],
      ['an open alternative', { anyOf: [{ type: 'string' }, { type: 'object' }] }, text("('anyOf', '1')")],
      ['an open definition', { $defs: { a: { type: 'object' } } }, text("('$defs', 'a')")],
      [
        'an optional property',
        { type: 'object', ...closed, properties: { a: {}, b: {} }, required: ['a'] },
        "Invalid schema for response_format 'x': In context=(), 'required' is required to be supplied and to be an array including every key in properties. Missing 'b'.",
      ],
    ])('refuses %s', (_, value, message) => {
      refusesAll([[format(value), null, 'response_format', message]], [live])
      passes(format(value))
    })

    it('refuses it in a tool too', () => {
      const given = (strictness: boolean) => ({
        tools: [
          { type: 'function', function: { name: 'f', strict: strictness, parameters: { type: 'object' } } },
        ],
      })
      const error = refuses(given(true), live)
      expect(error).toMatchObject({ code: null, param: 'tools[0].function.parameters' })
      expect(error.message).toMatch(
        /^Invalid schema for function 'f': In context=\(\), 'additionalProperties'/,
      )
      passes(given(false), live)
    })

    it('takes a closed one', () => {
      passes(
        format({
          type: 'object',
          ...closed,
          required: ['a'],
          properties: { a: { type: 'array', items: { type: 'string' } } },
        }),
        live,
      )
    })
  })
})

describe('what the models can do', () => {
  const image = {
    messages: [
      {
        role: 'user',
        content: [
          { type: 'text', text: 'x' },
          { type: 'image_url', image_url: { url: 'https://x' } },
        ],
      },
    ],
  }
  const textOnly = target({ input: [] })
  const images = target({ input: ['image'] })
  const unknown = target()

  it('C59 refuses a part that no target takes', () => {
    for (const rules of profiles) {
      const error = refusalOf({ ...base, ...image }, rules, [textOnly])
      expect(error).toMatchObject({
        status: 400,
        code: 'invalid_value',
        param: 'messages[0].content[1].type',
      })
      expect(error.message).toBe(
        "Invalid value: 'image_url' is not supported with this model. Supported values are: 'text'.",
      )
      const file = { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'f' } }] }] }
      expect(refusalOf({ ...base, ...file }, rules, [images]).message).toContain(
        "Supported values are: 'text' and 'image_url'.",
      )
    }
  })

  it('C59 keeps the targets that take it, in their order', () => {
    for (const rules of profiles) {
      expect(check({ ...base, ...image }, rules, [textOnly, images, unknown]).targets).toEqual([
        images,
        unknown,
      ])
      expect(check(base, rules, [textOnly, images]).targets).toEqual([textOnly, images])
    }
    const plain = [unknown, unknown]
    expect(check({ ...base, ...image }, schema, plain).targets).toBe(plain)
  })

  it('C66 bounds n by the model', () => {
    const eight = target({ maxChoices: 8 })
    const error = refusalOf({ ...base, n: 9 }, schema, [eight])
    expect(error).toMatchObject({ code: 'integer_above_max_value', param: 'n' })
    expect(error.message).toBe(
      "Invalid 'n': integer above maximum value. Expected a value <= 8, but got 9 instead.",
    )
    expect(check({ ...base, n: 9 }, schema, [eight, unknown]).targets).toEqual([unknown])
    expect(check({ ...base, n: 8 }, schema, [eight]).targets).toEqual([eight])
  })

  it('C118 refuses max_tokens for reasoning models in the live profile only', () => {
    const reasoning = [target({ reasoning: true })]
    const error = refusalOf({ ...base, max_tokens: 5 }, live, reasoning)
    expect(error).toMatchObject({ status: 400, code: 'unsupported_parameter', param: 'max_tokens' })
    expect(error.message).toBe(
      "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
    )
    expect(check({ ...base, max_tokens: 5 }, schema, reasoning).input.max_tokens).toBe(5)
    expect(
      check({ ...base, max_completion_tokens: 5, reasoning_effort: 'low' }, live, reasoning).targets).toEqual(reasoning)
  })

  it('[L] refuses what reasoning models have fixed, and reasoning_effort for others', () => {
    const reasoning = [target({ reasoning: true })]
    expect(refusalOf({ ...base, temperature: 0.5 }, live, reasoning)).toMatchObject({
      code: 'unsupported_value',
      param: 'temperature',
      message:
        "Unsupported value: 'temperature' does not support 0.5 with this model. Only the default (1) value is supported.",
    })
    check({ ...base, temperature: 1, top_p: 1, presence_penalty: 0 }, live, reasoning)
    check({ ...base, temperature: 0.5 }, schema, reasoning)
    const effort = { ...base, reasoning_effort: 'low' }
    expect(refusalOf(effort, live, [target({ reasoning: false })])).toMatchObject({
      code: 'unsupported_parameter',
      param: 'reasoning_effort',
    })
    check(effort, schema, [target({ reasoning: false })])
    check(effort, live, [target({ input: [] })])
  })

  it('can be asked by itself', () => {
    const { input } = check({ ...base, ...image })
    expect(capableTargets(input, [textOnly, images], 'schema')).toEqual([images])
  })
})

describe('hostile requests', () => {
  const json = fc.letrec(tie => ({
    value: fc.oneof(
      { depthSize: 'small' },
      fc.constantFrom<unknown>(null, true, 0, -1, 1.5, '', 'user', 'text', 'function', 'json_schema', 'x'),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(
        fc.constantFrom(
          'role',
          'content',
          'type',
          'text',
          'function',
          'name',
          'image_url',
          'url',
          'json_schema',
          'tool_calls',
          'id',
          '__proto__',
          'constructor',
        ),
        tie('value'),
        { maxKeys: 5 },
      ),
    ),
  })).value
  const names = [
    'messages',
    'tools',
    'tool_choice',
    'functions',
    'function_call',
    'stop',
    'metadata',
    'logit_bias',
    'response_format',
    'audio',
    'prediction',
    'modalities',
    'web_search_options',
    'stream_options',
    'moderation',
    'temperature',
    'max_tokens',
    'n',
    'x',
  ]

  it('throws nothing but GatewayError, whatever the body', () => {
    const rules = fc.constantFrom(schema, live, strict)
    const targets = fc.constantFrom([target()], [target({ input: [], reasoning: true, maxChoices: 1 })])
    const message = fc.oneof(
      json,
      fc.record(
        { role: fc.constantFrom('user', 'assistant', 'tool', 'system', 'function'), content: json },
        { requiredKeys: [] },
      ),
    )
    const body = fc.tuple(
      fc.dictionary(fc.constantFrom(...names), json),
      fc.option(fc.array(message, { maxLength: 4 })),
    )
    fc.assert(
      fc.property(body, rules, targets, ([fields, messages], profile, places) => {
        const given = messages === null ? fields : { ...fields, messages }
        try {
          expect(check({ model: 'm', ...given }, profile, places).targets.length).toBeGreaterThan(0)
        } catch (error) {
          expect(error).toBeInstanceOf(GatewayError)
          expect((error as GatewayError).status).toBe(400)
          expect(JSON.stringify((error as GatewayError).toBody()).length).toBeLessThan(4096)
        }
      }),
      { numRuns: 3000 },
    )
  })

  it('passes every valid request, and hands it on as it came', () => {
    const optional = <T>(value: fc.Arbitrary<T>) => fc.option(value)
    const text = fc.string()
    const part = fc.oneof(
      fc.record({ type: fc.constant('text'), text }),
      fc.record({ type: fc.constant('image_url'), image_url: fc.record({ url: fc.webUrl() }) }),
    )
    const message = fc.oneof(
      fc.record({ role: fc.constantFrom('system', 'developer'), content: text }),
      fc.record({ role: fc.constant('user'), content: fc.oneof(text, fc.array(part)) }),
      fc.record({
        role: fc.constant('assistant'),
        content: fc.oneof(text, fc.array(fc.record({ type: fc.constant('text'), text }))),
      }),
    )
    const valid = fc.record(
      {
        messages: fc.array(message, { minLength: 1, maxLength: 5 }),
        temperature: optional(fc.double({ min: 0, max: 2, noNaN: true })),
        top_p: optional(fc.double({ min: 0, max: 1, noNaN: true })),
        n: optional(fc.integer({ min: 1, max: 128 })),
        max_tokens: optional(fc.integer({ min: 1 })),
        seed: optional(fc.maxSafeInteger()),
        stop: optional(fc.oneof(text, fc.array(text, { minLength: 1, maxLength: 4 }))),
        stream: optional(fc.boolean()),
        metadata: optional(fc.dictionary(fc.string({ maxLength: 64 }), text, { maxKeys: 16 })),
        logit_bias: optional(fc.dictionary(fc.nat().map(String), fc.integer({ min: -100, max: 100 }))),
        reasoning_effort: optional(
          fc.constantFrom('none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'),
        ),
        tools: optional(
          fc.array(
            fc.record({
              type: fc.constant('function'),
              function: fc.record({
                name: fc.stringMatching(/^[a-zA-Z0-9_-]{1,64}$/),
                parameters: fc.dictionary(text, fc.jsonValue()),
              }),
            }),
            { minLength: 1, maxLength: 4 },
          ),
        ),
        vendor_extra: fc.jsonValue(),
      },
      { requiredKeys: ['messages'] },
    )
    fc.assert(
      fc.property(valid, fc.constantFrom(...profiles), (given, rules) => {
        const body = { model: 'm', ...given }
        const { input } = check(body, rules)
        expect({ ...input }).toEqual(
          Object.fromEntries(Object.entries(body).filter(([, value]) => value !== null)),
        )
        expect(input.messages).toBe(body.messages)
      }),
      { numRuns: 500 },
    )
  })

  const many = <T>(count: number, item: T) => Array.from({ length: count }, () => item)
  it.each([
    ['messages', { messages: many(99_000, 7) }],
    ['broken parts', { messages: [{ role: 'user', content: many(99_000, {}) }] }],
    ['stop strings', { stop: many(99_000, 'x') }],
    ['tools', { tools: many(99_000, {}) }],
    ['metadata', { metadata: Object.fromEntries(many(99_000, 'x').map((value, i) => [`k${i}`, value])) }],
    ['biases', { logit_bias: Object.fromEntries(many(99_000, 'x').map((value, i) => [`${i}`, value])) }],
    ['tool calls', { messages: [{ role: 'assistant', content: '', tool_calls: many(30_000, { id: 'x' }) }] }],
    ['a long string', { stop: [1], user: 'x'.repeat(25_000_000), safety_identifier: 'x'.repeat(25_000_000) }],
    ['a long name', { tools: [{ type: 'function', function: { name: 'x'.repeat(25_000_000) } }] }],
    ['a long role', { messages: [{ role: 'x'.repeat(25_000_000), content: '' }] }],
  ])('F21 refuses many or long %s without much work', (_, given) => {
    refuses({ temperature: 3 })
    const start = performance.now()
    const error = refuses(given)
    expect(performance.now() - start).toBeLessThan(150)
    expect(JSON.stringify(error.toBody()).length).toBeLessThan(600)
  })
})

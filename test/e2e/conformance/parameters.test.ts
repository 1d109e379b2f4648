import { expect, it } from 'vitest'
import { type ExpectedError, expectError } from './expect-error.ts'
import { overMounts } from './over-mounts.ts'
import { testGateway } from './test-gateway.ts'

const tool = (name: string) => ({ type: 'function', function: { name } })
const schema = { type: 'json_schema', json_schema: { name: 'answer', schema: { type: 'object' } } }
const pairs = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, 'v']))

/** Requests that are refused: their number, the fields, and what the refusal says. */
const refused: [string, object, ExpectedError][] = [
  ['C60', { temperature: 2.1 }, { code: 'decimal_above_max_value', param: 'temperature' }],
  ['C60', { temperature: -0.1 }, { code: 'decimal_below_min_value', param: 'temperature' }],
  [
    'C60',
    { temperature: 3 },
    {
      message:
        "Invalid 'temperature': decimal above maximum value. Expected a value <= 2, but got 3 instead.",
    },
  ],
  [
    'C61',
    { temperature: 'hot' },
    {
      code: 'invalid_type',
      param: 'temperature',
      message: "Invalid type for 'temperature': expected a decimal, but got a string instead.",
    },
  ],
  ['C62', { top_p: 1.1 }, { code: 'decimal_above_max_value', param: 'top_p' }],
  ['C62', { top_p: -0.1 }, { code: 'decimal_below_min_value', param: 'top_p' }],
  ['C63', { max_tokens: '5' }, { code: 'invalid_type', param: 'max_tokens' }],
  ['C63', { max_tokens: 1.5 }, { code: 'invalid_type', param: 'max_tokens' }],
  ['C63', { max_tokens: -1 }, { code: 'integer_below_min_value', param: 'max_tokens' }],
  ['C63', { max_completion_tokens: -1 }, { code: 'integer_below_min_value', param: 'max_completion_tokens' }],
  [
    'C65',
    { stream: 'yes' },
    {
      code: 'invalid_type',
      param: 'stream',
      message: "Invalid type for 'stream': expected a boolean, but got a string instead.",
    },
  ],
  ['C66', { n: 0 }, { code: 'integer_below_min_value', param: 'n' }],
  ['C66', { n: 129 }, { code: 'integer_above_max_value', param: 'n' }],
  [
    'C67',
    { stop: ['a', 'b', 'c', 'd', 'e'] },
    {
      code: 'array_above_max_length',
      param: 'stop',
      message:
        "Invalid 'stop': array too long. Expected an array with maximum length 4, but got an array with length 5 instead.",
    },
  ],
  [
    'C68',
    { tools: Array.from({ length: 129 }, (_, at) => tool(`f${at}`)) },
    { code: 'array_above_max_length', param: 'tools' },
  ],
  [
    'C69',
    { tools: [tool('a b')] },
    {
      code: 'invalid_value',
      param: 'tools[0].function.name',
      message:
        "Invalid 'tools[0].function.name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
    },
  ],
  [
    'C69',
    { tools: [tool('a'.repeat(65))] },
    { code: 'string_above_max_length', param: 'tools[0].function.name' },
  ],
  [
    'C70',
    { tools: [{ type: 'function' }] },
    { code: 'missing_required_parameter', param: 'tools[0].function' },
  ],
  ['C71', { tools: [tool('f')], tool_choice: 'bogus' }, { code: 'invalid_value', param: 'tool_choice' }],
  [
    'C72',
    { response_format: { type: 'json_schema' } },
    { code: 'missing_required_parameter', param: 'response_format.json_schema' },
  ],
  ['C73', { metadata: pairs(17) }, { code: 'object_above_max_properties', param: 'metadata' }],
  ['C73', { metadata: { ['k'.repeat(65)]: 'v' } }, { code: 'property_name_above_max_length' }],
  ['C73', { metadata: { k: 'v'.repeat(513) } }, { code: 'string_above_max_length', param: 'metadata.k' }],
  ['C73', { metadata: { k: 7 } }, { code: 'invalid_type', param: 'metadata.k' }],
  ['C74', { presence_penalty: 2.1 }, { code: 'decimal_above_max_value', param: 'presence_penalty' }],
  ['C74', { frequency_penalty: -2.1 }, { code: 'decimal_below_min_value', param: 'frequency_penalty' }],
  ['C75', { logprobs: true, top_logprobs: 21 }, { code: 'integer_above_max_value', param: 'top_logprobs' }],
]

/** Requests that are answered. */
const taken: [string, object][] = [
  ['C60', { temperature: 0 }],
  ['C60', { temperature: 2 }],
  ['C62', { top_p: 0 }],
  ['C62', { top_p: 1 }],
  ['C66', { n: 128, max_tokens: 1 }],
  ['C67', { stop: ['a1', 'b2', 'c3', 'd4'] }],
  ['C68', { tools: Array.from({ length: 128 }, (_, at) => tool(`f${at}`)), tool_choice: 'none' }],
  ['C69', { tools: [tool('a-B_9'.padEnd(64, 'x'))], tool_choice: 'none' }],
  ['C72', { response_format: schema }],
  ['C73', { metadata: { ...pairs(15), ['k'.repeat(64)]: 'v'.repeat(512) } }],
  ['C74', { presence_penalty: 2, frequency_penalty: -2 }],
  ['C75', { logprobs: true, top_logprobs: 20 }],
]

/** A fault for each field, in the order in which they are reported (section 4.3). */
const inOrder: readonly [param: string, fault: unknown][] = [
  ['messages', 'x'],
  ['functions', 'x'],
  ['tools', 'x'],
  ['parallel_tool_calls', 'x'],
  ['max_completion_tokens', 'x'],
  ['n', 'x'],
  ['temperature', 'x'],
  ['top_p', 'x'],
  ['presence_penalty', 'x'],
  ['frequency_penalty', 'x'],
  ['logprobs', 'x'],
  ['top_logprobs', 'x'],
  ['user', 7],
  ['seed', 'x'],
  ['safety_identifier', 7],
  ['prompt_cache_key', 7],
  ['service_tier', 7],
  ['stream', 'x'],
  ['store', 'x'],
  ['metadata', 'x'],
  ['verbosity', 7],
]

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

const short = (value: unknown) => JSON.stringify(value).slice(0, 60)

overMounts(testGateway, site => {
  it.each(refused.map(([number, fields, expected]) => [number, short(fields), fields, expected] as const))(
    '%s refuses %s',
    async (_number, _fields, fields, expected) => {
      expectError(await site.chat(fields), 400, expected)
    },
  )

  it.each(taken.map(([number, fields]) => [number, short(fields), fields] as const))(
    '%s takes %s',
    async (_number, _fields, fields) => {
      const answer = await site.chat(fields)
      expect(answer.status, answer.body).toBe(200)
    },
  )

  it.each(optional)('C76 takes null for %s', async field => {
    const answer = await site.chat({ [field]: null })
    expect(answer.status, answer.body).toBe(200)
    expect(answer.json).toMatchObject({ object: 'chat.completion' })
  })

  it('C79 reports one fault of two, in the order of the checks', async () => {
    for (const [at, [later, laterFault]] of inOrder.entries()) {
      const [param, fault] = inOrder[at - 1] ?? ['model', 7]
      const answer = await site.chat({ [later]: laterFault, [param]: fault })
      expect(answer.json, `${param} and ${later}`).toMatchObject({ error: { param } })
    }
  })

  it('C79 reports one fault of all', async () => {
    const answer = await site.chat(Object.fromEntries([...inOrder].reverse()))
    expectError(answer, 400, { param: 'messages' })
  })
})

import { describe, expect, it } from 'vitest'
import {
  invalidType,
  live,
  longText,
  missing,
  passes,
  refuses,
  refusesAll,
} from '../../../test/validate-cases.ts'

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

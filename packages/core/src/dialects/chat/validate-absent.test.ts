import { describe, expect, it } from 'vitest'
import {
  base,
  check,
  errorFrom,
  live,
  longText,
  passes,
  profiles,
  refuses,
  refusesAll,
  strict,
} from '../../../test/validate-cases.ts'
import { parseJson } from '../../protocol/json.ts'

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
    const body = parseJson(new TextEncoder().encode(text), {
      maxDepth: 64,
      maxElements: 100,
      maxMembers: 100,
    })
    const input = check(body as object).request.chat()
    expect(input.stream).toBeUndefined()
    expect(JSON.parse(JSON.stringify(input))).toEqual(JSON.parse(text))
    expect('stream' in {}).toBe(false)
    expect(errorFrom(body as object, strict).param).toBe('__proto__')
  })
})

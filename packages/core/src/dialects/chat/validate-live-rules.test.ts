import { describe, expect, it } from 'vitest'
import { hello, live, passes, refuses, refusesAll } from '../../../test/validate-cases.ts'

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

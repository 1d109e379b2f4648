import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { ReadRules } from '../../contracts/dialect.ts'
import { GatewayError } from '../../errors/errors.ts'
import type { JsonObject } from '../../protocol/chat.ts'
import { embeddingsDialect } from './dialect.ts'

const lenient: ReadRules = { profile: 'schema', unknownParameters: 'pass' }

function read(body: object, rules = lenient) {
  const { name, operation, outline } = embeddingsDialect
  const given = body as JsonObject
  const draft = { dialect: name, operation, model: 'm', body: given, bytes: 9, outline: outline(given, 9) }
  return embeddingsDialect.read(draft, rules)
}

/** The code, field and message of a refusal. */
function refused(body: object, rules?: ReadRules) {
  try {
    read(body, rules)
  } catch (error) {
    if (GatewayError.is(error)) return [error.code, error.param, error.message]
    throw error
  }
  throw new Error('It was not refused.')
}

describe('the inputs of a request for embeddings', () => {
  it.each([
    ['a text', 'Hello', ['Hello']],
    ['one text', ['Hello'], ['Hello']],
    ['texts', ['Hello', ' '], ['Hello', ' ']],
    ['token ids, which are one input', [0, 15_496], [[0, 15_496]]],
    ['lists of token ids', [[1], [2, 3]], [[1], [2, 3]]],
  ])('may be %s', (_, input, inputs) => {
    expect(read({ model: 'm', input }).inputs).toEqual(inputs)
  })

  it('may be 2,048, and a list of token ids may be longer', () => {
    expect(read({ input: Array(2_048).fill('a') }).inputs).toHaveLength(2_048)
    expect(read({ input: Array(5_000).fill(7) }).inputs).toHaveLength(1)
    const tooMany = (length: number) => [
      'array_above_max_length',
      'input',
      `Invalid 'input': array too long. Expected an array with maximum length 2048, but got an array with length ${length} instead.`,
    ]
    expect(refused({ input: Array(2_049).fill('a') })).toEqual(tooMany(2_049))
    expect(refused({ input: Array(3_000).fill([1]) })).toEqual(tooMany(3_000))
  })

  const missing = ['missing_required_parameter', 'input', "Missing required parameter: 'input'."]
  const wrong = (at: string, expected: string, got: string) => [
    'invalid_type',
    at,
    `Invalid type for '${at}': expected ${expected}, but got ${got} instead.`,
  ]
  const emptyArray = (at: string) => [
    'empty_array',
    at,
    `Invalid '${at}': empty array. Expected an array with minimum length 1, but got an empty array instead.`,
  ]
  const emptyString = (at: string) => [
    'empty_string',
    at,
    `Invalid '${at}': empty string. Expected a string with minimum length 1, but got an empty string instead.`,
  ]
  it.each([
    ['absent', {}, missing],
    ['undefined', { input: undefined }, missing],
    ['null', { input: null }, wrong('input', 'one of a string or array', 'null')],
    ['a number', { input: 7 }, wrong('input', 'one of a string or array', 'an integer')],
    ['an object', { input: { text: 'a' } }, wrong('input', 'one of a string or array', 'an object')],
    ['an empty text', { input: '' }, emptyString('input')],
    ['an empty list', { input: [] }, emptyArray('input')],
    ['texts with an empty one', { input: ['a', ''] }, emptyString('input[1]')],
    ['lists with an empty one', { input: [[1], []] }, emptyArray('input[1]')],
    [
      'a list of null',
      { input: [null] },
      wrong('input[0]', 'one of a string, integer or array of integers', 'null'),
    ],
    ['a text and a number', { input: ['a', 1] }, wrong('input[1]', 'a string', 'an integer')],
    ['a number and a text', { input: [1, 'a'] }, wrong('input[1]', 'an integer', 'a string')],
    ['a list and a text', { input: [[1], 'a'] }, wrong('input[1]', 'an array of integers', 'a string')],
    ['part of a token', { input: [[1, 2.5]] }, wrong('input[0][1]', 'an integer', 'a decimal number')],
    [
      'a token below 0',
      { input: [1, -1] },
      [
        'integer_below_min_value',
        'input[1]',
        "Invalid 'input[1]': integer below minimum value. Expected a value >= 0, but got -1 instead.",
      ],
    ],
  ])('are refused if %s', (_, body, expected) => {
    expect(refused(body)).toEqual(expected)
  })
})

describe('the other fields of a request for embeddings', () => {
  it('have the defaults of the protocol, also where they are null', () => {
    const nulls = { encoding_format: null, dimensions: null, user: null, input_type: null }
    for (const more of [{}, nulls]) {
      expect(read({ model: 'm', input: 'a', ...more })).toMatchObject({
        dialect: 'embeddings',
        model: 'm',
        encoding: 'float',
        dimensions: undefined,
        user: undefined,
        extra: undefined,
      })
    }
  })

  it('are read, and unknown ones are kept for vendors that know them', () => {
    const body = {
      model: 'm',
      input: 'a',
      encoding_format: 'base64',
      dimensions: 256,
      user: 'eve',
      input_type: 'search_query',
      task: { any: ['thing'] },
      none: null,
    }
    expect(read(body)).toMatchObject({ encoding: 'base64', dimensions: 256, user: 'eve', body })
    expect(read(body).extra).toEqual({ input_type: 'search_query', task: { any: ['thing'] } })
    expect(refused(body, { ...lenient, unknownParameters: 'reject' })).toEqual([
      'unknown_parameter',
      'input_type',
      "Unknown parameter: 'input_type'.",
    ])
  })

  it.each([
    [{ dimensions: -1 }, [null, null, "-1 is less than the minimum of 1 - 'dimensions'"]],
    [{ dimensions: 0 }, [null, null, "0 is less than the minimum of 1 - 'dimensions'"]],
    [
      { dimensions: 1.5 },
      [
        'invalid_type',
        'dimensions',
        "Invalid type for 'dimensions': expected an integer, but got a decimal number instead.",
      ],
    ],
    [
      { encoding_format: 'int8' },
      [
        'invalid_value',
        'encoding_format',
        "Invalid value: 'int8'. Supported values are: 'float' and 'base64'.",
      ],
    ],
    [
      { user: 7 },
      ['invalid_type', 'user', "Invalid type for 'user': expected a string, but got an integer instead."],
    ],
  ])('are refused where they are invalid: %j', (fields, expected) => {
    expect(refused({ input: 'a', ...fields })).toEqual(expected)
  })

  it('keep a name of a prototype as any other', () => {
    const { extra } = read(JSON.parse('{"input":"a","__proto__":{"polluted":true},"constructor":1}'))
    expect(Object.keys(extra!)).toEqual(['__proto__', 'constructor'])
    expect(JSON.stringify(extra)).toBe('{"__proto__":{"polluted":true},"constructor":1}')
    expect(({} as { polluted?: boolean }).polluted).toBeUndefined()
  })

  it('are refused with a GatewayError, or read, whatever they are', () => {
    const names = fc.constantFrom('input', 'encoding_format', 'dimensions', 'user', '__proto__', 'x')
    fc.assert(
      fc.property(fc.dictionary(names, fc.jsonValue()), fc.jsonValue(), (fields, input) => {
        try {
          const { inputs, dimensions = 1 } = read({ ...fields, input })
          expect(inputs.length).toBeGreaterThan(0)
          expect(dimensions).toBeGreaterThan(0)
        } catch (error) {
          if (!GatewayError.is(error)) throw error
          expect(error.status).toBe(400)
        }
      }),
      { numRuns: 500 },
    )
  })
})

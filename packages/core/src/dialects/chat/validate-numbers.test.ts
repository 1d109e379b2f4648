import { describe, expect, it } from 'vitest'
import { invalidType, live, passes, refuses, refusesAll } from '../../../test/validate-cases.ts'

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

  it('F20 tells a whole number beyond 2^53 as one', () => {
    refusesAll([
      [
        { max_tokens: 1e20 },
        'integer_above_max_value',
        'max_tokens',
        "Invalid 'max_tokens': integer above maximum value. Expected a value <= 9007199254740991, but got 100000000000000000000 instead.",
      ],
      [
        { seed: -1e20 },
        'integer_below_min_value',
        'seed',
        "Invalid 'seed': integer below minimum value. Expected a value >= -9007199254740991, but got -100000000000000000000 instead.",
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

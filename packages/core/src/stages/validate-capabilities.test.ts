import { describe, expect, it } from 'vitest'
import { base, check, live, profiles, refusalOf, schema, target } from '../../test/validate-cases.ts'
import { capableTargets } from './validate.ts'

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
      check({ ...base, max_completion_tokens: 5, reasoning_effort: 'low' }, live, reasoning).targets,
    ).toEqual(reasoning)
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

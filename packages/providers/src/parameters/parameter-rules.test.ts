import type { ChatRequest, UnsupportedParameters } from '@sluice/core/provider'
import { describe, expect, it } from 'vitest'
import { ParameterAdjuster } from './parameter-adjuster.ts'
import { applyRules, type ParameterName, type ParameterRules } from './parameter-rules.ts'

/** Everything passed, but for these. */
const rules = new Proxy({} as Record<ParameterName, { handling: 'passed' | 'dropped' | 'refused' }>, {
  get: (_, name) => ({ handling: name === 'seed' ? 'dropped' : name === 'n' ? 'refused' : 'passed' }),
  getOwnPropertyDescriptor: (_, name) =>
    name === 'made_up' ? undefined : { configurable: true, enumerable: true },
}) as ParameterRules

function applied(fields: object, mode?: UnsupportedParameters) {
  const adjuster = new ParameterAdjuster(mode)
  const input = { model: 'm', messages: [], ...fields } as ChatRequest
  applyRules(input, rules, ['top_k'], adjuster)
  return adjuster.list
}

describe('applyRules', () => {
  it('says nothing of what is passed, native or asks for nothing', () => {
    expect(applied({ stream: true, temperature: 1, top_k: 3, n: 1, seed: undefined })).toEqual([])
  })

  it('tells of hints that it leaves out, and of fields that nobody knows', () => {
    expect(applied({ seed: 1, made_up: { a: 1 } })).toEqual([
      { parameter: 'seed', action: 'dropped' },
      { parameter: 'made_up', action: 'dropped', detail: 'not known to this vendor' },
    ])
  })

  it('refuses what would change the answer, or leaves it out where the owner said so', () => {
    expect(() => applied({ n: 2 })).toThrow(
      expect.objectContaining({ status: 400, code: 'unsupported_parameter', param: 'n' }),
    )
    expect(applied({ n: 2 }, 'drop')).toEqual([{ parameter: 'n', action: 'dropped' }])
  })
})

describe('ParameterAdjuster', () => {
  it('refuses a value by what was got and what is taken, and never changes it', () => {
    const refuse = () =>
      new ParameterAdjuster().unsupportedValue('temperature', 1.5, 'Expected a value <= 1.')
    expect(refuse).toThrow(
      expect.objectContaining({
        code: 'unsupported_value',
        param: 'temperature',
        message:
          "Unsupported value: 'temperature' does not support 1.5 with this model. Expected a value <= 1.",
      }),
    )
    const lenient = new ParameterAdjuster('drop')
    lenient.unsupportedValue('temperature', 1.5, 'Expected a value <= 1.')
    lenient.map('reasoning_effort', 'thinking.budget_tokens=8192')
    lenient.fill('max_tokens', '8192')
    expect(lenient.list.map(({ action }) => action)).toEqual(['dropped', 'mapped', 'defaulted'])
  })
})

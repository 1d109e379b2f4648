import { describe, expect, it } from 'vitest'
import { ruleText } from './compiled-rules.ts'
import { budget, concurrent, limitRule, requests, tokens } from './rule.ts'

describe('rules', () => {
  it('are their data', () => {
    expect(JSON.parse(JSON.stringify(requests(60).per('minute')))).toEqual({
      kind: 'requests',
      limit: 60,
      per: 'minute',
    })
    expect({
      ...tokens(90_000).per('day').by('tag:team', 'model').forModels('large', 'test-*').dryRun(),
    }).toEqual({
      kind: 'tokens',
      limit: 90_000,
      per: 'day',
      scopes: ['tag:team', 'model'],
      models: ['large', 'test-*'],
      mode: 'dryRun',
    })
    expect({ ...concurrent(5) }).toEqual({ kind: 'concurrent', limit: 5 })
    expect({ ...budget(0.5, 'usd').per('ever') }).toEqual({
      kind: 'budget',
      limit: 0.5,
      currency: 'usd',
      per: 'ever',
    })
  })

  it('name the operations that they apply to', () => {
    const rule = requests(60).per('minute').forOperations('embed', 'countTokens')
    expect({ ...rule }).toEqual({
      kind: 'requests',
      limit: 60,
      per: 'minute',
      operations: ['embed', 'countTokens'],
    })
    expect(ruleText(rule)).toBe("requests(60).per('minute').forOperations('embed', 'countTokens')")
    expect({ ...limitRule(JSON.parse(JSON.stringify(rule))) }).toEqual({ ...rule })
    const wrong = "list, expected some of 'generate', 'embed', 'countTokens'"
    for (const operations of [[], ['chat'], ['embed', null]]) {
      expect(() => limitRule({ ...rule, operations: operations as never })).toThrow(wrong)
    }
    expect(() => limitRule({ ...rule, operations: 'embed' as never })).toThrow("operations: got 'embed'")
  })

  it('of a budget say what becomes of models without a price', () => {
    const rule = budget(1, 'usd').per('day').allowUnpriced()
    expect({ ...rule }).toEqual({
      kind: 'budget',
      limit: 1,
      currency: 'usd',
      per: 'day',
      unpriced: 'allow',
    })
    expect(ruleText(rule)).toBe("budget(1, 'usd').per('day').allowUnpriced()")
    expect({ ...limitRule({ ...rule, unpriced: 'refuse' }) }).toEqual({ ...budget(1, 'usd').per('day') })
    expect(() => requests(1).per('day').allowUnpriced()).toThrow(
      "requests(): unpriced: got 'allow', expected none: only a budget has it.",
    )
    expect(() => limitRule({ ...rule, unpriced: 'free' as never })).toThrow(
      "budget(): unpriced: got 'free', expected 'refuse' or 'allow'.",
    )
  })

  it('do not change: each method gives another one', () => {
    const rule = requests(60).per('minute')
    rule.by('gateway').dryRun()
    expect({ ...rule }).toEqual({ kind: 'requests', limit: 60, per: 'minute' })
    expect(Object.isFrozen(rule)).toBe(true)
  })

  it('keep nothing of the lists that they were given', () => {
    const models: [string] = ['m']
    const rule = limitRule({ kind: 'concurrent', limit: 1, models })
    models[0] = 'other'
    expect(rule.models).toEqual(['m'])
  })

  it('of plain data can be made more precise too', () => {
    const stored: unknown = JSON.parse(
      '{"kind":"budget","limit":5,"currency":"usd","per":"month","scopes":["tag:org"]}',
    )
    expect({ ...limitRule(stored as never).forModels('m') }).toEqual({ ...(stored as object), models: ['m'] })
  })

  it.each([
    [() => requests(0), /^requests\(\): limit: got 0, expected a whole number from 1 to 1,000,000,000/],
    [() => tokens(1.5), /^tokens\(\): limit: got 1.5/],
    [() => concurrent(Number.NaN), /^concurrent\(\): limit: got NaN/],
    [() => concurrent('5' as never), /^concurrent\(\): limit: got '5'/],
    [() => requests(1).per('week' as never), /requests\(\): per: got 'week', expected 'second', 'minute'/],
    [() => budget(0, 'usd'), /^budget\(\): limit: got 0, expected an amount above 0, at most 9,000,000/],
    [() => budget(Number.POSITIVE_INFINITY, 'usd'), /^budget\(\)/],
    [() => budget(1, 'eur' as never), /currency: got 'eur', expected 'usd'/],
    [
      () => budget(1, 'usd').per('minute' as never),
      /got 'minute', expected 'hour', 'day', 'week', 'month', 'ever'/,
    ],
    [
      () =>
        requests(1)
          .per('minute')
          .by('tag:' as never),
      /scopes: got a list, expected some of 'key'/,
    ],
    [
      () =>
        requests(1)
          .per('minute')
          .by('team' as never),
      /scopes: got/,
    ],
    [() => concurrent(1).by(...([] as unknown as ['key'])), /scopes: got/],
    [() => concurrent(1).forModels(''), /models: got a list/],
    [() => limitRule({ kind: 'concurrent', limit: 1, per: 'day' }), /per: got 'day', expected no window/],
    [() => limitRule({ kind: 'seats', limit: 1 } as never), /kind: got 'seats'/],
    [() => limitRule({ kind: 'requests', limit: 1 } as never), /got undefined, expected 'second'/],
    [() => limitRule({ kind: 'concurrent', limit: 1, mode: 'no' } as never), /mode: got 'no'/],
    [() => limitRule(null as never), /got null, expected a rule/],
    [() => limitRule('requests' as never), /got 'requests', expected a rule/],
  ])('say what is wrong: %s', (make, message) => {
    expect(make).toThrow(TypeError)
    expect(make).toThrow(message)
  })
})

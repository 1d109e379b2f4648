import { expect, it } from 'vitest'
import { budget, concurrent, requests } from './rule.ts'
import { ruleText } from './rule-text.ts'

it('writes a rule as its builders do', () => {
  expect([
    ruleText(requests(60).per('minute').asShadow()),
    ruleText(concurrent(5).by('gateway').forModels('large', 'test-*')),
    ruleText(budget(0.5, 'usd').per('day').by('tag:team', 'model')),
    ruleText(
      requests(1)
        .per('day')
        .by(({ id }) => id),
    ),
  ]).toEqual([
    "requests(60).per('minute')",
    "concurrent(5).by('gateway').forModels('large', 'test-*')",
    "budget(0.5, 'usd').per('day').by('tag:team', 'model')",
    "requests(1).per('day').by(function)",
  ])
})

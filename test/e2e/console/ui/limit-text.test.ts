import type { LimitRuleData } from '@sluice/core'
import { expect, it } from 'vitest'
import { limitText } from '../../../../packages/console/ui/keys/limit-text.ts'

it.each<[LimitRuleData, string]>([
  [{ kind: 'requests', limit: 60, per: 'minute' }, '60 requests a minute'],
  [{ kind: 'requests', limit: 1, per: 'minute' }, '1 request a minute'],
  [{ kind: 'tokens', limit: 1, per: 'hour' }, '1 token an hour'],
  [{ kind: 'concurrent', limit: 1 }, '1 concurrent'],
  [{ kind: 'budget', limit: 5, per: 'ever' }, '$5.00 in total'],
])('a limit is told in a few words: %o is %s', (rule, text) => {
  expect(limitText(rule)).toBe(text)
})

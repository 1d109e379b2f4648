import type { Explanation } from '@sluice/core'
import { expect, it } from 'vitest'
import { explanationText } from './explanation-text.ts'

it('shows the keys of a target that are in cooldown', () => {
  const explanation: Explanation = {
    ...{ principal: 'ann', authFailure: undefined, model: 'm', seed: 7, refusal: undefined },
    candidates: [
      {
        ...{ provider: 'acme', model: 'large' },
        skippedKeys: [
          { key: 'key 1', why: 'cooldown', waitMs: 28_100, detail: 'rate_limited' },
          { key: 'batch', why: 'cooldown', waitMs: 900 },
        ],
      },
      { provider: 'other', model: 'large' },
    ],
  }
  const lines = explanationText(explanation, 'none').split('\n')
  expect(lines.find(line => line.includes('acme/large'))).toMatch(
    /tried first; key 1 in cooldown \(rate_limited\), for another 29 s; batch in cooldown, for another 1 s$/,
  )
  expect(lines.find(line => line.includes('other/large'))).toMatch(/fallback$/)
})

it('shows which targets have no price', () => {
  const explanation: Explanation = {
    ...{ principal: 'ann', authFailure: undefined, model: 'm', seed: 7, refusal: undefined },
    candidates: [
      { provider: 'acme', model: 'large' },
      { provider: 'local', model: 'spare' },
    ],
  }
  const lines = explanationText(explanation, 'bundled', ['local/spare']).split('\n')
  expect(lines.find(line => line.includes('acme/large'))).toMatch(/tried first$/)
  expect(lines.find(line => line.includes('local/spare'))).toMatch(/fallback; no price$/)
})

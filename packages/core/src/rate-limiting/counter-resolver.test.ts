import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { chatDraft } from '../../test/support/chat-draft.ts'
import type { Operation } from '../contracts/outline.ts'
import { compileRules, keyOf } from './compiled-rules.ts'
import { CounterResolver } from './counter-resolver.ts'
import { EndUsersByWindow } from './end-users.ts'
import { concurrent, requests, tokens } from './rule.ts'

const draft = (model: string, operation: Operation = 'generate') => chatDraft({ model, operation, bytes: 10 })
const m = { entry: 'm' }
const users = new EndUsersByWindow(1_000, () => 0)
const caller = (id: string, team?: string) => ({ id, ...(team !== undefined && { tags: { team } }) })

describe('the counts of a caller', () => {
  it('are those that its request names, whoever came before, and however many', () => {
    const rules = compileRules(
      [
        requests(1).per('minute'),
        requests(2).per('minute').by('tag:team').forModels('a*'),
        tokens(3).per('minute').by('key', 'model'),
        concurrent(4).by('gateway'),
        requests(5).per('minute').forOperations('countTokens', 'embed'),
      ],
      'gateway',
      users,
    )
    const counts = new CounterResolver(rules)
    const who = fc.record({
      id: fc.oneof(fc.constantFrom('ann', 'bob', 'x'.repeat(201)), fc.string()),
      team: fc.constantFrom('red', 'blue', 'y'.repeat(201), undefined),
      model: fc.constantFrom('a', 'ab', 'b', 'c', 'd', 'e', 'f'),
      operation: fc.constantFrom('generate', 'embed', 'countTokens'),
      entry: fc.constantFrom('a', 'a*', '*', 'z'.repeat(201)),
    })
    fc.assert(
      fc.property(who, ({ id, team, model, operation, entry }) => {
        const keys = rules.map(rule => keyOf(rule, caller(id, team), draft(model, operation), entry))
        const given = counts.of(caller(id, team), draft(model, operation), { entry }).map(({ key }) => key)
        expect(given).toEqual(keys.filter(key => key !== undefined))
      }),
      { numRuns: 1_000 },
    )
    for (let at = 0; at < 10_010; at++) counts.of(caller(`id-${at}`), draft('m'), m)
    expect(counts.of(caller('id-0'), draft('m'), m)[0]?.key).toBe(
      keyOf(rules[0]!, caller('id-0'), draft('m'), 'm'),
    )
  })

  it('are worked out once for a caller and its tags', () => {
    const counts = new CounterResolver(
      compileRules([requests(1).per('minute').by('key', 'tag:team')], 'gateway', users),
    )
    const first = counts.of(caller('ann', 'red'), draft('m'), m)
    expect(counts.of(caller('ann', 'red'), draft('other'), m)).toBe(first)
    expect(counts.of(caller('ann', 'blue'), draft('m'), m)).not.toEqual(first)
    expect(counts.of(caller('ann'), draft('m'), m)).not.toEqual(first)
  })

  it('are worked out each time where a function names one', () => {
    const scope = vi.fn(() => 'name')
    const counts = new CounterResolver(compileRules([requests(1).per('minute').by(scope)], 'gateway', users))
    counts.of(caller('ann'), draft('m'), m)
    counts.of(caller('ann'), draft('m'), m)
    expect(scope).toHaveBeenCalledTimes(2)
  })
})

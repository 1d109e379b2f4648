import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { chatDraft } from '../../test/support/chat-draft.ts'
import type { Operation } from '../contracts/outline.ts'
import type { LimitRuleData, Principal } from '../contracts/principal.ts'
import { compileRules, keyOf, keyText, ruleText } from './compiled-rules.ts'
import { EndUsersByWindow } from './end-users.ts'
import { budget, concurrent, requests } from './rule.ts'

const users = new EndUsersByWindow(1_000, () => 0)
const draft = (model = 'm', operation?: Operation) =>
  chatDraft({ model, bytes: 10, ...(operation && { operation }) })
const key = (
  rule: Partial<LimitRuleData>,
  principal: Principal,
  model?: string,
  owner?: 'principal',
  operation: Operation = 'generate',
) => {
  const [planned] = compileRules(
    [{ kind: 'requests', limit: 1, per: 'minute', ...rule }],
    owner ?? 'gateway',
    users,
  )
  return planned && keyOf(planned, principal, draft(model, operation), model ?? 'm')
}
/** What separates, escapes and hides, in the ids of callers that want to be somebody else. */
const hostile = fc.string({
  unit: fc.oneof(
    fc.constantFrom(
      ...':=/,~#%{}|\\ \n\0-_.@',
      'a',
      'key',
      'tag',
      '~003a',
      'é',
      'e\u0301',
      '\ud83d',
      '\ude00',
      '\ud800',
    ),
    fc.string({ unit: 'binary', maxLength: 1 }),
  ),
  maxLength: 12,
})

describe('keyText', () => {
  it('keeps what is plain, and is plain text whatever it is given', () => {
    expect(keyText('ann-1_2@x.y')).toBe('ann-1_2@x.y')
    expect(keyText('')).toBe('')
    expect(keyText('a:b')).toBe('a~003ab')
    fc.assert(
      fc.property(hostile, text => {
        expect(keyText(text)).toMatch(/^[\w.@~-]*$/)
      }),
    )
  })

  it('is short however long the value is, and still its own', () => {
    const [a, b] = ['x'.repeat(10_000), `${'x'.repeat(9_999)}y`]
    expect(keyText(a)).toMatch(/^#[0-9a-f]{64}$/)
    expect(keyText(a)).not.toBe(keyText(b))
    expect(keyText('\ud800'.repeat(100))).not.toBe(keyText('\udfff'.repeat(100)))
  })
})

describe('the key of a count', () => {
  it('is never shared by two who differ in anything that their rule counts by', () => {
    const who = fc.record({
      id: hostile,
      model: hostile,
      team: fc.option(hostile, { nil: undefined }),
      named: hostile,
    })
    const scopes: LimitRuleData['scopes'] = ['key', 'model', 'tag:team', ({ tags }) => tags?.named ?? '']
    const keyFor = ({
      id,
      model,
      team,
      named,
    }: {
      id: string
      model: string
      team: string | undefined
      named: string
    }) => key({ scopes }, { id, tags: { named, ...(team === undefined ? {} : { team }) } }, model)
    fc.assert(
      fc.property(who, who, (a, b) => {
        const same = a.id === b.id && a.model === b.model && a.team === b.team && a.named === b.named
        expect(keyFor(a) === keyFor(b)).toBe(same)
      }),
      { numRuns: 1_000 },
    )
  })

  it('is never shared by a rule with other scopes, tags or patterns', () => {
    const tag = hostile.filter(name => name !== '')
    fc.assert(
      fc.property(tag, tag, hostile, (a, b, value) => {
        const tags = { [a]: value, [b]: value }
        const keyBy = (scopes: LimitRuleData['scopes']) => key({ scopes: scopes ?? [] }, { id: value, tags })
        expect(keyBy([`tag:${a}`]) === keyBy([`tag:${b}`])).toBe(a === b)
        expect(
          new Set([keyBy(['key']), keyBy(['model']), keyBy([`tag:${a}`]), keyBy(['gateway'])]).size,
        ).toBe(4)
        const [one, two, both] = [[`${a}*`], [`${b}*`], [`${a}*`, `${b}*`]].map(models =>
          key({ models: ['*', ...models] }, { id: value }),
        )
        expect(one === two).toBe(a === b)
        expect(one === both).toBe(a === b)
      }),
    )
  })

  it('is the same however the scopes and patterns are ordered', () => {
    const ann = { id: 'ann', tags: { team: 'a', org: 'o' } }
    expect(key({ scopes: ['key', 'tag:team', 'tag:org'] }, ann)).toBe(
      key({ scopes: ['tag:org', 'key', 'tag:team', 'key'] }, ann),
    )
    expect(key({ models: ['m', 'n*'] }, ann)).toBe(key({ models: ['n*', 'm', 'm'] }, ann))
    expect(key({ scopes: ['key', 'gateway'] }, ann)).toBe(key({ scopes: ['key'] }, ann))
  })

  it('holds the limit and window of a rate, and not the limit of what was spent or is held', () => {
    const ann = { id: 'ann' }
    expect(key({ limit: 2 }, ann)).not.toBe(key({ limit: 3 }, ann))
    expect(key({ per: 'hour' }, ann)).not.toBe(key({ per: 'day' }, ann))
    expect(key({ kind: 'tokens' }, ann)).not.toBe(key({}, ann))
    const budget = (limit: number, per: 'day' | 'month') =>
      key({ kind: 'budget', currency: 'usd', limit, per }, ann)
    expect(budget(2, 'day')).toBe(budget(3, 'day'))
    expect(budget(2, 'day')).not.toBe(budget(2, 'month'))
    const lease = (limit: number) => {
      const [rule] = compileRules([{ kind: 'concurrent', limit }], 'gateway', users)
      return rule && keyOf(rule, ann, draft(), 'm')
    }
    expect(lease(1)).toBe(lease(2))
  })

  it('is another one for a shadow', () => {
    expect(key({ mode: 'dryRun' }, { id: 'ann' })).not.toBe(key({}, { id: 'ann' }))
  })

  it('is one for all callers without a tag, and for none with it', () => {
    const by = (tags: Principal['tags'], id: string) =>
      key({ scopes: ['tag:team'] }, { id, ...(tags && { tags }) })
    expect(by(undefined, 'ann')).toBe(by({ other: 'x' }, 'bob'))
    expect(by(undefined, 'ann')).not.toBe(by({ team: '' }, 'bob'))
    expect(key({ scopes: ['tag:constructor'] }, { id: 'a', tags: {} })).toBe(
      key({ scopes: ['tag:constructor'] }, { id: 'b' }),
    )
  })

  it('is told apart by whose function named it', () => {
    const [scopeA, scopeB] = [() => 'x', () => 'x']
    const rules = [scopeA, scopeB].map(
      scope => ({ kind: 'requests', limit: 1, per: 'minute', scopes: [scope] }) as const,
    )
    const [a, b] = compileRules(rules, 'gateway', users).map(rule => keyOf(rule, { id: 'ann' }, draft(), 'm'))
    expect(a).not.toBe(b)
    expect(key({ scopes: [scopeA] }, { id: 'ann' }, 'm', 'principal')).not.toBe(a)
  })

  it('is that of all operations but counts of tokens together, unless the rule names operations', () => {
    const of = (operation: Operation, operations?: readonly Operation[]) =>
      key({ ...(operations && { operations }) }, { id: 'ann' }, 'm', undefined, operation)
    expect(of('generate')).toBeDefined()
    for (const other of ['embed', 'rerank', 'moderate', 'complete'] as const)
      expect(of(other)).toBe(of('generate'))
    expect(of('countTokens')).toBeUndefined()
    expect(of('generate', ['embed'])).toBeUndefined()
    expect(of('embed', ['embed'])).toBeDefined()
    expect(of('embed', ['embed'])).not.toBe(of('embed'))
    expect(of('countTokens', ['countTokens', 'embed'])).toBe(of('embed', ['embed', 'countTokens', 'embed']))
    // What is the default anyway counts on.
    const all = ['complete', 'moderate', 'rerank', 'embed', 'generate'] as const
    expect(of('generate', all)).toBe(of('generate'))
  })

  it('is none where the rule does not concern the request', () => {
    expect(key({ scopes: ['key', () => undefined] }, { id: 'ann' })).toBeUndefined()
    expect(key({ models: ['large', 'test-*'] }, { id: 'ann' }, 'small')).toBeUndefined()
    expect(key({ models: ['large', 'test-*'] }, { id: 'ann' }, 'test-9')).toBeDefined()
  })

  it.each<[string, () => unknown]>([
    ['null', () => null],
    ['a number', () => 1],
    ['true', () => true],
    ['an object', () => ({ id: 'x' })],
    ['a promise', async () => 'x'],
    ['a promise that fails', () => Promise.reject(new Error('down'))],
  ])('throws where a function names it by %s', (_, scope) => {
    expect(() => key({ scopes: [scope as never] }, { id: 'ann' })).toThrow(
      /^The scope of a limit returned .*, expected a string/,
    )
  })
})

it('writes a rule as its builders do', () => {
  expect([
    ruleText(requests(60).per('minute').dryRun()),
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

import { describe, expect, it } from 'vitest'
import { scripted, whole } from '../../test/support/scripted-gateway.ts'
import type { Target } from '../contracts/provider.ts'
import type { RoutedTarget } from '../contracts/route.ts'
import type { SkipReason } from '../contracts/trace.ts'
import { RoutingTrace } from './routing-trace.ts'

const place = (model: string): Target => ({ ...scripted(() => whole('Hi.')).target, model })
const [a, b, c] = [place('a'), place('b'), place('c')]
const notChosen: SkipReason = { why: 'not_chosen' }

function counted(random: () => number) {
  let draws = 0
  const log = new RoutingTrace(() => {
    draws++
    return random()
  })
  return { log, draws: () => draws }
}

describe('RoutingTrace', () => {
  it('draws one seed, when it is first needed, of all 32 bits', () => {
    const { log, draws } = counted(() => 1 - 2 ** -53)
    log.setTargets([a])
    log.summary()
    expect(draws()).toBe(0)
    log.random()
    log.random()
    expect([log.seed, draws()]).toEqual([0xffff_ffff, 1])
    expect(new RoutingTrace(() => 0).seed).toBe(0)
  })

  it('decides the same with the seed that it tells', () => {
    const { log } = counted(() => 0.123_456)
    const numbers = [log.random(), log.random(), log.random()]
    const again = new RoutingTrace(() => 0.9, log.seed)
    expect([again.random(), again.random(), again.random()]).toEqual(numbers)
    expect(again.seed).toBe(log.seed)
  })

  it('tells what the route gave, then what it did not, with the reasons', () => {
    const log = new RoutingTrace(() => 0)
    log.skip(c, notChosen)
    log.setTargets([{ ...a, via: ['small', 'smaller'] }, b, a])
    log.skip(b, { why: 'open', waitMs: 40 })
    log.skip(b, { why: 'cooldown', waitMs: 20, detail: 'x' })
    expect(log.summary()).toEqual({
      candidates: [
        { provider: 'scripted', model: 'a', via: 'small > smaller' },
        { provider: 'scripted', model: 'b', skipped: { why: 'cooldown', waitMs: 20, detail: 'x' } },
        { provider: 'scripted', model: 'a' },
        { provider: 'scripted', model: 'c', skipped: notChosen },
      ],
    })
  })

  it('tells of a place once, in the form in which it was given', () => {
    const log = new RoutingTrace(() => 0)
    log.skip(a, notChosen)
    const via = ['small']
    log.setTargets([
      { ...a, via, parameters: { temperature: 0 } },
      { ...b, via },
    ])
    const changed: RoutedTarget = { ...b, via, parameters: { max_completion_tokens: 5 } }
    log.skip(changed, { why: 'open', waitMs: 40 })
    expect(log.summary()).toEqual({
      candidates: [
        { provider: 'scripted', model: 'a', via: 'small' },
        { provider: 'scripted', model: 'b', via: 'small', skipped: { why: 'open', waitMs: 40 } },
      ],
    })
  })

  it('tells of 100 places and counts the others, also where they are many more', () => {
    const many = (count: number) => Array.from({ length: count }, (_, index) => place(`m${index}`))
    const log = new RoutingTrace(() => 0)
    for (const target of many(1_000)) log.skip(target, notChosen)
    log.setTargets(many(60))
    const { candidates, more } = log.summary()
    expect([candidates.length, more]).toEqual([100, 960])
    const given = new RoutingTrace(() => 0)
    given.setTargets(many(103))
    expect(given.summary()).toMatchObject({ candidates: { length: 100 }, more: 3 })
  })

  it('keeps texts short and on one line', () => {
    const log = new RoutingTrace(() => 0)
    log.setTargets([place('m'.repeat(1_000))])
    expect(log.summary().candidates[0]?.model).toHaveLength(203)
    const other = new RoutingTrace(() => 0)
    other.skip(b, { why: 'unfit', detail: `a\nb${'c'.repeat(500)}` })
    expect(other.summary().candidates[0]?.skipped?.detail).toMatch(/^a bc{197}\.\.\.$/)
  })

  it.each<[string, unknown, unknown]>([
    ['no target', { model: 'm' }, notChosen],
    ['nothing', undefined, notChosen],
    ['no reason', a, undefined],
    ['a reason without a word', a, { waitMs: 4 }],
    ['a text', a, 'not_chosen'],
  ])('refuses %s', (_, target, reason) => {
    expect(() => new RoutingTrace(() => 0).skip(target as Target, reason as SkipReason)).toThrow(TypeError)
  })
})

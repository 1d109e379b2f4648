import { describe, expect, it } from 'vitest'
import {
  a,
  b,
  c,
  candidatesOf,
  chance,
  d,
  draftOf,
  isLikely,
  modelsOf,
  watching,
} from '../../test/support/scripted-places.ts'
import { when } from './conditions.ts'
import { fallback } from './fallback.ts'
import { hedge } from './hedge.ts'
import { mirror } from './mirror.ts'
import { withParameters } from './with-parameters.ts'

describe('mirror', () => {
  it('has the shadow asked beside each place', () => {
    const route = mirror([a, b], c)
    expect(candidatesOf(route)).toEqual([
      { ...a, shadows: [c] },
      { ...b, shadows: [c] },
    ])
    expect(candidatesOf(route)).toBe(candidatesOf(route))
    expect(route.targets()).toEqual([a, b, c])
    expect(candidatesOf(mirror(mirror(a, b), c))).toEqual([{ ...a, shadows: [b, c] }])
    expect(candidatesOf(mirror(a, fallback(b, c)))).toEqual([{ ...a, shadows: [b] }])
  })

  it('has it asked for a share of the requests', () => {
    const { context } = watching({ random: chance(8) })
    const route = mirror(a, b, { share: 0.2 })
    let shadowed = 0
    for (let at = 0; at < 10_000; at++) if (candidatesOf(route, context)[0]!.shadows !== undefined) shadowed++
    expect(isLikely(shadowed, 10_000, 0.2)).toBe(true)
  })

  it('has no place as its own shadow, unless it is asked otherwise', () => {
    expect(candidatesOf(mirror([a, b], a))).toEqual([a, { ...b, shadows: [a] }])
    expect(candidatesOf(mirror(a, withParameters(a, { temperature: 0 })))).toEqual([
      { ...a, shadows: [{ ...a, parameters: { temperature: 0 } }] },
    ])
  })

  it('says of the shadow only how it is asked', () => {
    expect(candidatesOf(mirror(a, hedge(b, c, { afterMs: 5 })))).toEqual([{ ...a, shadows: [b] }])
  })

  it.each([
    [[a, b, { share: 0 }], /share: got 0, expected a number above 0, at most 1/],
    [[a, b, { share: 1.1 }], /share: got 1.1/],
    [
      [a, b, { shar: 0.5 }],
      /share: got undefined.*shar: got 0.5, expected no such option. Did you mean 'share'\?/s,
    ],
    [[a, b, 0.5], /mirror\(\): got 0.5, expected an object/],
    [[a, when(() => true, b, c)], /shadow: got a route that depends on the request, expected a target/],
    [[a, () => [b]], /shadow: got a route that depends on the request, expected a target/],
    [[a], /shadow: got undefined, expected a target/],
    [[[], b], /entry: got an empty list/],
  ])('refuses %o', (given, message) => {
    expect(() => (mirror as (...all: unknown[]) => unknown)(...given)).toThrow(message)
  })
})

describe('hedge', () => {
  it('has the second entry asked too, right after the first place', () => {
    const route = hedge([a, b], [c, a, d], { afterMs: 200 })
    expect(candidatesOf(route)).toEqual([{ ...a, hedgeAfterMs: 200 }, c, d, b])
    expect(candidatesOf(route)).toBe(candidatesOf(route))
    expect(route.targets()).toEqual([a, b, c, a, d])
  })

  it('takes routes that depend on the request, and such as give nothing', async () => {
    expect(modelsOf(hedge(() => [], b, { afterMs: 1 }))).toEqual(['b'])
    expect(candidatesOf(hedge([a, c], () => [a], { afterMs: 1 }))).toEqual([a, c])
    expect(candidatesOf(hedge(a, () => [], { afterMs: 1 }))).toEqual([a])
    const slow = hedge(a, async () => [b], { afterMs: 1 })
    expect(await slow(draftOf(), watching().context)).toEqual([{ ...a, hedgeAfterMs: 1 }, b])
  })

  it.each([0, -1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31, '5', undefined])(
    'refuses %s milliseconds',
    afterMs => {
      expect(() => hedge(a, b, { afterMs: afterMs as never })).toThrow(
        /afterMs: got .*, expected milliseconds above 0/,
      )
    },
  )

  it('refuses what is no entry', () => {
    expect(() => hedge(a, 7 as never, { afterMs: 1 })).toThrow(/\[1\]: got 7, expected a target/)
    expect(() => hedge([a, b], a, { afterMs: 1 })).toThrow(
      /\[1\]: got the target of the first entry, expected another target/,
    )
    expect(() => hedge(a, b, undefined as never)).toThrow(/hedge\(\): got undefined, expected an object/)
  })
})

describe('withParameters', () => {
  it('gives each place parameters of its own, the outer ones in the place of the inner ones', () => {
    const inner = { ...a, parameters: { temperature: 1, seed: 3 } }
    const route = withParameters([inner, withParameters(b, { top_p: 0.5 })], { temperature: 0, user: null })
    expect(candidatesOf(route).map(({ parameters }) => parameters)).toEqual([
      { temperature: 0, seed: 3, user: null },
      { top_p: 0.5, temperature: 0, user: null },
    ])
    expect(candidatesOf(route)).toBe(candidatesOf(route))
  })

  it('is a copy of what it was given', () => {
    const given: { temperature: number } = { temperature: 0 }
    const route = withParameters(a, given)
    given.temperature = 2
    expect(candidatesOf(route)[0]!.parameters).toEqual({ temperature: 0 })
  })

  it.each([
    [{ temperature: 3 }, /withParameters\(\): .*'temperature'.* <= 2/],
    [{ messages: [] }, /parameters\.messages: got an empty list, expected no such option/],
    [{ model: 'x' }, /parameters\.model: got a string, expected no such option/],
    [{ max_tokens: 5 }, /parameters\.max_tokens: got 5, expected no such option/],
    [{ __proto__: null, constructor: 1 }, /parameters\.constructor: got 1, expected no such option/],
    [{ stop: [1] }, /stop/],
    [null, /expected an object/],
    [[], /expected an object/],
  ])('refuses %o', (parameters, message) => {
    expect(() => withParameters(a, parameters as never)).toThrow(message)
    expect(() => withParameters(a, parameters as never)).toThrow(TypeError)
  })
})

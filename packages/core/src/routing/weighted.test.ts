import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  a,
  b,
  c,
  chance,
  d,
  draftOf,
  isLikely,
  modelsOf,
  watching,
} from '../../test/support/scripted-places.ts'
import { weighted } from './weighted.ts'

describe('weighted', () => {
  it('gives each place the first turn by its weight, and then the others by theirs', () => {
    const route = weighted([a, 6], [[b, d], 3], [c, 1])
    const { context } = watching({ random: chance() })
    const first: Record<string, number> = {}
    let afterA = 0
    for (let at = 0; at < 20_000; at++) {
      const models = modelsOf(route, context)
      expect(models).toHaveLength(4)
      expect(models[models.indexOf('b') + 1]).toBe('d')
      first[models[0]!] = (first[models[0]!] ?? 0) + 1
      if (models[0] === 'a' && models[1] === 'b') afterA++
    }
    expect(isLikely(first.a!, 20_000, 0.6)).toBe(true)
    expect(isLikely(first.b!, 20_000, 0.3)).toBe(true)
    expect(isLikely(first.c!, 20_000, 0.1)).toBe(true)
    expect(isLikely(afterA, first.a!, 0.75)).toBe(true)
  })

  it('keeps a conversation at its place, and holds the weights over many conversations', () => {
    const route = weighted([a, 3], [b, 1], [c, 0])
    const { context } = watching({ random: chance() })
    const said = (prompt_cache_key: string, who = context) =>
      modelsOf(route, who, draftOf({ prompt_cache_key }))
    let first = 0
    for (let at = 0; at < 5_000; at++) {
      const models = said(`conversation ${at}`)
      expect(said(`conversation ${at}`)).toEqual(models)
      expect(models[2]).toBe('c')
      if (models[0] === 'a') first++
    }
    expect(isLikely(first, 5_000, 0.75)).toBe(true)
    // A name says nothing about the conversation of another principal.
    const bob = { ...context, principal: { id: 'bob' } }
    const names = Array.from({ length: 200 }, (_, at) => `conversation ${at}`)
    expect(names.some(name => said(name)[0] !== said(name, bob)[0])).toBe(true)
  })

  it('takes the words of a configuration file, in a list or one by one', () => {
    const given = [
      weighted([
        { to: a, weight: 0 },
        { to: b, weight: 1 },
      ]),
      weighted({ to: a, weight: 0 }, { to: b, weight: 1 }),
      weighted([
        [a, 0],
        [b, 1],
      ]),
      weighted([a, 0], { to: b, weight: 1 }),
    ]
    for (const route of given)
      expect(modelsOf(route, watching({ random: chance(2) }).context)).toEqual(['b', 'a'])
    expect(() => weighted([{ to: a, weight: -1 }])).toThrow(/\[0\]\.weight: got -1/)
    expect(() => weighted([{ to: a, wieght: 1 }] as never)).toThrow(/\[0\]: got an object, expected an entry/)
    expect(modelsOf(weighted([[a, b], 1]), watching().context)).toEqual(['a', 'b'])
  })

  it('asks a place with a weight of 0 only after the others', () => {
    const route = weighted([a, 0], [b, 1], [c, 2])
    const { context } = watching({ random: chance(2) })
    for (let at = 0; at < 200; at++) expect(modelsOf(route, context)[2]).toBe('a')
  })

  it('gives every place once, whatever chance says', () => {
    const numbers = fc.array(fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), {
      minLength: 3,
      maxLength: 3,
    })
    fc.assert(
      fc.property(
        numbers,
        fc.tuple(fc.nat(9), fc.nat(9), fc.integer({ min: 1, max: 9 })),
        (drawn, [x, y, z]) => {
          let at = 0
          const { context } = watching({ random: () => drawn[at++ % 3]! })
          expect([...modelsOf(weighted([a, x], [b, y], [c, z]), context)].sort()).toEqual(['a', 'b', 'c'])
        },
      ),
    )
  })

  it.each([
    [[], /weighted\(\): got an empty list/],
    [[[a, -1]], /\[0\]\.weight: got -1, expected a number from 0/],
    [[[a, Number.NaN]], /got NaN/],
    [[[a, Number.POSITIVE_INFINITY]], /got Infinity/],
    [[[a, '3']], /got '3'/],
    [
      [
        [a, 0],
        [b, 0],
      ],
      /expected a weight above 0 for at least one entry/,
    ],
    [[a], /\[0\]: got an object, expected an entry with its weight/],
    [[[a, b, 1]], /\[0\]: got a list, expected an entry with its weight/],
    [[[undefined, 1]], /\[0\]: got undefined, expected a target/],
  ])('refuses %o', (entries, message) => {
    expect(() => weighted(...(entries as never[]))).toThrow(message)
  })
})

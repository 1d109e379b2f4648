import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { otherDraft } from '../../test/support/other-draft.ts'
import {
  a,
  b,
  c,
  d,
  draftOf,
  isLikely,
  modelsOf,
  place,
  watching,
} from '../../test/support/scripted-places.ts'
import type { Route } from '../contracts/route.ts'
import { sticky } from './sticky.ts'

const user = (name: string) => draftOf({ user: name })
const first = (route: Route, name: string) => modelsOf(route, undefined, user(name))[0]!

describe('sticky', () => {
  it('gives a key always the same order, whatever the order of the entries', () => {
    fc.assert(
      fc.property(fc.string(), fc.shuffledSubarray([a, b, c, d], { minLength: 4 }), (name, places) => {
        const order = modelsOf(sticky('user', a, b, c, d), undefined, user(name))
        expect([...order].sort()).toEqual(['a', 'b', 'c', 'd'])
        expect(modelsOf(sticky('user', ...places), undefined, user(name))).toEqual(order)
      }),
    )
  })

  it('moves the keys of a place that leaves, and no others, each to its next place', () => {
    const all = [a, b, c, d]
    fc.assert(
      fc.property(
        fc.string(),
        fc.constantFrom(...all),
        fc.tuple(...all.map(() => fc.integer({ min: 1, max: 9 }))),
        (name, gone, weights) => {
          const entries = all.map((entry, at) => [entry, weights[at]!] as const)
          const before = modelsOf(sticky('user', ...entries), undefined, user(name))
          const left = entries.filter(([entry]) => entry !== gone)
          const after = modelsOf(sticky('user', ...left), undefined, user(name))
          expect(after).toEqual(before.filter(model => model !== gone.model))
        },
      ),
    )
  })

  it('spreads keys alike, or by weight', () => {
    const even: Record<string, number> = {}
    const weighed: Record<string, number> = {}
    const [alike, byWeight] = [sticky('user', a, b, c, d), sticky('user', [a, 7], [b, 2], c)]
    for (let at = 0; at < 10_000; at++) {
      const [one, other] = [first(alike, `user-${at}`), first(byWeight, `user-${at}`)]
      even[one] = (even[one] ?? 0) + 1
      weighed[other] = (weighed[other] ?? 0) + 1
    }
    for (const model of ['a', 'b', 'c', 'd']) expect(isLikely(even[model]!, 10_000, 0.25)).toBe(true)
    expect(isLikely(weighed.a!, 10_000, 0.7)).toBe(true)
    expect(isLikely(weighed.b!, 10_000, 0.2)).toBe(true)
    expect(isLikely(weighed.c!, 10_000, 0.1)).toBe(true)
  })

  it('spreads keys also over places that are called alike', () => {
    const twin = { provider: { ...a.provider }, model: 'a' }
    const route = sticky('user', a, twin)
    let own = 0
    for (let at = 0; at < 2_000; at++)
      if ((route(user(`u${at}`), watching().context) as readonly unknown[])[0] === a) own++
    expect(isLikely(own, 2_000, 0.5)).toBe(true)
  })

  it('knows principals, tags, fields and functions, and takes the principal where there is none', () => {
    const places = Array.from({ length: 50 }, (_, at) => place(`m${at}`))
    const ann = watching({ principal: { id: 'ann', tags: { team: 'search' } } }).context
    const bob = watching({ principal: { id: 'bob', tags: { team: 'search' } } }).context
    const order = (by: Parameters<typeof sticky>[0], context = ann, draft = draftOf()) =>
      modelsOf(sticky(by, ...places), context, draft)
    expect(order('key')).not.toEqual(order('key', bob))
    expect(order('tag:team')).toEqual(order('tag:team', bob))
    expect(order('tag:team')).toEqual(order(() => 'search'))
    expect(order('tag:none')).toEqual(order('key'))
    expect(order('tag:constructor')).toEqual(order('key'))
    expect(order('user', ann, user('x'))).toEqual(order('user', bob, user('x')))
    expect(order('prompt_cache_key', ann, draftOf({ prompt_cache_key: 'x' }))).toEqual(order(() => 'x'))
    expect(order('user', ann, draftOf({ user: 7 }))).toEqual(order('key'))
    expect(order(() => undefined)).toEqual(order('key'))
    expect(() => order(() => 7 as never)).toThrow(
      /the key function returned number, expected a string or undefined/,
    )
  })

  it('reads the end user and the conversation from the outline, in whatever protocol the request is', () => {
    const places = Array.from({ length: 50 }, (_, at) => place(`m${at}`))
    const { context } = watching()
    const order = (by: Parameters<typeof sticky>[0], draft = otherDraft()) =>
      modelsOf(sticky(by, ...places), context, draft)
    expect(order('user', otherDraft({ user: 'x' }))).toEqual(order(() => 'x'))
    expect(order('prompt_cache_key', otherDraft({ conversationKey: 'x' }))).toEqual(order(() => 'x'))
    expect(order('user')).toEqual(order('key'))
    expect(order('prompt_cache_key')).toEqual(order('key'))
  })

  it.each([
    [['team', a], /by: got 'team', expected 'key'/],
    [['tag:', a], /by: got 'tag:'/],
    [[a, b], /by: got an object/],
    [['key'], /sticky\(\): got an empty list/],
    [['key', { to: a, weight: -1 }], /\[0\]\.weight: got -1/],
    [['key', [a, -1]], /\[0\]\.weight: got -1/],
    [['key', [a, 0]], /expected a weight above 0 for at least one entry/],
  ])('refuses %o', (given, message) => {
    expect(() => (sticky as (...all: unknown[]) => unknown)(...given)).toThrow(message)
  })
})

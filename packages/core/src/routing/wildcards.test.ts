import { describe, expect, it } from 'vitest'
import {
  a,
  b,
  candidatesOf,
  draftOf,
  modelsOf,
  place,
  vendor,
  watching,
} from '../../test/support/scripted-places.ts'
import type { ModelEntry } from './combined-route.ts'
import { fallback } from './fallback.ts'
import { models } from './models.ts'

const { context } = watching()
const given = (table: ReturnType<typeof models>, model: string) =>
  modelsOf(table, context, draftOf({}, model))

describe('patterns of a model table', () => {
  const table = models({
    'acme/*': vendor,
    'acme/large-*': () => b,
    'acme/exact': a,
    '*-mini': name => (name === 'none' ? undefined : [place(`mini-${name}`), a]),
    smart: fallback('acme/x', 'acme/exact'),
    'old/*': fallback(a, b),
  })

  it('ask a vendor for what stands under the star', () => {
    expect(given(table, 'acme/one')).toEqual(['one'])
    expect(given(table, 'acme/org/one:free')).toEqual(['org/one:free'])
  })

  it('give way to exact names, and shorter ones to longer ones', () => {
    expect(given(table, 'acme/exact')).toEqual(['a'])
    expect(given(table, 'acme/large-2')).toEqual(['b'])
    expect(given(table, 'gpt-mini')).toEqual(['mini-gpt', 'a'])
    // Five letters each: the one that says more of the beginning.
    expect(given(table, 'acme/x-mini')).toEqual(['x-mini'])
  })

  it('may stand for one entry, and for names that a function does not know', () => {
    expect(given(table, 'old/any')).toEqual(['a', 'b'])
    expect(given(table, 'none-mini')).toEqual([])
    expect(given(models({ 'x/*': name => fallback('y', place(name)), y: a }), 'x/1')).toEqual(['a', '1'])
  })

  it('are named by other entries, which say so', () => {
    expect(candidatesOf(table, context, draftOf({}, 'smart'))).toEqual([
      { ...place('x'), via: ['acme/x'] },
      { ...a, via: ['acme/exact'] },
    ])
  })

  it.each(
    [
      [
        'acme/',
        'acme',
        'acme/a b',
        'acme/ ',
        'acme/..',
        'acme/../x',
        'acme/x/.',
        'acme/x?y',
        'acme/x#y',
        'acme/x%2e',
      ],
      ['acme/x\\n', 'acme/x\\0', 'acme/x\\\\y', `acme/${'x'.repeat(257)}`, 'acme/é', '-mini', '__proto__'],
    ].flat(),
  )('do not know %j', model => {
    expect(given(table, model)).toEqual([])
  })

  it('are not listed', () => {
    expect(table.list().map(({ id }) => id)).toEqual(['acme/exact', 'smart'])
  })

  it('make what was asked for once, and forget what was not asked for in a while', () => {
    const made: string[] = []
    const counting = models({
      'x/*': (name: string) => {
        made.push(name)
        return place(name)
      },
    })
    for (const name of ['one', 'one', 'two']) given(counting, `x/${name}`)
    expect(made).toEqual(['one', 'two'])
    for (let at = 0; at < 1_500; at++) given(counting, `x/${at}`)
    given(counting, 'x/1499')
    expect(made).toHaveLength(1_502)
    given(counting, 'x/one')
    expect(made).toHaveLength(1_503)
  })

  it('tell of what a function gives that is no entry, and of names without an end', () => {
    const table = models({
      'bad/*': () => 7 as never,
      'vendor/*': () => vendor as never,
      'more/*': (name: string) => `more/${name}x`,
      'round/*': (name: string) => [`round/${name}`],
      'lost/*': () => ['nowhere'],
    } as object as Record<string, ModelEntry>)
    expect(() => given(table, 'bad/x')).toThrow(/\['bad\/\*'\]: got 7, expected a target/)
    expect(() => given(table, 'vendor/x')).toThrow(/expected a target rather than a provider/)
    expect(() => given(table, 'more/x')).toThrow(/expected an entry that leads over 32 names at most/)
    expect(() => given(table, 'round/x')).toThrow(/expected an entry that does not lead back to itself/)
    expect(() => given(table, 'lost/x')).toThrow(/\['lost\/x'\]: got 'nowhere', expected one/)
    // Nothing of that is left behind.
    expect(() => given(table, 'round/x')).toThrow(/\['round\/x'\]: got 'round\/x'/)
  })

  it('do not know what their function has another name for that leads nowhere', () => {
    const table = models({
      big: a,
      'strip/*': (name: string) => name,
      'low-*': (name: string) => `low-${name.toLowerCase()}`,
      'to/*': (name: string) => `fro/${name}`,
      'fro/*': (name: string) => `to/${name}`,
    } as object as Record<string, ModelEntry>)
    expect(candidatesOf(table, context, draftOf({}, 'strip/big'))).toEqual([{ ...a, via: ['big'] }])
    expect(candidatesOf(table, context, draftOf({}, 'strip/strip/big'))).toEqual([
      { ...a, via: ['strip/big', 'big'] },
    ])
    for (const model of [
      'strip/none',
      'strip/strip/none',
      'low-x',
      'to/x',
      'strip/to/x',
      'strip/__proto__',
    ]) {
      expect(given(table, model)).toEqual([])
    }
    expect(given(table, 'strip/big')).toEqual(['a'])
  })

  it.each([
    [{ 'x/*': 'nothing' }, /\['x\/\*'\]: got 'nothing', expected/],
    [{ m: a, 'x/*': fallback('m', 'nothing' as never) }, /\['x\/\*'\]: got 'nothing', expected/],
    [
      { 'x/*': ['x/loop'] },
      /\['x\/\*'\]: got 'x\/loop' > 'x\/loop', expected an entry that does not lead back/,
    ],
    [{ 'a*b*': vendor }, /\['a\*b\*'\]: got .*, expected a name with one '\*'/],
    [{ 'x/*': 7 }, /\['x\/\*'\]: got 7, expected a target/],
    [{ 'x/*': [] }, /empty list/],
    [{ 'x/*': [vendor] }, /expected a target rather than a provider/],
    [{ m: 'x/*', 'x/*': vendor }, /m: got 'x\/\*', expected one of 'm'/],
  ])('refuse %o', (table, message) => {
    expect(() => models(table as never)).toThrow(message)
  })
})

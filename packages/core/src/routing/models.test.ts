import { describe, expect, it } from 'vitest'
import { chatDraft } from '../../test/support/chat-draft.ts'
import { scriptedContext } from '../../test/support/scripted-context.ts'
import type { Provider, Target } from '../contracts/provider.ts'
import { fallback } from './fallback.ts'
import { models } from './models.ts'
import { weighted } from './weighted.ts'

const provider: Provider = {
  name: 'acme',
  encode: () => ({ method: 'POST', url: '', headers: {} }),
  decode: () => ({ kind: 'completion', completion: { choices: [] } }),
}
const target = (model: string): Target => ({ provider, model })
const context = scriptedContext({ id: 'ann' })
const draft = (model: string) => chatDraft({ model, bytes: 0 })

describe('models', () => {
  const table = models(
    {
      one: target('a'),
      several: [target('a'), target('b')],
      routed: ({ bytes }) => [target(bytes > 10 ? 'large' : 'small')],
    },
    () => 1_700_000_000_999,
  )

  it('finds a target, a list, or what a route says', async () => {
    expect(await table(draft('one'), context)).toEqual([target('a')])
    expect(await table(draft('several'), context)).toEqual([target('a'), target('b')])
    expect(await table(draft('routed'), context)).toEqual([target('small')])
  })

  it('knows nothing of other names, inherited ones included', async () => {
    expect(await table(draft('two'), context)).toEqual([])
    expect(await table(draft('constructor'), context)).toEqual([])
    expect(await table(draft('__proto__'), context)).toEqual([])
  })

  it('lists its models', () => {
    expect(table.list()).toEqual([
      { id: 'one', created: 1_700_000_000, owned_by: 'acme' },
      { id: 'several', created: 1_700_000_000, owned_by: 'acme' },
      { id: 'routed', created: 1_700_000_000, owned_by: 'gateway' },
    ])
  })

  it('lists the targets that it knows of', () => {
    expect(table.targets().map(({ model }) => model)).toEqual(['a', 'a', 'b'])
  })

  it('lists the targets of a pattern that do not depend on the name', () => {
    const patterns = models({ one: target('a'), 'any/*': name => target(name), '*': target('z') })
    expect(patterns.targets().map(({ model }) => model)).toEqual(['a', 'z'])
  })

  it.each([
    [{}, /models\(\): got an empty object, expected at least one model/],
    [{ m: [] }, /m: got an empty list/],
    [{ m: {} }, /m: got an empty object, expected a target/],
    [{ m: [target('a'), 7] }, /m\[1\]: got 7, expected a target/],
    [{ m: [target('a'), 'b'] }, /models\(\): m: got 'b', expected one of 'm', or one that fits/],
    [{ m: 'm' }, /m: got 'm', expected an entry that does not lead back to itself/],
    [
      { a: 'b', b: fallback('c'), c: ['a'], d: 'a' },
      /a: got 'b' > 'c' > 'a', expected an entry that does not lead back/,
    ],
    [{ m: weighted(['x', 1]) }, /m: got 'x', expected one of 'm'/],
    [{ m: undefined }, /m: got undefined, expected a target/],
    [
      { m: Object.assign(target, { provider }) },
      /m: got a function, expected a target rather than a provider/,
    ],
    [
      { m: { provider: { ...provider, accepts: ['video'] }, model: 'a' } },
      /m\.provider\.accepts\[0\]: got 'video', expected one of string_media, /,
    ],
    [
      { m: { provider: { ...provider, accepts: 'video_url' }, model: 'a' } },
      /m\.provider\.accepts: got 'video_url', expected an array/,
    ],
    [
      { m: [target('a'), Object.assign(target, { provider })] },
      /m\[1\]: got a function, expected a target rather than a provider/,
    ],
  ])('refuses %o', (entries, message) => {
    expect(() => models(entries as never)).toThrow(message)
  })

  describe('with names of other entries', () => {
    const chain = models({
      smart: fallback('big', 'small', target('own')),
      big: ['huge', target('b')],
      small: target('s'),
      huge: ({ bytes }) => (bytes > 10 ? [target('h'), target('b')] : [target('h')]),
      alias: 'small',
    })
    const reached = async (model: string, bytes = 0) =>
      (await chain({ ...draft(model), bytes }, context)).map(({ model: name, via }) => [name, via])

    it('gives what stands under them, and by which names it was reached', async () => {
      expect(await reached('alias')).toEqual([['s', ['small']]])
      expect(await reached('big')).toEqual([
        ['h', ['huge']],
        ['b', undefined],
      ])
      expect(await reached('smart')).toEqual([
        ['h', ['big', 'huge']],
        ['b', ['big']],
        ['s', ['small']],
        ['own', undefined],
      ])
    })

    it('keeps a place twice where other names lead to it', async () => {
      expect(await reached('big', 11)).toEqual([
        ['h', ['huge']],
        ['b', ['huge']],
        ['b', undefined],
      ])
    })

    it('lists all models and targets', () => {
      expect(chain.list().map(({ id, owned_by }) => `${id} ${owned_by}`)).toEqual([
        'smart gateway',
        'big gateway',
        'small acme',
        'huge gateway',
        'alias gateway',
      ])
      expect(new Set(chain.targets().map(({ model }) => model))).toEqual(new Set(['b', 's', 'own']))
    })

    it('may be long and many', () => {
      const names = Array.from({ length: 30 }, (_, at) => `m${at}`)
      const entries = Object.fromEntries(names.map((name, at) => [name, names[at + 1] ?? target('end')]))
      expect(models(entries)(draft('m0'), context)).toEqual([{ ...target('end'), via: names.slice(1) }])
    })
  })
})

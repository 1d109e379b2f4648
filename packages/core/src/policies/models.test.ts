import { describe, expect, it } from 'vitest'
import type { Provider, Target } from '../provider.ts'
import { models } from './models.ts'

const provider: Provider = {
  name: 'acme',
  encode: () => ({ method: 'POST', url: '', headers: {} }),
  decode: () => ({ kind: 'completion', completion: { choices: [] } }),
}
const target = (model: string): Target => ({ provider, model })
const context = { principal: { id: 'ann' }, random: () => 0 }
const draft = (model: string) => ({ model, body: {}, bytes: 0 })

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

  it.each([
    [{}, /empty table/],
    [{ m: [] }, /'m' has an empty list/],
    [{ m: {} }, /'m' is no target/],
    [{ m: [target('a'), 'b'] }, /'m' is no target/],
    [{ m: undefined }, /'m' is no target/],
    [{ m: Object.assign(target, { provider }) }, /'m' is a vendor, not a target: name one of its models/],
    [{ m: [target('a'), Object.assign(target, { provider })] }, /'m' is a vendor, not a target/],
  ])('refuses %o', (entries, message) => {
    expect(() => models(entries as never)).toThrow(message)
  })
})

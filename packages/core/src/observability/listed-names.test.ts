import { describe, expect, it } from 'vitest'
import type { ModelCard } from '../contracts/route.ts'
import { ListedNames } from './listed-names.ts'

const card = (id: string): ModelCard => ({ id, created: 0, owned_by: 'me' })

describe('ListedNames', () => {
  it('has the models of the current list', () => {
    let cards = [card('a')]
    const listed = new ListedNames({ list: () => cards })
    expect([listed.hasModel('a'), listed.hasModel('b')]).toEqual([true, false])
    cards = [card('b')]
    expect([listed.hasModel('a'), listed.hasModel('b')]).toEqual([false, true])
  })

  it('has nothing of a route without lists, or whose lists throw', () => {
    const broken = () => {
      throw new Error('No.')
    }
    for (const route of [{}, { list: broken, targets: broken }]) {
      const listed = new ListedNames(route)
      expect([listed.hasModel('a'), listed.hasTarget('p', 'a')]).toEqual([false, false])
    }
  })

  it('has targets by provider and model, as the route listed them first', () => {
    const target = (name: string, model: string) => ({ provider: { name } as never, model })
    let calls = 0
    const targets = () => {
      calls++
      return [target('p', 'a'), target('p', 'b'), target('q', 'a')]
    }
    const listed = new ListedNames({ targets })
    const names = ['p a', 'p b', 'q a', 'q b', 'r a'].map(name => name.split(' ') as [string, string])
    expect(names.map(name => listed.hasTarget(...name))).toEqual([true, true, true, false, false])
    expect(calls).toBe(1)
  })
})

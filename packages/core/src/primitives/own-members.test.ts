import { describe, expect, it, onTestFinished } from 'vitest'
import { memberOf, membersOf, ownMembers } from './own-members.ts'

class Row {
  readonly #id = 'ann'
  get id(): string | undefined {
    return this.#id
  }
  readonly tags: string | undefined = undefined
}

function pollute(name: string): void {
  Reflect.set(Object.prototype, name, 'polluted')
  onTestFinished(() => void Reflect.deleteProperty(Object.prototype, name))
}

describe('members of an object', () => {
  it('are not what was added to all objects', () => {
    const given: { models?: string } = {}
    pollute('models')
    expect(given.models).toBe('polluted')
    expect(memberOf(given, 'models')).toBeUndefined()
    expect(ownMembers(given).models).toBeUndefined()
  })

  it('are its own, and those of its class', () => {
    pollute('tags')
    expect(memberOf(new Row(), 'id')).toBe('ann')
    expect(memberOf(new Row(), 'tags')).toBeUndefined()
    expect(memberOf({ tags: 'own' }, 'tags')).toBe('own')
    expect(ownMembers({ tags: 'own' }).tags).toBe('own')
  })

  it('can be read without a guard once they are copied', () => {
    pollute('tags')
    expect(membersOf(new Row(), 'id', 'tags')).toEqual({ id: 'ann', tags: undefined })
    expect(membersOf(new Row(), 'tags').tags).toBeUndefined()
  })
})

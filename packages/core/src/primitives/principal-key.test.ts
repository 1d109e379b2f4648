import { expect, it, onTestFinished } from 'vitest'
import { principalKey, tagOf } from './principal-key.ts'

it('reads neither the source nor the tags of a principal from Object.prototype', () => {
  Object.assign(Object.prototype, { source: 'polluted', tags: { team: 'polluted' } })
  onTestFinished(() => {
    for (const name of ['source', 'tags']) Reflect.deleteProperty(Object.prototype, name)
  })
  expect(principalKey({ id: 'ann' })).toBe(' ann')
  expect(tagOf({ id: 'ann' } as object, 'team')).toBeUndefined()
  expect(tagOf({ tags: {} }, 'toString')).toBeUndefined()
  expect(tagOf({ tags: { team: 'red' } }, 'team')).toBe('red')
})

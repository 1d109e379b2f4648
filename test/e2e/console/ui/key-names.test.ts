import { describe, expect, it } from 'vitest'
import { callerName, callerNames, keyNames } from '../../../../packages/console/ui/session/key-names.ts'

const names = new Map([
  ['k1', 'Search'],
  ['k2', 'Search'],
  ['k3', 'ann'],
])

describe('callerName', () => {
  it('is the name of a key, and the id of every other caller', () => {
    expect(callerName({ id: 'k1' }, names)).toBe('Search')
    expect(callerName({ id: 'k1', source: 'api_keys' }, names)).toBe('Search')
    expect(callerName({ id: 'nobody' }, names)).toBe('nobody')
    // The subject of a token does not get the name of a key by having its id.
    expect(callerName({ id: 'k1', source: 'https://login.example' }, names)).toBe('k1')
  })
})

describe('callerNames', () => {
  it('tells apart callers whose names are the same', () => {
    const callers = [
      { id: 'k1' },
      { id: 'k2' },
      { id: 'k3' },
      { id: 'ann' },
      { id: 'console' },
      { id: 'console', source: 'console' },
      { id: 'bob' },
    ]
    expect(callerNames(callers, names)).toEqual([
      'Search (k1)',
      'Search (k2)',
      'ann (k3)',
      'ann',
      'console',
      'console [console]',
      'bob',
    ])
  })
})

describe('keyNames', () => {
  const row = (id: string, name: string) => ({ id, name }) as never

  it('loads names when a caller has none yet, once for each, and keeps those of deleted keys', async () => {
    let rows = [row('k1', 'One')]
    let asked = 0
    const store = keyNames(async () => {
      asked++
      return rows
    })
    const settled = () => new Promise(resolve => setImmediate(resolve))
    store.want([{ id: 'k1' }, { id: 'k9' }, { id: 'x', source: 'console' }])
    await settled()
    expect([asked, store.state.get().get('k1')]).toEqual([1, 'One'])
    store.want([{ id: 'k1' }, { id: 'k9' }])
    await settled()
    expect(asked).toBe(1)
    rows = [row('k2', 'Two')]
    store.want([{ id: 'k2' }])
    await settled()
    expect([...store.state.get()]).toEqual([
      ['k1', 'One'],
      ['k2', 'Two'],
    ])
  })

  it('has none where keys are not managed, or cannot be read', async () => {
    keyNames(undefined).want([{ id: 'k1' }])
    const away = keyNames(() => Promise.reject(new Error('away')))
    away.refresh()
    await new Promise(resolve => setImmediate(resolve))
    expect(away.state.get().size).toBe(0)
  })
})

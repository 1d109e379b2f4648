import { describe, expect, it } from 'vitest'
import type { KeyRow } from '../../../../packages/console/src/api.ts'
import { keyChange, toFormValues } from '../../../../packages/console/ui/keys/key-change.ts'
import type { KeyFormValues } from '../../../../packages/console/ui/keys/key-form.ts'

const row: KeyRow = {
  id: 'k1',
  name: 'Ann',
  models: ['small-*', 'demo'],
  tags: { team: 'search', plan: 'a=b' },
  limits: [
    {
      kind: 'requests',
      limit: 60,
      per: 'minute',
      scopes: ['key', 'model'],
      models: ['demo'],
      mode: 'dryRun',
    },
    { kind: 'budget', limit: 2.5, per: 'day', currency: 'usd' },
  ],
  disabled: false,
  createdAt: 0,
  expiresAt: new Date('2099-01-01T12:00:31.5').getTime(),
  lastUsedAt: null,
  secrets: [],
}

const changeOf = (typed: Partial<KeyFormValues>, of: KeyRow = row) => {
  const before = toFormValues(of)
  return keyChange(of, before, { ...before, ...typed })
}

describe('keyChange', () => {
  it('asks for nothing where nothing was changed, also not for a time to the minute', () => {
    expect(changeOf({})).toEqual({})
    expect(toFormValues(row).expiresAt).toBe('2099-01-01T12:00')
  })

  it('asks for what is another, and for nothing else', () => {
    expect(changeOf({ name: ' Bo ' })).toEqual({ name: 'Bo' })
    expect(changeOf({ models: 'demo' })).toEqual({ models: ['demo'] })
    expect(changeOf({ tags: 'team=night' })).toEqual({ tags: { team: 'night' } })
    expect(changeOf({ expiresAt: '2099-01-01T12:01' })).toEqual({
      expiresAt: new Date('2099-01-01T12:01').getTime(),
    })
  })

  it('takes a restriction away where its field is emptied', () => {
    expect(changeOf({ models: ' ', tags: '', expiresAt: '', limits: [] })).toEqual({
      models: null,
      tags: null,
      expiresAt: null,
      limits: null,
    })
  })

  it('keeps of a limit what cannot be typed', () => {
    const [first, second] = toFormValues(row).limits
    const limits = [{ ...first!, limit: '30' }, second!, { kind: 'concurrent', limit: '2', per: '' }] as const
    expect(changeOf({ limits })).toEqual({
      limits: [{ ...row.limits![0], limit: 30 }, row.limits![1], { kind: 'concurrent', limit: 2 }],
    })
    expect(changeOf({ limits: [{ ...second!, kind: 'tokens', per: 'hour' }] })).toEqual({
      limits: [{ kind: 'tokens', limit: 2.5, per: 'hour' }],
    })
  })

  it.each([
    [{ ...row, tags: { team: 'a, b=c' } }, { tags: 'team=d' }, 'The tags of this key contain commas'],
    [{ ...row, models: ['a b'] }, { models: 'a' }, 'The models of this key contain commas or spaces'],
  ] as const)('does not change what it cannot tell apart: %j', (of, typed, message) => {
    expect(() => changeOf(typed, of)).toThrow(message)
    expect(changeOf({ name: 'Bo' }, of)).toEqual({ name: 'Bo' })
  })
})

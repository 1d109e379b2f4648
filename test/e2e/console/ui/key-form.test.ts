import { describe, expect, it } from 'vitest'
import { emptyKey, keyForm } from '../../../../packages/console/ui/keys/key-form.ts'
import { limitText } from '../../../../packages/console/ui/keys/limit-text.ts'

describe('keyForm', () => {
  it('leaves out what is left empty', () => {
    expect(keyForm({ ...emptyKey, name: ' Ann ' })).toEqual({ name: 'Ann' })
  })

  it('reads models, tags, limits and a date', () => {
    const expiresAt = '2099-01-01T12:00'
    const form = keyForm({
      name: 'Ann',
      models: 'small-*, demo  big',
      tags: 'team=search, plan = a=b',
      expiresAt,
      limits: [
        { kind: 'requests', limit: '60', per: 'minute' },
        { kind: 'concurrent', limit: '3', per: 'minute' },
        { kind: 'budget', limit: '2.5', per: 'day' },
      ],
    })
    expect(form).toEqual({
      name: 'Ann',
      models: ['small-*', 'demo', 'big'],
      tags: { team: 'search', plan: 'a=b' },
      limits: [
        { kind: 'requests', limit: 60, per: 'minute' },
        { kind: 'concurrent', limit: 3 },
        { kind: 'budget', limit: 2.5, per: 'day', currency: 'usd' },
      ],
      expiresAt: new Date(expiresAt).getTime(),
    })
    expect(form.limits?.map(limitText)).toEqual(['60 requests a minute', '3 concurrent', '$2.50 a day'])
  })

  it.each([
    [{ tags: 'team' }, 'The tag team has no value'],
    [{ tags: '=search' }, 'The tag =search has no value'],
    [{ expiresAt: 'soon' }, 'soon is not a valid date'],
    [{ limits: [{ kind: 'requests', limit: '', per: 'minute' }] }, 'one is empty'],
    [{ limits: [{ kind: 'requests', limit: '-1', per: 'minute' }] }, 'one is -1'],
  ] as const)('says what of %j cannot be read', (typed, message) => {
    expect(() => keyForm({ ...emptyKey, name: 'Ann', ...typed })).toThrow(message)
  })
})

import type { UsageDimension } from '@sluice/core/ledger'
import { validateUsageQuery } from '@sluice/core/store'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CommandError } from '../command.ts'
import { usageBy, usageWhere } from './usage.ts'

describe('usageWhere', () => {
  const where = (given: Readonly<Record<string, string>>) => usageWhere(name => given[name])

  it('reads filters', () => {
    expect(where({})).toEqual({})
    expect(where({ key: 'k', user: 'u', model: 'm', tag: 'team=a=b' })).toEqual({
      key: 'k',
      user: 'u',
      model: 'm',
      tags: { team: 'a=b' },
    })
    expect(where({ tag: 'team=' })).toEqual({ tags: { team: '' } })
  })

  it.each(['team', '=search', ''])('refuses the tag %j', tag => {
    expect(() => where({ tag })).toThrow(CommandError)
  })
})

describe('usageBy', () => {
  it('reads names, each once', () => {
    expect(usageBy('model, tag:team,model,day')).toEqual(['model', 'tag:team', 'day'])
  })

  it('gives what a ledger can be asked for, or says what is wrong', () => {
    const word = fc.oneof(fc.constantFrom('model', 'key', 'day', 'tag:', 'tag:x', ''), fc.string())
    fc.assert(
      fc.property(fc.array(word), words => {
        let by: readonly UsageDimension[]
        try {
          by = usageBy(words.join(','))
        } catch (error) {
          expect(error).toBeInstanceOf(CommandError)
          return
        }
        expect(validateUsageQuery({ by }).by).toEqual(by)
      }),
    )
  })
})

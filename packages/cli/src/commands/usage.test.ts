import type { UsageDimension } from '@sluice/core/ledger'
import { validateUsageQuery } from '@sluice/core/store'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CommandError } from '../command.ts'
import { usageBy, usageWhere } from './usage.ts'

describe('usageWhere', () => {
  it('reads filters', () => {
    expect(usageWhere({})).toEqual({})
    expect(usageWhere({ key: 'k', user: 'u', model: 'm', tag: ['team=a=b', 'x=y'] })).toEqual({
      key: 'k',
      user: 'u',
      model: 'm',
      tags: { team: 'a=b', x: 'y' },
    })
    expect(usageWhere({ source: 's', provider: 'p', operation: 'embed', dialect: 'chat' })).toEqual({
      source: 's',
      provider: 'p',
      operation: 'embed',
      dialect: 'chat',
    })
    expect(usageWhere({ kind: 'request, timeout' })).toEqual({ kind: ['request', 'timeout'] })
    expect(usageWhere({ tag: ['team='] })).toEqual({ tags: { team: '' } })
  })

  it.each([[['team']], [['=search']], [['']], [['team=a', 'team=b']]])('refuses the tags %j', tag => {
    expect(() => usageWhere({ tag })).toThrow(CommandError)
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

import type { LimitRuleData } from '@sluice/core'
import { count } from '../format/count.ts'
import { money } from '../format/money.ts'

/** A rule in a few words: `60 requests a minute`, `$5.00 a day`. */
export function limitText({ kind, limit, per, scopes, models, shadow }: LimitRuleData): string {
  const amount = kind === 'budget' ? money(limit) : count(limit)
  const what = kind === 'budget' ? '' : kind === 'concurrent' ? ' at once' : ` ${kind}`
  const window =
    per === undefined ? '' : per === 'ever' ? ' in all' : per === 'hour' ? ' an hour' : ` a ${per}`
  const by = scopes === undefined || scopes.join() === 'key' ? '' : `, by ${scopes.map(String).join(' and ')}`
  const of = models === undefined ? '' : `, of ${models.join(', ')}`
  return `${amount}${what}${window}${by}${of}${shadow === true ? ', only counted' : ''}`
}

import type { LimitRuleData } from '@sluice/core'
import { count } from '../format/count.ts'
import { money } from '../format/money.ts'

/** A rule in a few words: `60 requests a minute`, `$5.00 a day`. */
export function limitText(rule: LimitRuleData): string {
  const { kind, limit, per } = rule
  const amount = kind === 'budget' ? money(limit) : count(limit)
  const unit = limit === 1 ? kind.replace(/s$/, '') : kind
  const what = kind === 'budget' ? '' : kind === 'concurrent' ? ' concurrent' : ` ${unit}`
  const window =
    per === undefined ? '' : per === 'ever' ? ' in total' : per === 'hour' ? ' an hour' : ` a ${per}`
  const more = limitMore(rule)
  return `${amount}${what}${window}${more === '' ? '' : `, ${more}`}`
}

/** What a rule holds beside its amount: `by key and model, of small-*, dry run`; mostly nothing. */
export function limitMore({ scopes, models, operations, mode }: LimitRuleData): string {
  const by = scopes === undefined || scopes.join() === 'key' ? [] : [`by ${scopes.map(String).join(' and ')}`]
  const of = models === undefined ? [] : [`of ${models.join(', ')}`]
  const operation = operations === undefined ? [] : [`for ${operations.join(' and ')}`]
  return [...by, ...of, ...operation, ...(mode === 'dryRun' ? ['dry run'] : [])].join(', ')
}

import type { LimitRuleData } from '../contracts/principal.ts'

/**
 * A rule as its builders write it, but for `asShadow`: `requests(60).per('minute').by('gateway')`. A scope that is a
 * function has no text of its own.
 */
export function ruleText({ kind, limit, per, currency, unpriced, scopes, models }: LimitRuleData): string {
  const amount = currency === undefined ? `${limit}` : `${limit}, '${currency}'`
  const window = per === undefined ? '' : `.per('${per}')`
  const free = unpriced === 'allow' ? '.allowUnpriced()' : ''
  return `${kind}(${amount})${window}${free}${call('by', scopes)}${call('forModels', models)}`
}

function call(name: string, values: LimitRuleData['scopes'] | LimitRuleData['models']): string {
  if (values === undefined) return ''
  const texts = values.map(value => (typeof value === 'function' ? 'function' : `'${value}'`))
  return `.${name}(${texts.join(', ')})`
}

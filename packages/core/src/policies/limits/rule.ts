import type { BudgetWindow, LimitRuleData, Scope, Window } from '../../limit-rule.ts'
import { ownMembers } from '../../protocol/own-members.ts'

/** A rule that can be made more precise; each method gives a new rule. */
export interface LimitRule extends LimitRuleData {
  /** Who shares one count: `.by('tag:team')`; of several, their combination: `.by('key', 'model')`. */
  by(...scopes: readonly [Scope, ...Scope[]]): LimitRule
  /** Concerns these models only: `.forModels('large', 'test-*')`. */
  forModels(...patterns: readonly [string, ...string[]]): LimitRule
  /** Counts and tells, and never refuses: to see what a limit would do. */
  asShadow(): LimitRule
  /** Of a budget: does not count requests for models without a known price, which are refused otherwise. */
  allowUnpriced(): LimitRule
}

const windows: readonly string[] = ['second', 'minute', 'hour', 'day'] satisfies Window[]
const budgetWindows: readonly string[] = ['hour', 'day', 'week', 'month', 'ever'] satisfies BudgetWindow[]

/**
 * So many requests: `requests(60).per('minute')`. All of them may come at once; then one is free again every
 * sixtieth of a minute (GCRA). Throws `TypeError` for a limit that is no whole number from 1.
 */
export function requests(limit: number): { per(window: Window): LimitRule } {
  return rated('requests', limit)
}

/**
 * So many tokens, prompt and completion together: `tokens(90_000).per('minute')`. They are reserved at their most
 * before the model is asked, and settled by what it counted. Throws `TypeError` for a limit that is no whole number
 * from 1.
 */
export function tokens(limit: number): { per(window: Window): LimitRule } {
  return rated('tokens', limit)
}

/** So many requests at once: `concurrent(20)`. Throws `TypeError` for a limit that is no whole number from 1. */
export function concurrent(limit: number): LimitRule {
  return limitRule({ kind: 'concurrent', limit })
}

/**
 * So much money: `budget(50, 'usd').per('day')`. Reserved at its most before the model is asked, and settled by the
 * price of what it counted; a model without a price is refused, unless `allowUnpriced()`. Throws `TypeError` for an amount that is not above 0.
 */
export function budget(limit: number, currency: 'usd'): { per(window: BudgetWindow): LimitRule } {
  limitRule({ kind: 'budget', limit, currency, per: 'ever' })
  return { per: window => limitRule({ kind: 'budget', limit, currency, per: window }) }
}

/** A wrong limit is told of at once. */
function rated(kind: 'requests' | 'tokens', limit: number): { per(window: Window): LimitRule } {
  limitRule({ kind, limit, per: 'second' })
  return { per: window => limitRule({ kind, limit, per: window }) }
}

/**
 * A rule of plain data, as a database keeps it. Throws `TypeError` that says what of it cannot be used: a rule that
 * is not understood must not become no rule.
 */
export function limitRule(data: LimitRuleData): LimitRule {
  const fault = ruleFault(data)
  if (fault !== undefined) throw new TypeError(fault)
  const { kind, limit, per, currency, unpriced, scopes, models, shadow } = ownMembers(data)
  const rule: LimitRuleData = {
    kind,
    limit,
    ...(per === undefined ? {} : { per }),
    ...(currency === undefined ? {} : { currency }),
    ...(unpriced === 'allow' ? { unpriced } : {}),
    ...(scopes === undefined ? {} : { scopes: [...scopes] }),
    ...(models === undefined ? {} : { models: [...models] }),
    ...(shadow === true ? { shadow } : {}),
  }
  const methods = {
    by: (...given: readonly Scope[]) => limitRule({ ...rule, scopes: given }),
    forModels: (...patterns: readonly string[]) => limitRule({ ...rule, models: patterns }),
    asShadow: () => limitRule({ ...rule, shadow: true }),
    allowUnpriced: () => limitRule({ ...rule, unpriced: 'allow' }),
  }
  // Not enumerable: a rule is its data, also where it is written as JSON.
  return Object.freeze(
    Object.defineProperties(
      rule,
      Object.fromEntries(Object.entries(methods).map(([name, value]) => [name, { value }])),
    ),
  ) as LimitRule
}

/** What is wrong with a rule, or `undefined`. */
function ruleFault(data: LimitRuleData): string | undefined {
  if (typeof data !== 'object' || data === null) return `A limit: got ${String(data)}, expected a rule.`
  const { kind, limit, per, currency, unpriced, scopes, models, shadow } = ownMembers(data)
  const name = `${String(kind)}(${String(limit)})`
  if (kind === 'budget') {
    if (!(typeof limit === 'number' && limit > 0 && limit <= 9_000_000)) {
      return `budget(): got ${String(limit)}, expected an amount above 0, at most 9,000,000.`
    }
    if (currency !== 'usd') return `${name}: got the currency ${shown(currency)}, expected 'usd'.`
    if (!budgetWindows.includes(per as string)) return wrongWindow(name, per, budgetWindows)
  } else if (kind === 'requests' || kind === 'tokens' || kind === 'concurrent') {
    if (!(Number.isSafeInteger(limit) && limit >= 1 && limit <= 1_000_000_000)) {
      return `${kind}(): got ${String(limit)}, expected a whole number from 1 to 1,000,000,000.`
    }
    if (kind !== 'concurrent' && !windows.includes(per as string)) return wrongWindow(name, per, windows)
    if (kind === 'concurrent' && per !== undefined) return `${name}: has a window, and needs none.`
  } else {
    return `A limit: got the kind ${shown(kind)}, expected 'requests', 'tokens', 'concurrent' or 'budget'.`
  }
  if (unpriced !== undefined && unpriced !== 'refuse' && unpriced !== 'allow') {
    return `${name}: got unpriced ${shown(unpriced)}, expected 'refuse' or 'allow'.`
  }
  if (unpriced !== undefined && kind !== 'budget') return `${name}: has unpriced, which is of a budget only.`
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.length > 0 && scopes.every(isScope))) {
    return `${name}.by(): expected 'key', 'model', 'gateway', 'tag:' with a name, or a function.`
  }
  if (models !== undefined && !(Array.isArray(models) && models.length > 0 && models.every(isText))) {
    return `${name}.forModels(): expected names of models, or patterns such as 'test-*'.`
  }
  if (shadow !== undefined && typeof shadow !== 'boolean') {
    return `${name}: got shadow ${String(shadow)}, expected true or false.`
  }
  return undefined
}

function isScope(scope: unknown): boolean {
  if (typeof scope === 'function') return true
  return typeof scope === 'string' && /^(key|model|gateway|tag:.+)$/s.test(scope)
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

function wrongWindow(name: string, per: unknown, expected: readonly string[]): string {
  return `${name}.per(): got ${shown(per)}, expected ${expected.map(window => `'${window}'`).join(', ')}.`
}

function shown(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : String(value)
}

import type { Operation } from '../contracts/outline.ts'
import type { BudgetWindow, LimitKind, LimitRuleData, Scope, Window } from '../contracts/principal.ts'
import {
  ConfigurationError,
  type ConfigurationIssue,
  configurationIssue,
  unknownOption,
} from '../errors/configuration-error.ts'
import { ownMembers } from '../primitives/own-members.ts'
import { allOperations } from '../usage/operations.ts'

/** A limit with methods to refine it. Each returns a new limit. */
export interface LimitRule extends LimitRuleData {
  /** Sets which requests share a counter: `.by('tag:team')`, or `.by('key', 'model')` for one per combination. */
  by(...scopes: readonly [Scope, ...Scope[]]): LimitRule
  /** Applies the limit to these models only: `.forModels('large', 'test-*')`. */
  forModels(...patterns: readonly [string, ...string[]]): LimitRule
  /** Applies the limit to these operations only: `.forOperations('embed')`. Default: all but `countTokens`. */
  forOperations(...operations: readonly [Operation, ...Operation[]]): LimitRule
  /** Counts and reports, but never rejects a request: to test a limit before it is enforced. */
  dryRun(): LimitRule
  /** For a budget: admits requests for models without a known price, without counting them. Otherwise they are rejected. */
  allowUnpriced(): LimitRule
}

const kinds: readonly LimitKind[] = ['requests', 'tokens', 'concurrent', 'budget']
const members: readonly string[] = [
  'kind',
  'limit',
  'per',
  'currency',
  'unpriced',
  'scopes',
  'models',
  'operations',
  'mode',
] satisfies (keyof LimitRuleData)[]
const operationNames: readonly string[] = allOperations
const windows: readonly string[] = ['second', 'minute', 'hour', 'day'] satisfies Window[]
const budgetWindows: readonly string[] = ['hour', 'day', 'week', 'month', 'ever'] satisfies BudgetWindow[]

/**
 * Limits the rate of requests: `requests(60).per('minute')`. All of them may be used in a burst; the limit then replenishes
 * continuously, here one request per second (GCRA). Throws `ConfigurationError` unless the limit is an integer of at least 1.
 */
export function requests(limit: number): { per(window: Window): LimitRule } {
  return rated('requests', limit)
}

/**
 * Limits the rate of tokens, prompt and completion together: `tokens(90_000).per('minute')`. The maximum is reserved before the
 * upstream call, and replaced by the actual usage after it. Throws `ConfigurationError` unless the limit is an integer of at
 * least 1.
 */
export function tokens(limit: number): { per(window: Window): LimitRule } {
  return rated('tokens', limit)
}

/** Limits concurrent requests: `concurrent(20)`. Throws `ConfigurationError` unless the limit is an integer of at least 1. */
export function concurrent(limit: number): LimitRule {
  return limitRule({ kind: 'concurrent', limit })
}

/**
 * Limits spending: `budget(50, 'usd').per('day')`. The maximum cost is reserved before the upstream call, and replaced by the
 * actual cost after it. Requests for models without a price are rejected, unless `allowUnpriced()`. Throws
 * `ConfigurationError` unless the amount is above 0, and at most 9,000,000.
 */
export function budget(limit: number, currency: 'usd'): { per(window: BudgetWindow): LimitRule } {
  limitRule({ kind: 'budget', limit, currency, per: 'ever' })
  return { per: window => limitRule({ kind: 'budget', limit, currency, per: window }) }
}

/** Validates the limit before `per` is called. */
function rated(kind: 'requests' | 'tokens', limit: number): { per(window: Window): LimitRule } {
  limitRule({ kind, limit, per: 'second' })
  return { per: window => limitRule({ kind, limit, per: window }) }
}

/**
 * Creates a limit from plain data, such as from a database. Throws `ConfigurationError` for invalid data: a limit must not be
 * ignored because it is misspelt.
 */
export function limitRule(given: LimitRuleData): LimitRule {
  const data = typeof given === 'object' && given !== null ? ownMembers(given) : given
  const issue = ruleIssue(data)
  if (issue !== undefined) {
    const kind = kinds.find(each => each === data?.kind)
    throw new ConfigurationError(kind === undefined ? 'A limit' : `${kind}()`, [issue])
  }
  const { kind, limit, per, currency, unpriced, scopes, models, operations, mode } = data
  const rule: LimitRuleData = {
    kind,
    limit,
    ...(per === undefined ? {} : { per }),
    ...(currency === undefined ? {} : { currency }),
    ...(unpriced === 'allow' ? { unpriced } : {}),
    ...(scopes === undefined ? {} : { scopes: [...scopes] }),
    ...(models === undefined ? {} : { models: [...models] }),
    ...(operations === undefined ? {} : { operations: [...operations] }),
    ...(mode === 'dryRun' ? { mode } : {}),
  }
  const methods = {
    by: (...given: readonly Scope[]) => limitRule({ ...rule, scopes: given }),
    forModels: (...patterns: readonly string[]) => limitRule({ ...rule, models: patterns }),
    forOperations: (...names: readonly Operation[]) => limitRule({ ...rule, operations: names }),
    dryRun: () => limitRule({ ...rule, mode: 'dryRun' }),
    allowUnpriced: () => limitRule({ ...rule, unpriced: 'allow' }),
  }
  // Not enumerable, so that the JSON of a limit is its data.
  return Object.freeze(
    Object.defineProperties(
      rule,
      Object.fromEntries(Object.entries(methods).map(([name, value]) => [name, { value }])),
    ),
  ) as LimitRule
}

/** Returns the first issue of a rule, or `undefined`. */
function ruleIssue(data: LimitRuleData): ConfigurationIssue | undefined {
  if (typeof data !== 'object' || data === null) return configurationIssue([], data, 'a rule')
  const unknown = Object.keys(data).find(name => !members.includes(name))
  if (unknown !== undefined) return unknownOption([unknown], data[unknown as keyof LimitRuleData], members)
  const { kind, limit, per, currency, unpriced, scopes, models, operations, mode } = data
  const wrong = (name: keyof LimitRuleData, expected: string) =>
    configurationIssue([name], data[name], expected)
  if (!kinds.includes(kind)) return wrong('kind', listed(kinds))
  if (kind === 'budget') {
    if (!(typeof limit === 'number' && limit > 0 && limit <= 9_000_000)) {
      return wrong('limit', 'an amount above 0, at most 9,000,000')
    }
    if (currency !== 'usd') return wrong('currency', "'usd'")
  } else if (!(Number.isSafeInteger(limit) && limit >= 1 && limit <= 1_000_000_000)) {
    return wrong('limit', 'a whole number from 1 to 1,000,000,000')
  }
  if (kind === 'concurrent') {
    if (per !== undefined) return wrong('per', 'no window: it counts concurrent requests')
  } else {
    const known = kind === 'budget' ? budgetWindows : windows
    if (!known.includes(per as string)) return wrong('per', listed(known))
  }
  if (unpriced !== undefined && unpriced !== 'refuse' && unpriced !== 'allow') {
    return wrong('unpriced', "'refuse' or 'allow'")
  }
  if (unpriced !== undefined && kind !== 'budget') return wrong('unpriced', 'none: only a budget has it')
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.length > 0 && scopes.every(isScope))) {
    return wrong('scopes', "some of 'key', 'user', 'model', 'gateway', 'tag:' with a name, or a function")
  }
  if (models !== undefined && !(Array.isArray(models) && models.length > 0 && models.every(isText))) {
    return wrong('models', "names of models, or patterns such as 'test-*'")
  }
  if (
    operations !== undefined &&
    !(Array.isArray(operations) && operations.length > 0 && operations.every(isOperation))
  ) {
    return wrong('operations', `some of ${listed(operationNames)}`)
  }
  const isMode = mode === undefined || mode === 'enforce' || mode === 'dryRun'
  return isMode ? undefined : wrong('mode', "'enforce' or 'dryRun'")
}

function listed(words: readonly string[]): string {
  return words.map(word => `'${word}'`).join(', ')
}

function isScope(scope: unknown): boolean {
  if (typeof scope === 'function') return true
  return typeof scope === 'string' && /^(key|user|model|gateway|tag:.+)$/s.test(scope)
}

function isOperation(name: unknown): boolean {
  return operationNames.includes(name as string)
}

function isText(value: unknown): boolean {
  return typeof value === 'string' && value !== ''
}

import type { LimitKind, LimitRuleData } from '../contracts/principal.ts'
import { type OptionCheck as Check, optionIssues } from '../errors/check-options.ts'
import {
  ConfigurationError,
  type ConfigurationIssue,
  configurationIssue,
} from '../errors/configuration-error.ts'
import type { StoreFailurePolicy } from './guarded-store-options.ts'

import type { LimitsOptions } from './limits-options.ts'

const kinds: readonly string[] = ['requests', 'tokens', 'concurrent', 'budget'] satisfies LimitKind[]
const policies: readonly unknown[] = ['local', 'closed', 'open'] satisfies StoreFailurePolicy[]
const somePolicy = "'local', 'closed' or 'open'"

const aFunction: Check = value => (typeof value === 'function' ? undefined : 'a function')
const aFlag: Check = value => (typeof value === 'boolean' ? undefined : 'true or false')
const whole =
  (most: number): Check =>
  value =>
    Number.isInteger(value) && (value as number) >= 1 && (value as number) <= most
      ? undefined
      : `a whole number from 1 to ${most}`
const aStore: Check = value =>
  isObject(value) && ['admit', 'settle', 'renew'].every(name => typeof value[name] === 'function')
    ? undefined
    : 'a store, such as memoryStore()'

const checks: Readonly<Record<keyof LimitsOptions, Check>> = {
  store: aStore,
  onStoreFailure: value =>
    policies.includes(value) || isObject(value)
      ? undefined
      : `${somePolicy}, or one of them for each kind of rule`,
  instances: whole(100_000),
  storeTimeoutMs: whole(60_000),
  leaseMs: whole(86_400_000),
  maxOutputTokens: whole(1_000_000_000),
  wait: value => (isObject(value) ? undefined : 'maxMs and maxQueued'),
  ietfHeaders: aFlag,
  observe: aFunction,
  now: aFunction,
  id: aFunction,
}
const waitChecks: Readonly<Record<string, Check>> = { maxMs: whole(3_600_000), maxQueued: whole(1_000_000) }
const policyChecks = Object.fromEntries(
  kinds.map((kind): [string, Check] => [kind, value => (policies.includes(value) ? undefined : somePolicy)]),
)

/** One issue for each option that cannot be used. */
export function limitOptionIssues(options: LimitsOptions): ConfigurationIssue[] {
  const issues = optionIssues(options, checks)
  if (isObject(options?.onStoreFailure)) {
    issues.push(...optionIssues(options.onStoreFailure, policyChecks, { path: ['onStoreFailure'] }))
  }
  if (isObject(options?.wait)) {
    issues.push(
      ...optionIssues(options.wait, waitChecks, { path: ['wait'], required: ['maxMs', 'maxQueued'] }),
    )
  }
  return issues
}

/** One issue for each rule that cannot be used, below its index, by what making it throws. */
export function ruleIssues(
  rules: readonly LimitRuleData[],
  make: (rule: LimitRuleData) => unknown,
): ConfigurationIssue[] {
  if (!Array.isArray(rules)) return [configurationIssue([], rules, 'a list of rules')]
  return rules.flatMap((rule: LimitRuleData, index) => {
    try {
      make(rule)
      return []
    } catch (error) {
      if (!ConfigurationError.is(error)) throw error
      return error.issues.map(issue => ({ ...issue, path: [index, ...issue.path] }))
    }
  })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

import type { LimitKind, LimitRuleData } from '../../limit-rule.ts'
import type { StoreFailurePolicy } from './guarded-store.ts'
import type { LimitsOptions } from './limits-options.ts'

type Check = (value: unknown) => string | undefined

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

/** Every option that cannot be used: its name, what was got, what was expected. */
export function optionFaults(options: LimitsOptions): string[] {
  if (!isObject(options)) return [`the options: got ${shown(options)}, expected an object`]
  const faults = faultsIn(options, checks, '')
  if (isObject(options.onStoreFailure)) {
    faults.push(...faultsIn(options.onStoreFailure, policyChecks, 'onStoreFailure.'))
  }
  if (isObject(options.wait)) {
    faults.push(
      ...faultsIn({ maxMs: undefined, maxQueued: undefined, ...options.wait }, waitChecks, 'wait.', true),
    )
  }
  return faults
}

/** Every rule that cannot be used, by what making it throws. */
export function ruleFaults(
  rules: readonly LimitRuleData[],
  make: (rule: LimitRuleData) => unknown,
): string[] {
  if (!Array.isArray(rules)) return [`the rules: got ${shown(rules)}, expected a list of rules`]
  return rules.flatMap((rule: LimitRuleData, index) => {
    try {
      make(rule)
      return []
    } catch (error) {
      return [`rule ${index + 1}: ${error instanceof Error ? error.message : String(error)}`]
    }
  })
}

function faultsIn(
  given: object,
  known: Readonly<Record<string, Check>>,
  path: string,
  needed = false,
): string[] {
  return Object.entries(given).flatMap(([name, value]) => {
    const check = Object.hasOwn(known, name) ? known[name] : undefined
    if (value === undefined && check !== undefined && !needed) return []
    const expected = check === undefined ? 'no such option' : check(value)
    return expected === undefined ? [] : [`${path}${name}: got ${shown(value)}, expected ${expected}`]
  })
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function shown(value: unknown): string {
  if (typeof value === 'string') return `'${value}'`
  return typeof value === 'object' && value !== null ? 'an object' : String(value)
}

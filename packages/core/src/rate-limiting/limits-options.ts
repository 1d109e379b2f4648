import type { Clock } from '../clock/clock.ts'
import type { Observer } from '../contracts/events.ts'
import type { LimitStore } from '../contracts/limit-store.ts'
import type { LimitKind, LimitRuleData } from '../contracts/principal.ts'
import { type OptionCheck as Check, optionIssues } from '../errors/check-options.ts'
import {
  ConfigurationError,
  type ConfigurationIssue,
  configurationIssue,
} from '../errors/configuration-error.ts'
import type { MemoryLimitStore } from './memory-limit-store.ts'

/** How requests wait for their limits. */
export interface WaitOptions {
  /** Longest wait of a request, in milliseconds, at most an hour. */
  readonly maxMs: number
  /** How many requests of one principal may wait. */
  readonly maxQueued: number
}

export interface LimitsOptions {
  /** Where counts are stored. Default: `memoryLimitStore()`, in this process. */
  readonly store?: LimitStore
  /**
   * What becomes of rules while the store does not answer, all alike or by their kinds. Default: `local`, and `closed`
   * for a budget.
   */
  readonly onStoreFailure?: StoreFailurePolicy | Readonly<Partial<Record<LimitKind, StoreFailurePolicy>>>
  /** How many processes share the store: with `local`, each counts its share of a limit. Default 4. */
  readonly instances?: number
  /** How long one operation of the store may take, in milliseconds. Default 50. */
  readonly storeTimeoutMs?: number
  /** How long what a request holds is held when its process has died, in milliseconds. Default 30,000. */
  readonly leaseMs?: number
  /**
   * The completion tokens of one choice that are reserved, and sent upstream as the bound, for a request that names no
   * bound, where a rule of tokens or a budget concerns it. Default 4,096.
   */
  readonly maxOutputTokens?: number
  /** Lets requests wait for their limits. Default: they are refused at once. */
  readonly wait?: WaitOptions
  /** Whether the headers `RateLimit` and `RateLimit-Policy` are sent too. Default `false`. */
  readonly ietfHeaders?: boolean
  /** Called when the store fails, and when it works again. */
  readonly observe?: Observer
  /** Milliseconds since 1970, for the store that is made where none is given. Default: the machine's clocks. */
  readonly now?: () => number
  /** 32 fresh random hexadecimal digits. Default from `crypto.getRandomValues`. */
  readonly generateId?: () => string
}

/** The defaults. */
export const limitDefaults = {
  instances: 4,
  storeTimeoutMs: 50,
  leaseMs: 30_000,
  maxOutputTokens: 4_096,
  ietfHeaders: false,
} as const satisfies LimitsOptions

/** One policy for each kind of rule. */
export function failurePolicies(
  given: LimitsOptions['onStoreFailure'],
): Readonly<Record<LimitKind, StoreFailurePolicy>> {
  const defaults = { requests: 'local', tokens: 'local', concurrent: 'local', budget: 'closed' } as const
  if (given === undefined) return defaults
  if (typeof given === 'string') return { requests: given, tokens: given, concurrent: given, budget: given }
  const set = Object.entries(given).filter(([, policy]) => policy !== undefined)
  return { ...defaults, ...Object.fromEntries(set) }
}

/**
 * How a rule goes on while its store does not answer: `local` counts in this process, `closed` refuses with 503,
 * `open` lets everything through.
 */
export type StoreFailurePolicy = 'local' | 'closed' | 'open'

export interface GuardedStoreOptions {
  /** By the kind of the rule that each counter of a claim belongs to. */
  readonly onStoreFailure: Readonly<Record<LimitKind, StoreFailurePolicy>>
  /** How many processes share the store: each counts a share of a limit while the store does not answer. */
  readonly instances: number
  /** Longest wait for one operation, in milliseconds. */
  readonly timeoutMs: number
  readonly observe: Observer
  readonly clock: Clock
  /** Counts while the store does not answer. Default: `memoryStore()`. */
  readonly local?: MemoryLimitStore
}

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
  generateId: aFunction,
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

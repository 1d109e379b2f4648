import { type Clock, expectedClock, isClock } from '../clock/clock.ts'
import type { Observer } from '../contracts/events.ts'
import type { LimitStore } from '../contracts/limit-store.ts'
import type { LimitKind, LimitRuleData } from '../contracts/principal.ts'
import { type OptionCheck as Check, optionIssues } from '../errors/check-options.ts'
import {
  ConfigurationError,
  type ConfigurationIssue,
  configurationIssue,
} from '../errors/configuration-error.ts'
import { withDefaults } from '../primitives/with-defaults.ts'
import { aStoreTimeout, defaultStoreTimeoutMs } from '../stores/store-timeout.ts'
import type { MemoryLimitStore } from './memory-limit-store.ts'

/** How requests over their limits are queued. */
export interface WaitOptions {
  /** Maximum wait of a request, in milliseconds; at most 3,600,000 (an hour). */
  readonly maxMs: number
  /** Maximum number of queued requests per principal. */
  readonly maxQueued: number
}

/** Options of `limits`. */
export interface LimitsOptions {
  /** Stores the counters. Default: `memoryLimitStore()`, in this process. */
  readonly store?: LimitStore | undefined
  /** What to do while the store fails, for all rules or by their kind. Default `local`, but `closed` for budgets. */
  readonly onStoreFailure?:
    | StoreFailurePolicy
    | Readonly<Partial<Record<LimitKind, StoreFailurePolicy>>>
    | undefined
  /** Number of processes that share the store: with `local`, each enforces its share of a limit. Default 4; of workers, their number. */
  readonly instances?: number | undefined
  /** Timeout of a store operation, in milliseconds. Default 50; of workers, whose store is the primary's, 500. */
  readonly storeTimeoutMs?: number | undefined
  /**
   * How long a reservation lasts without being renewed, in milliseconds: until then, that of a crashed process stays reserved.
   * Reservations of running requests are renewed three times in this period. Default 30,000.
   */
  readonly leaseMs?: number | undefined
  /**
   * Completion tokens per choice to reserve for a request without a maximum, if a token limit or a budget applies to it. The
   * request is sent upstream with this maximum. Default 4,096.
   */
  readonly maxOutputTokens?: number | undefined
  /**
   * Maximum number of end users of a principal with their own counters, in a rule by `user`: all others of that principal share one
   * more, because callers choose the names. Default 1,000.
   */
  readonly maxUsers?: number | undefined
  /** Queues requests that exceed their limits. Default: they are rejected at once. */
  readonly wait?: WaitOptions | undefined
  /** Whether to also send the headers `RateLimit` and `RateLimit-Policy`. Default `false`. */
  readonly ietfHeaders?: boolean | undefined
  /** Receives an event when the store fails, and when it recovers. */
  readonly observe?: Observer | undefined
  /** Reads the time and sets timers, such as the virtual clock of a simulation. Default: the system clock. */
  readonly clock?: Clock | undefined
  /** Returns milliseconds since 1970, for the default store. Default: that of `clock`. */
  readonly now?: (() => number) | undefined
  /** Returns a unique id: 32 random hexadecimal digits. Default: from `crypto.getRandomValues`. */
  readonly generateId?: (() => string) | undefined
}

/** Default values of options. */
export const limitDefaults = {
  instances: 4,
  storeTimeoutMs: defaultStoreTimeoutMs,
  leaseMs: 30_000,
  maxOutputTokens: 4_096,
  maxUsers: 1_000,
  ietfHeaders: false,
} as const satisfies LimitsOptions

/** Returns the policy of each kind of rule. */
export function failurePolicies(
  given: LimitsOptions['onStoreFailure'],
): Readonly<Record<LimitKind, StoreFailurePolicy>> {
  if (typeof given === 'string') return { requests: given, tokens: given, concurrent: given, budget: given }
  return withDefaults<Record<LimitKind, StoreFailurePolicy>>(
    { requests: 'local', tokens: 'local', concurrent: 'local', budget: 'closed' },
    given,
  )
}

/**
 * What a rule does while its store fails: `local` counts in this process, `closed` rejects requests with a 503, `open` admits
 * all.
 */
export type StoreFailurePolicy = 'local' | 'closed' | 'open'

export interface GuardedStoreOptions {
  /** Policies by kind of rule. */
  readonly onStoreFailure: Readonly<Record<LimitKind, StoreFailurePolicy>>
  /** Number of processes that share the store: each enforces a share of a limit while the store fails. */
  readonly instances: number
  /** Timeout of an operation, in milliseconds. */
  readonly timeoutMs: number
  readonly observe: Observer
  readonly clock: Clock
  /** Returns 32 random hexadecimal digits, for the claims of probes. */
  readonly generateId: () => string
  /** Counts while the store fails. Default: `memoryLimitStore()`. */
  readonly local?: MemoryLimitStore
  /** Whether the store acknowledges settlements and renewals. Default true. */
  readonly acknowledges?: boolean
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
    : 'a store, such as memoryLimitStore()'

const checks: Readonly<Record<keyof LimitsOptions, Check>> = {
  store: aStore,
  onStoreFailure: value =>
    policies.includes(value) || isObject(value)
      ? undefined
      : `${somePolicy}, or one of them for each kind of rule`,
  instances: whole(100_000),
  storeTimeoutMs: aStoreTimeout,
  leaseMs: whole(86_400_000),
  maxOutputTokens: whole(1_000_000_000),
  maxUsers: whole(100_000),
  wait: value => (isObject(value) ? undefined : 'maxMs and maxQueued'),
  ietfHeaders: aFlag,
  observe: aFunction,
  clock: value => (isClock(value) ? undefined : expectedClock),
  now: aFunction,
  generateId: aFunction,
}
const waitChecks: Readonly<Record<string, Check>> = { maxMs: whole(3_600_000), maxQueued: whole(1_000_000) }
const policyChecks = Object.fromEntries(
  kinds.map((kind): [string, Check] => [kind, value => (policies.includes(value) ? undefined : somePolicy)]),
)

/** Returns an issue for each invalid option. */
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

/** Returns the issues that `make` throws for each rule, with the index of the rule in their paths. */
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

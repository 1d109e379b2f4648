/**
 * Rate limits and budgets: rules, limiters and the memory store.
 */
export type { LimitStore } from './contracts/limit-store.ts'
export type { Lease, LimitContext, Limiter, LimitState } from './contracts/limiter.ts'
export type { Operation } from './contracts/outline.ts'
export type {
  BudgetWindow,
  LimitKind,
  LimitRuleData,
  NamedScope,
  Scope,
  ScopeOf,
  Window,
} from './contracts/principal.ts'
export { limits } from './rate-limiting/limits.ts'
export type { LimitsOptions, StoreFailurePolicy, WaitOptions } from './rate-limiting/limits-options.ts'
export {
  type MemoryLimitStore,
  type MemoryLimitStoreOptions,
  memoryLimitStore,
} from './rate-limiting/memory-limit-store.ts'
export { budget, concurrent, type LimitRule, limitRule, requests, tokens } from './rate-limiting/rule.ts'

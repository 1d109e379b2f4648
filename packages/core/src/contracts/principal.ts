import type { Draft } from './draft.ts'

/** Who is asking. */
export interface Principal {
  readonly id: string
  /**
   * Who vouches for the `id`, such as `api_keys` or a token's issuer; no spaces. Principals with the same `id` and
   * different sources share no limits, cached responses or idempotency keys. Default: none.
   */
  readonly source?: string
  /** Patterns of the models that the principal may use (`*` stands for any text); absent means all. */
  readonly models?: readonly string[]
  /** Such as `{ team: 'search' }`: for limits that are shared, and for the sums of the ledger. */
  readonly tags?: Readonly<Record<string, string>>
  /** Rules for this principal, beside those of the gateway's `limit`. They hold also where the gateway has none. */
  readonly limits?: readonly LimitRuleData[]
}

/** What a rule counts. */
export type LimitKind = 'requests' | 'tokens' | 'concurrent' | 'budget'

/** The span of a limit of requests or tokens. */
export type Window = 'second' | 'minute' | 'hour' | 'day'

/**
 * The span of a budget, by the calendar in UTC: an hour, a day, a week from Monday on, a month; `ever` for an
 * amount that is not renewed.
 */
export type BudgetWindow = 'hour' | 'day' | 'week' | 'month' | 'ever'

/**
 * Who shares one count: `key`, each principal by itself; `tag:team`, all principals with the same tag; `model`, all
 * callers of one model; `gateway`, everybody. Callers without the tag share one count.
 */
export type NamedScope = 'key' | 'model' | 'gateway' | `tag:${string}`

/** Names the count that a request belongs to; `undefined` where the rule does not concern it. */
export type ScopeOf = (principal: Principal, draft: Draft) => string | undefined

/** Who shares one count. */
export type Scope = NamedScope | ScopeOf

/** A rule as plain data, fit for JSON where its scopes have names: what keys that are kept in a database hold. */
export interface LimitRuleData {
  readonly kind: LimitKind
  /** Requests, tokens or requests at once; of a budget, money in `currency`. */
  readonly limit: number
  /** Absent for `concurrent`. */
  readonly per?: Window | BudgetWindow
  /** Of a budget. */
  readonly currency?: 'usd'
  /**
   * Of a budget: what happens to a request for a model without a known price. `refuse`: 403 `model_not_priced`. `allow`:
   * the budget does not count it. Default `refuse`.
   */
  readonly unpriced?: 'refuse' | 'allow'
  /** Several are counted by their combination: `['key', 'model']`. Absent: `['key']`. */
  readonly scopes?: readonly Scope[]
  /** Patterns of the models that the rule concerns (`*` stands for any text). Absent: all. */
  readonly models?: readonly string[]
  /** `dryRun`: counts and reports, and never refuses. Default `enforce`. */
  readonly mode?: 'enforce' | 'dryRun'
}

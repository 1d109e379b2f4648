import type { Draft } from './draft.ts'
import type { Operation } from './outline.ts'

/**
 * The authenticated caller of a request: whoever the API key or token belongs to. The client is the program that sends the
 * request.
 */
export interface Principal {
  /** Identifies it within its `source`: the id of a key, or the `sub` of a token. It has no control characters. */
  readonly id: string
  /**
   * Who issued the `id`, such as `api_keys` or the issuer of a token; no spaces. Principals with the same `id` and
   * different sources share no limits, cached responses or idempotency keys. Default: none.
   */
  readonly source?: string | undefined
  /** Patterns of the models that the principal may use (`*` matches any text). Default: all. */
  readonly models?: readonly string[] | undefined
  /** Labels such as `{ team: 'search' }`, to share limits and to group usage by. */
  readonly tags?: Readonly<Record<string, string>> | undefined
  /** Limits of this principal, in addition to `limits` of the gateway. */
  readonly limits?: readonly LimitRuleData[] | undefined
  /**
   * Whether responses of the Responses API are stored for requests that continue them. `false`: each request is as with
   * `store: false`. Default: true.
   */
  readonly storeResponses?: boolean | undefined
}

/** What identifies a principal: an id within a source. Without a source: a principal that has none. */
export type PrincipalId = Pick<Principal, 'id' | 'source'>

/** What a limit counts. */
export type LimitKind = 'requests' | 'tokens' | 'concurrent' | 'budget'

/** The window of a limit of requests or tokens. */
export type Window = 'second' | 'minute' | 'hour' | 'day'

/** The window of a budget, by the calendar in UTC. Weeks start on Monday; `ever` never resets. */
export type BudgetWindow = 'hour' | 'day' | 'week' | 'month' | 'ever'

/**
 * Which requests share a counter. `key`: those of a principal, whatever it authenticated with. `user`: those of a principal for
 * one end user, as the request names it. `tag:team`: those of
 * principals with the same value of a tag; principals without the tag share one counter. `model`: those for the same model.
 * `gateway`: all.
 */
export type NamedScope = 'key' | 'user' | 'model' | 'gateway' | `tag:${string}`

/** Returns the name of the counter for a request, or `undefined` if the limit does not apply to it. */
export type ScopeOf = (principal: Principal, draft: Draft) => string | undefined

/** Which requests share a counter. */
export type Scope = NamedScope | ScopeOf

/** A limit as plain data. It can be JSON, and stored with a key, unless a scope is a function. */
export interface LimitRuleData {
  readonly kind: LimitKind
  /** Requests, tokens, or concurrent requests. For a budget: money in `currency`. */
  readonly limit: number
  /** The window. Absent for `concurrent`. */
  readonly per?: Window | BudgetWindow | undefined
  /** For a budget only. */
  readonly currency?: 'usd' | undefined
  /**
   * For a budget only: how to handle a request for a model without a known price. `refuse`: 403 `model_not_priced`. `allow`:
   * the budget does not count it. Default `refuse`.
   */
  readonly unpriced?: 'refuse' | 'allow' | undefined
  /** Which requests share a counter: `['key', 'model']` has one per combination. Default `['key']`. */
  readonly scopes?: readonly Scope[] | undefined
  /** Patterns of the models that the limit applies to (`*` matches any text). Default: all. */
  readonly models?: readonly string[] | undefined
  /**
   * The operations that the limit applies to. Default: all but `countTokens`, which is free and comes in bursts, so it counts only
   * where it is named.
   */
  readonly operations?: readonly Operation[] | undefined
  /** `dryRun` counts and reports, but never rejects a request. Default `enforce`. */
  readonly mode?: 'enforce' | 'dryRun' | undefined
}

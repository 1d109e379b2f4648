import type { Usage } from '../protocol/chat.ts'
import type { Draft } from './draft.ts'
import type { Principal } from './principal.ts'
import type { Target } from './provider.ts'

/** A rate limit after a request was counted. */
export interface LimitState {
  readonly kind: 'requests' | 'tokens'
  /** Requests or tokens per window. */
  readonly limit: number
  readonly windowMs: number
  /** Requests or tokens that are left. */
  readonly remaining: number
  /** Milliseconds until the whole limit is available again. */
  readonly resetMs: number
  /** Whether this limit rejected the request. Default `false`. */
  readonly exceeded?: boolean
}

/** Capacity that a request holds until its response has ended. */
export interface Lease {
  /**
   * The rate limits of the request. Every response reports them, an error too: `x-ratelimit-*` headers have the limit of
   * each kind with the smallest share left.
   */
  readonly limits?: readonly LimitState[]
  /** Whether responses also have `ratelimit` and `ratelimit-policy` headers, for all `limits`. Default false. */
  readonly ietfHeaders?: boolean
  /** Further response headers. They replace headers of the same name. */
  readonly headers?: Readonly<Record<string, string>>
  /**
   * The completion tokens of one choice that are reserved. A request without a bound of its own is sent upstream with
   * this one, which is reported as an adjustment.
   */
  readonly maxOutputTokens?: number
  /** The prompt tokens that are reserved: charged if the upstream call is cancelled before any content arrives. */
  readonly promptTokens?: number
  /**
   * Whether the request counts against a budget. It then fails with 503 `ledger_unavailable` if the ledger cannot store its
   * entry. Default `false`.
   */
  readonly spends?: boolean
  /** The `dryRun` rules that would have rejected the request, as source text: for the `end` event. */
  readonly wouldHaveRefused?: readonly string[]
  /** How long the request waited to be admitted, in milliseconds. */
  readonly waitedMs?: number
  /**
   * Releases the lease. Called exactly once. `usage` is `undefined` if no upstream accepted the request. `cost` is its price in
   * US dollars, `null` if that is not known.
   */
  settle(usage: Usage | undefined, cost: number | null): void | Promise<void>
}

/** What a limiter knows of a request beside its principal and its body. */
export interface LimitContext {
  readonly requestId: string
  /**
   * The entry of the model table that matched: the model's name, or the pattern that it matches. If the route reports none, the
   * first target, as `provider/model`. Unlike a model's name, callers cannot make it up.
   */
  readonly entry: string
  /** The targets that may be called. */
  readonly targets: readonly Target[]
  /** Returns the price of a usage at a target, in US dollars; `null` if that is not known. */
  price(usage: Usage, target: Target): number | null
  /** Aborts when the client disconnects, or the gateway closes without waiting any longer. */
  readonly signal: AbortSignal
}

/** Decides whether a request is within its limits. */
export interface Limiter {
  /**
   * Returns a lease, or throws `GatewayError` and reserves nothing: 429 above a limit, 403 `model_not_priced` for a model
   * without a price under a budget, 503 while the store of a rule is unavailable and its policy is `closed`.
   */
  admit(principal: Principal, draft: Draft, context: LimitContext): Lease | Promise<Lease>
  /** How long `admit` may let a request wait for capacity or a store, in milliseconds, beyond `timeouts.policyMs`. Default 0. */
  readonly maxWaitMs?: number
  /** Whether it limits every principal. `false`: only those with `limits` of their own. Default `true`. */
  readonly appliesToAll?: boolean
  /**
   * Whether `admit` enforces the `limits` of the principal too, as `limits()` does. If it does not, requests of
   * principals with `limits` fail with 500: they are never ignored. Default `false`.
   */
  readonly enforcesPrincipalLimits?: boolean
  /** The names and patterns of models that its rules are for. The gateway warns of those that no model fits. */
  readonly models?: readonly string[]
}

import type { Usage } from '../protocol/chat.ts'
import type { Draft } from './draft.ts'
import type { Principal } from './principal.ts'
import type { Target } from './provider.ts'

/** What a limiter has reserved for a request until its response ends. */
export interface Lease {
  /** Rate limit headers for the response, whatever its status. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * Completion tokens reserved per choice. A request without its own maximum is sent upstream with this one, and reports it
   * as an adjustment.
   */
  readonly maxOutputTokens?: number
  /** Prompt tokens reserved. They are charged if the response is aborted before any of it arrived. */
  readonly promptTokens?: number
  /** Whether money was reserved. Such a request fails with a 503 if the ledger cannot record it. */
  readonly spends?: boolean
  /** The `dryRun` rules that would have rejected the request, as source text: for the `end` event. */
  readonly wouldHaveRefused?: readonly string[]
  /** How long the request waited for its limits, in milliseconds. */
  readonly waitedMs?: number
  /**
   * Charges the actual usage and releases the rest. The gateway calls it exactly once. `usage` is `undefined` if no upstream
   * was called or none accepted the request. `cost` is in US dollars, `null` if it is not known.
   */
  settle(usage: Usage | undefined, cost: number | null): void | Promise<void>
}

/** What a limiter knows of a request, beside its principal and body. */
export interface LimitContext {
  readonly requestId: string
  /**
   * The entry of the model table that matched: a model name, or a pattern such as `acme/*`. If the route reports none, the
   * first target as `provider/model`. Unlike the requested model name, callers cannot make it up.
   */
  readonly entry: string
  /** The targets that the route returned. */
  readonly targets: readonly Target[]
  /** Returns the cost of usage at a target in US dollars, or `null` without a known price. */
  price(usage: Usage, target: Target): number | null
  /** Aborts when the client disconnects, or when the gateway closes and aborts open requests. */
  readonly signal: AbortSignal
}

/** Decides whether a request is within the limits of its principal. */
export interface Limiter {
  /** Reserves what the request needs. Throws `GatewayError` (429), with its headers, and reserves nothing otherwise. */
  admit(principal: Principal, draft: Draft, context: LimitContext): Lease | Promise<Lease>
  /** How long `admit` may queue a request, in milliseconds, in addition to `timeouts.policyMs`. Default 0. */
  readonly maxWaitMs?: number
  /** Whether it limits every principal. `false`: only those with `limits` of their own. Default `true`. */
  readonly appliesToAll?: boolean
  /**
   * Whether `admit` also enforces the `limits` of the principal, as `limits()` does. If not, requests of principals that
   * have `limits` fail with a 500, so that they are never ignored. Default `false`.
   */
  readonly enforcesPrincipalLimits?: boolean
}

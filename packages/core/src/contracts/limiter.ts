import type { Usage } from '../protocol/chat.ts'
import type { Draft } from './draft.ts'
import type { Principal } from './principal.ts'
import type { Target } from './provider.ts'

/** Room that a request holds until its answer has ended. */
export interface Lease {
  /** What the caller is told of the limit, on the answer whatever it is. */
  readonly headers: Readonly<Record<string, string>>
  /**
   * The completion tokens of one choice that the room is for. They are sent upstream as the bound of a request that
   * names none, and the caller is told so among the adjustments.
   */
  readonly maxOutputTokens?: number
  /** The prompt tokens that the room is for: charged where the request's answer is cut off before any of it came. */
  readonly promptTokens?: number
  /** Whether money was reserved: such a request is not made where its record cannot be kept. */
  readonly spends?: boolean
  /** The rules that only count (`asShadow`) and would have refused, as they are written: for the `end` event. */
  readonly wouldHaveRefused?: readonly string[]
  /** How long the request waited for its room, in milliseconds. */
  readonly waitedMs?: number
  /**
   * Gives the room back. Called exactly once. `usage` is `undefined` when no model was asked or none
   * answered. `cost` is its price in US dollars, `null` where that is not known.
   */
  settle(usage: Usage | undefined, cost: number | null): void | Promise<void>
}

/** What is known of a request that asks for room, beside its caller and its text. */
export interface LimitContext {
  readonly requestId: string
  /**
   * The entry of the model table that matched: the model's name, or the pattern that it fits. Where the route names none,
   * the first target, as `provider/model`. Callers cannot invent it, as they can the name of a model.
   */
  readonly entry: string
  /** Where it may be answered. */
  readonly targets: readonly Target[]
  /** What a use would cost at a target, in US dollars; `null` where that is not known. */
  price(usage: Usage, target: Target): number | null
  /** Aborts when the client leaves, or the gateway closes without waiting any longer. */
  readonly signal: AbortSignal
}

/** Says whether there is room. */
export interface Limiter {
  /** Takes room, or throws `GatewayError` (429) with its headers and takes none. */
  admit(principal: Principal, draft: Draft, context: LimitContext): Lease | Promise<Lease>
  /** How long `admit` may let a request wait for its room, in milliseconds, beyond `timeouts.policyMs`. Default 0. */
  readonly maxWaitMs?: number
  /** Whether it limits every principal. `false`: only those with `limits` of their own. Default true. */
  readonly appliesToAll?: boolean
  /**
   * Whether `admit` enforces the `limits` of the principal too, as `limits()` does. Where it does not, the request of a
   * principal that has `limits` is a 500: they are never ignored. Default: no.
   */
  readonly enforcesPrincipalLimits?: boolean
}

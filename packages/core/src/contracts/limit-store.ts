/**
 * What a claim takes from one counter. Amounts are integers: requests, tokens, or billionths of a US dollar. `RateCounter` is a
 * rate limit, `SumCounter` a budget, `LeaseCounter` a concurrency limit.
 */
export type Counter = RateCounter | SumCounter | LeaseCounter

/** What all kinds of counters have. */
export interface AnyCounter {
  /** The storage key of the counter. The counters of a claim have distinct keys. */
  readonly key: string
  readonly limit: number
  /** Whether the counter never rejects a claim. If the limit is exceeded, the claim takes nothing from it. */
  readonly dryRun: boolean
}

/**
 * A rate limit, by the generic cell rate algorithm (GCRA, ITU-T I.371) in integer microseconds. Its state is `arrival`, the
 * time at which the full limit is available again, and `reserved`, the cost of reservations that are not settled, which
 * does not replenish with time. In the terms of GCRA, one unit of `amount` is a cell, and `arrival` is its theoretical
 * arrival time.
 *
 * With `cost = ceil(amount * window / limit)`, a claim is allowed if `max(arrival, now) + reserved + cost <= now + window +
 * slack`. Without a `floor` it then sets `arrival = max(arrival, now) + cost`; with one it adds its cost to `reserved`. `slack`
 * makes up for rounding: `min(limit * cost(1) - window, cost(1) - 1)`. Without it, 7 per minute would allow only 6.
 *
 * Settling a claim removes its cost from `reserved` and sets `arrival = max(arrival, now) + cost(charged)`. A claim that
 * expires is charged its `floor` in the same way. Settling it later charges only what exceeds the `floor`, and refunds
 * nothing, as the `floor` has been replenished meanwhile.
 */
export interface RateCounter extends AnyCounter {
  readonly kind: 'rate'
  readonly windowMs: number
  readonly amount: number
  /**
   * The part of `amount` that stays charged if the claim expires without being settled, because its process crashed. Absent:
   * `amount` is charged at once, and there is nothing to settle.
   */
  readonly floor?: number
}

/**
 * A budget: a sum over a calendar window in UTC. A claim is allowed if `sum + amount <= limit`. A new window starts with the
 * excess of the previous one over the limit, or with 0. If a claim is settled in a later window than it was admitted in, the
 * reserved amount is not refunded there; usage beyond it is charged to the new window.
 */
export interface SumCounter extends AnyCounter {
  readonly kind: 'sum'
  readonly window: 'hour' | 'day' | 'week' | 'month' | 'ever'
  readonly amount: number
  /** The part of `amount` that stays charged if the claim expires without being settled, because its process crashed. */
  readonly floor: number
}

/**
 * A limit of concurrent claims. A claim that is neither settled nor renewed is released after its `ttlMs`. Not the `Lease` of a
 * limiter, which covers all counters of a request.
 */
export interface LeaseCounter extends AnyCounter {
  readonly kind: 'lease'
}

/** A reservation of one request from several counters, which succeeds or fails as a unit. */
export interface Claim {
  /** Unique per claim: 32 hexadecimal digits. */
  readonly id: string
  /** Milliseconds until the claim expires, unless it is renewed. */
  readonly ttlMs: number
  readonly counters: readonly Counter[]
}

/** The state of a counter after the decision. */
export interface CounterState {
  /** Whether the claim exceeds the limit. A `dryRun` counter reports it without rejecting the claim. */
  readonly over: boolean
  /** The remaining amount, after an allowed claim was taken; at least 0. */
  readonly remaining: number
  /** Milliseconds until the full limit is available; 0 for leases. `Infinity` for a sum that never resets. */
  readonly resetMs: number
  /**
   * Milliseconds until the same claim could be allowed, if no other is made; 0 if it could be now, `Infinity` if never. For
   * leases: until the first one expires.
   */
  readonly waitMs: number
}

/** The decision on a claim. */
export interface LimitDecision {
  /** Whether the claim was taken from all counters. If not, it was taken from none. */
  readonly allowed: boolean
  /** Whether it was rejected because the store has reached its maximum number of counters. Default `false`. */
  readonly full?: boolean
  /** Whether it was decided while the store did not respond, on a share of the limits. A store never sets it. Default `false`. */
  readonly local?: boolean
  /** One state per counter of the claim, in the same order. */
  readonly counters: readonly CounterState[]
}

/** The actual amounts of a claim, once they are known. */
export interface Settlement {
  readonly id: string
  /** The counters of the claim, unchanged. */
  readonly counters: readonly Counter[]
  /** The amount to charge per counter, in the same order. 0 refunds all; ignored for leases. */
  readonly charged: readonly number[]
}

/**
 * Stores the counters of limits. Every operation is atomic, and uses the clock of the store.
 *
 * A claim whose counters are all rate counters without a `floor` is never settled. All others are settled once; settling again has no
 * effect. A claim that expired can still be settled for an hour, which corrects the `floor` that it was charged.
 *
 * `limitStoreConformance` of `@sluice/testing/conformance` tests all of it.
 */
export interface LimitStore {
  /** Takes a claim from all of its counters, or from none if it exceeds an enforced limit. */
  admit(claim: Claim): LimitDecision | Promise<LimitDecision>
  /** Replaces the reserved amounts of a claim by the actual ones. */
  settle(settlement: Settlement): void | Promise<void>
  /** Extends claims to `ttlMs` milliseconds from now. Ignores those that are settled or unknown. */
  renew(claims: readonly Pick<Claim, 'id' | 'counters'>[], ttlMs: number): void | Promise<void>
}

/** The decision on a claim, with a function to settle it. */
export interface DecidedClaim {
  readonly decision: LimitDecision
  /**
   * Charges the actual amounts, one per counter, and refunds the rest. Only the first call has an effect; a rejected claim
   * needs none. It never rejects: settlements that fail are retried later, at most 10,000 of them. It throws what the
   * store throws synchronously for invalid amounts.
   */
  settle(charged: readonly number[]): void | Promise<void>
}

/** What one rule asks of one count. Amounts are whole numbers: requests, tokens, or billionths of a dollar. */
export type Counter = RateCounter | SumCounter | LeaseCounter

interface AnyCounter {
  /** Names the count. No two counters of one claim have the same key. */
  readonly key: string
  readonly limit: number
  /** Counts and never refuses. Where it is over, nothing of it is taken: a limit would have refused. */
  readonly dryRun: boolean
}

/**
 * A rate, by the generic cell rate algorithm (ITU-T I.371) in whole microseconds: the time at which all of the limit is
 * free again is kept, and beside it the cost of what is held, which does not flow back with time. A claim is allowed
 * when `max(arrival, now) + held + cost <= now + window + slack` with `cost = ceil(amount * window / limit)`. Without a
 * `floor`, `max(arrival, now) + cost` is kept then; with one, its cost is held. The slack is what rounding up takes of
 * a full limit, and less than one is worth: `min(limit * cost(1) - window, cost(1) - 1)`. Without it 7 in a minute were 6.
 *
 * When a claim is settled, it holds nothing any more, and `max(arrival, now) + cost(charged)` is kept: what is used counts
 * from then on. When its time is over, its `floor` is charged so, from that moment. A settlement after that charges what
 * came on top of the floor, and gives nothing back: the floor has flowed back by itself.
 */
export interface RateCounter extends AnyCounter {
  readonly kind: 'rate'
  readonly windowMs: number
  readonly amount: number
  /**
   * What of the amount stays taken when the claim is never settled, because its process died. Absent: the amount is
   * taken for good, and nothing is held.
   */
  readonly floor?: number
}

/**
 * A sum over a window of the calendar (UTC), such as money. A claim is allowed when `sum + amount <= limit`. When the
 * window ends the sum begins again with what was above the limit: a debt is carried once. A claim that is settled in
 * a later window than it was made in gives nothing back there; what it came to beyond its amount is charged there.
 */
export interface SumCounter extends AnyCounter {
  readonly kind: 'sum'
  readonly window: 'hour' | 'day' | 'week' | 'month' | 'ever'
  readonly amount: number
  /** What of the amount stays spent when the claim is never settled. */
  readonly floor: number
}

/** So many claims at once. One that is neither settled nor renewed is given back when its time is over. */
export interface LeaseCounter extends AnyCounter {
  readonly kind: 'lease'
}

/** What a request needs, of all its counts at once: it gets all or nothing. */
export interface Claim {
  /** A fresh one for each claim: 32 hexadecimal digits. */
  readonly id: string
  /** How long what is held is held without being renewed, in milliseconds. */
  readonly ttlMs: number
  readonly counters: readonly Counter[]
}

/** How a count stands after a claim was decided. */
export interface CounterState {
  /** Whether this count has no room for the claim; of a shadow, whether it would have refused. */
  readonly over: boolean
  /** What is left: requests, tokens, money or leases; after what was taken, where the claim was allowed. From 0. */
  readonly remaining: number
  /** Milliseconds until all of the limit is free again; 0 for leases. `Infinity` for a sum that is never renewed. */
  readonly resetMs: number
  /**
   * Milliseconds until such a claim has room, if nobody else takes any; 0 where it has. `Infinity` where it never
   * will. Of leases, until the first held one is given back at the latest.
   */
  readonly waitMs: number
}

/** What became of a claim. */
export interface LimitDecision {
  /** Whether all of it was taken. Where it was not, nothing was, of no count. */
  readonly allowed: boolean
  /** Whether it was refused because the store can keep no more counts. Absent: no. */
  readonly full?: boolean
  /** One for each counter, in their order. */
  readonly counters: readonly CounterState[]
}

/** What a claim came to. */
export interface Settlement {
  readonly id: string
  /** The counters of the claim, as they were claimed. */
  readonly counters: readonly Counter[]
  /** What each of them was really charged, in their order; of a lease it is ignored. 0 gives all of it back. */
  readonly charged: readonly number[]
}

/**
 * Remembers counts. Every operation is one atomic step: no count is read and then written. Time is the store's own.
 *
 * A claim that holds nothing (rates without a `floor`) is never settled. One that holds something is settled once;
 * a settlement that comes again changes nothing. One that comes after its time was over, and its `floor` was charged,
 * still corrects that, for an hour.
 *
 * `limitStoreConformance` of `@sluice/testing/conformance` tests all of it.
 */
export interface LimitStore {
  admit(claim: Claim): LimitDecision | Promise<LimitDecision>
  settle(settlement: Settlement): void | Promise<void>
  /** Holds what claims hold for another `ttlMs` from now. Those that were settled or are unknown are passed over. */
  renew(claims: readonly Pick<Claim, 'id' | 'counters'>[], ttlMs: number): void | Promise<void>
}

/** A claim that was decided, and what it holds until `settle` is called. */
export interface DecidedClaim {
  readonly decision: LimitDecision
  /**
   * Gives back what was not `charged` (one amount for each counter). Nothing is left to settle where it was refused.
   * It never rejects: what the store does not take now is kept until it does, at most 10,000 of them. Only the first
   * call counts. Throws what the store throws at once for amounts that make no sense.
   */
  settle(charged: readonly number[]): void | Promise<void>
}

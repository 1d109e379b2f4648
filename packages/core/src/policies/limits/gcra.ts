/** A rate: `limit` in any `windowMs`, of which all may come at once. */
export interface Rate {
  readonly limit: number
  readonly windowMs: number
}

/** What a decision came to. Times are in milliseconds. */
export interface Decision {
  readonly allowed: boolean
  /** The theoretical arrival time to keep: unchanged where the request was refused. */
  readonly arrival: number
  /** How many more would be allowed at once. */
  readonly remaining: number
  /** Until all of the limit is free again. */
  readonly resetMs: number
  /** Until this one would be allowed; 0 where it is. */
  readonly waitMs: number
}

/**
 * The generic cell rate algorithm (ITU-T I.371): one number is kept, the time at which all of the limit is
 * free again; a request moves it by one interval. No window has an edge, and a refusal takes nothing.
 */
export function gcra(arrival: number | undefined, now: number, { limit, windowMs }: Rate): Decision {
  const interval = windowMs / limit
  const before = Math.max(arrival ?? now, now)
  const after = before + interval
  // Room for float error, far below a request's worth.
  const excess = after - now - windowMs - interval * 1e-6
  if (excess > 0) {
    return { allowed: false, arrival: before, remaining: 0, resetMs: before - now, waitMs: excess }
  }
  const remaining = Math.floor((windowMs - (after - now)) / interval + 1e-6)
  return { allowed: true, arrival: after, remaining, resetMs: after - now, waitMs: 0 }
}
